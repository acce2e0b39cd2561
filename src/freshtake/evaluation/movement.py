"""Measure how one clip moves compared with the inputs: smoothness, timing, standing feet, ranges of DOFs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.evaluation.dofs import STILL
from freshtake.evaluation.tracks import GROUND, UP, Gallery, Part, Parts, Track, at_working_rate, cheapest_windows, flat
from freshtake.motion.body.orientation import distances
from freshtake.motion.planting.contacts import NEAR_FLOOR, RECORDED
from freshtake.motion.tempo import FASTEST, SLOWEST
from freshtake.numeric.arrays import Bools, Floats
from freshtake.variation.phase import read_linear


def measure_smoothness(gallery: Gallery, track: Track) -> Parts:
    """Return a track's jerk relative to the inputs' (1: as smooth): of all points, and of a body's limbs."""
    slow, parts = at_working_rate(gallery.layout, track), {}
    for key in ("jerk", "jerk_limbs") if gallery.layout.has_body else ("jerk",):
        limbs_only = key == "jerk_limbs"
        of_inputs = gallery.once(_input_jerk, limbs_only)
        parts[key] = Part(_mean_jerk(gallery, slow, limbs_only) / of_inputs if of_inputs > 0 else float("nan"))
    return parts


def jerk(positions: Floats, frame_time: float) -> Floats:
    """Return the magnitude of the third difference of positions per second cubed, (frames - 3, points)."""
    if len(positions) < 4:
        return np.zeros((0, positions.shape[1]))
    return np.asarray(np.linalg.norm(np.diff(positions, 3, axis=0), axis=-1) / frame_time**3)


def _mean_jerk(gallery: Gallery, slow: Track, limbs_only: bool) -> float:
    values = jerk(slow.world[:, list(gallery.layout.limbs)] if limbs_only else slow.world, slow.frame_time)
    return float(values.mean()) if values.size else float("nan")


def _input_jerk(gallery: Gallery, limbs_only: bool) -> float:
    """Return the inputs' mean jerk, weighted by their frames; 0 if all of them are too short."""
    means = np.array([_mean_jerk(gallery, track, limbs_only) for track in gallery.slow])
    usable = np.isfinite(means)
    weights = np.array([len(track) for track in gallery.slow], dtype=np.float64)[usable]
    return float(np.average(means[usable], weights=weights)) if usable.any() else 0.0


SPEEDS = 11  # number of speeds between the slowest and the fastest tempo


def measure_timing(gallery: Gallery, track: Track) -> Parts:
    """Return the duration, also divided by the inputs' mean; the fraction of windows off the tempo, and their error."""
    mean = float(np.mean([other.duration for other in gallery.inputs]))
    parts = {"duration": Part(track.duration)}
    if mean > 0:
        parts["duration_ratio"] = Part(track.duration / mean)
    if gallery.layout.has_body:
        parts |= tempo(gallery, track)
    return parts


def tempo(gallery: Gallery, track: Track) -> Parts:
    """Return the fraction of windows that fit the inputs better at another speed, and that speed's mean log error."""
    features = track.thirty().features
    speeds, played = gallery.once(played_inputs)
    # Windows of a second, at 30 frames.
    costs = np.array([cheapest_windows([distances(features, g) for g in faster], 30) for faster in played])
    if costs.shape[1] == 0 or not np.isfinite(costs).any():
        return {}
    normal_costs = costs[speeds.index(1.0)]
    # Another speed counts only if it fits 5 % better than the inputs' speed: windows differ a little by chance.
    better = costs.min(axis=0) < 0.95 * normal_costs
    off = np.abs(np.log(np.array(speeds)[costs.argmin(axis=0)]))
    return {"tempo_share": Part(float(better.mean())), "tempo_off": Part(float(np.where(better, off, 0.0).mean()))}


def played_inputs(gallery: Gallery) -> tuple[list[float], list[list[Floats]]]:
    """Return the speeds, and for each the inputs' features played at it."""
    steps = np.round(np.exp(np.linspace(np.log(SLOWEST), np.log(FASTEST), SPEEDS)), 4)
    # Other speeds are compared with speed 1, which therefore must be included exactly.
    speeds = sorted([*steps[np.abs(steps - 1.0) > 0.01].tolist(), 1.0])
    return speeds, [[stretched(track.features, speed) for track in gallery.slow] for speed in speeds]


def stretched(values: Floats, speed: float) -> Floats:
    """Resample to play `speed` times as fast, by linear interpolation, both ends kept."""
    if len(values) < 2:
        return values
    return read_linear(values, np.linspace(0, len(values) - 1, max(2, round(len(values) / speed))))


def spread(tracks: Sequence[Track]) -> float:
    """Return the standard deviation of the durations as a fraction of their mean; NaN for fewer than two."""
    durations = np.array([track.duration for track in tracks])
    if len(durations) < 2 or durations.mean() <= 0:
        return float("nan")
    return float(durations.std(ddof=1) / durations.mean())


SLIDING = 100.0 * RECORDED.speed_on  # % of the leg length per second


class Standing(NamedTuple):
    """For each pose of the inputs (30 a second), which feet are planted and how fast they move."""

    poses: Floats
    planted: Bools
    speeds: Floats


def measure_feet(gallery: Gallery, track: Track) -> Parts:
    """Return the foot figures of one track; empty if there are no feet."""
    if not gallery.layout.feet:
        return {}
    slow = track.thirty()
    speed, _ = motion_of_feet(gallery, slow)
    standing = gallery.once(input_standing)
    nearest = distances(flat(slow.body), standing.poses).argmin(axis=1)
    there = speed[standing.planted[nearest]]
    parts = {key: Part(value) for key, value in kimodo_skate(gallery, slow).items()}
    if len(there):
        parts["planted_speed"] = Part(float(there.mean()), len(there))
        parts["planted_lost"] = Part(float((there > SLIDING).mean()), len(there))
    return parts


def input_values(gallery: Gallery) -> dict[str, float]:
    """Return the inputs' foot figures."""
    if not gallery.layout.feet:
        return {}
    standing, out = gallery.once(input_standing), {}
    if standing.planted.any():
        out = {"planted_speed": float(standing.speeds[standing.planted].mean()), "planted_lost": 0.0}
    skates = [kimodo_skate(gallery, track) for track in gallery.slow]
    for key in skates[0]:
        if all(key in skate for skate in skates):
            weights = [len(track) for track in gallery.slow]
            out[key] = float(np.average([skate[key] for skate in skates], weights=weights))
    return out


def kimodo_skate(gallery: Gallery, slow: Track) -> dict[str, float]:
    """Measure skating of a track (30 a second) as papers on text-to-motion do (Kimodo 2026), in metres.

    Return the fraction of toe frames below 5 cm and faster than 0.2 m/s, and the mean speed (m/s) of toes in contact,
    which are near the floor in two successive frames. The result is empty if the unit is unknown.
    """
    metres = gallery.layout.unit_m
    if metres is None or len(slow) < 2:
        return {}
    speed, height = motion_of_feet(gallery, slow)
    speed_m = speed[1:] / 100.0 * gallery.layout.size * metres
    # Kimodo's limits: 5 cm above the floor, 20 cm a second.
    skating = (height[1:] * metres < 0.05) & (speed_m > 0.2)
    out = {"kimodo_skate": float(skating.mean())}
    # A foot that lands or leaves between two frames is moving, not sliding.
    near = np.maximum(height[:-1], height[1:]) < NEAR_FLOOR * gallery.layout.size
    if near.any():
        out["kimodo_speed"] = float(speed[1:][near].mean()) / 100.0 * gallery.layout.size * metres
    return out


def floor_heights(gallery: Gallery) -> Floats:
    """Return the height of each foot joint while planted: a low percentile of its heights in the inputs."""
    heights = np.concatenate([track.world[:, list(gallery.layout.feet), UP] for track in gallery.slow])
    # The lowest frames may be outliers: a low percentile is the floor.
    return np.asarray(np.percentile(heights, 2.0, axis=0))


def motion_of_feet(gallery: Gallery, slow: Track) -> tuple[Floats, Floats]:
    """Return (frames, feet): horizontal speed since the last frame in % of a leg per second, height above the floor."""
    feet = slow.world[:, list(gallery.layout.feet)]
    height = feet[..., UP] - gallery.once(floor_heights)
    if len(slow) < 2:
        return np.zeros(height.shape), height
    speed = np.linalg.norm(np.diff(feet[..., GROUND], axis=0), axis=-1)
    speed = 100.0 * speed / slow.frame_time / gallery.layout.size
    # The first frame has no predecessor: it gets the speed of the second.
    return np.concatenate([speed[:1], speed]), height


def input_standing(gallery: Gallery) -> Standing:
    """Find where the inputs' feet are planted: low and slow. In the poses nearest to these, a variant should stand."""
    poses, planted, speeds = [], [], []
    for track in gallery.slow:
        speed, height = motion_of_feet(gallery, track)
        poses.append(flat(track.body))
        planted.append((height < NEAR_FLOOR * gallery.layout.size) & (speed < SLIDING))
        speeds.append(speed)
    return Standing(np.concatenate(poses), np.concatenate(planted), np.concatenate(speeds))


QUANTILES = 200


class Range(NamedTuple):
    """For each DOF the lowest and highest value allowed, the inputs' spread and their quantiles."""

    low: Floats
    high: Floats
    spread: Floats
    quantiles: Floats


class DofFigures(NamedTuple):
    """For one DOF the Wasserstein-1 distance to the inputs in their standard deviations, and the share out of range."""

    name: str
    distance: float
    overshoot: float


def measure_ranges(gallery: Gallery, track: Track) -> Parts:
    """Return the share of frames x DOFs out of range, and the mean distribution distance over the DOFs that matter."""
    if track.dofs.shape[1] == 0:
        return {}
    allowed = gallery.once(input_range)
    beyond = (track.dofs < allowed.low) | (track.dofs > allowed.high)
    weights = gallery.layout.scales * allowed.spread
    parts = {"overshoot": Part(float(beyond.mean()), len(track))}
    if weights.sum() > 0:
        parts["dof_distance"] = Part(float(np.average(wasserstein(allowed, track.dofs), weights=weights)))
    return parts


def input_range(gallery: Gallery) -> Range:
    """Return the inputs' range, widened by the margin."""
    rows = np.concatenate([track.dofs for track in gallery.inputs])
    low, high = rows.min(axis=0), rows.max(axis=0)
    # A further take may go a little beyond the inputs' range.
    slack = np.maximum(0.05 * (high - low), STILL)
    return Range(low - slack, high + slack, rows.std(axis=0), quantiles(rows))


def quantiles(rows: Floats) -> Floats:
    """Return (quantiles, DOFs) at evenly spaced probabilities."""
    return np.asarray(np.quantile(rows, (np.arange(QUANTILES) + 0.5) / QUANTILES, axis=0))


def wasserstein(known: Range, rows: Floats) -> Floats:
    """Return per DOF the mean distance between equal quantiles (Wasserstein-1), in the inputs' standard deviations."""
    distance = np.abs(quantiles(rows) - known.quantiles).mean(axis=0)
    return np.asarray(distance / np.maximum(known.spread, STILL))


def dof_table(gallery: Gallery, tracks: Sequence[Track]) -> list[DofFigures]:
    """Return the figures of each DOF over all tracks together, starting with the DOFs that move the body most."""
    allowed = gallery.once(input_range)
    rows = np.concatenate([track.dofs for track in tracks])
    distance = wasserstein(allowed, rows)
    beyond = ((rows < allowed.low) | (rows > allowed.high)).mean(axis=0)
    order = np.argsort(-gallery.layout.scales * allowed.spread, kind="stable")
    return [DofFigures(gallery.layout.dofs[k], float(distance[k]), float(beyond[k])) for k in order]
