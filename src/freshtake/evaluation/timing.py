"""Durations and tempo: whether variants take as long as the inputs, and play some parts faster or slower."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.evaluation.gallery import Gallery, Part, Parts
from freshtake.evaluation.track_alignment import cheapest_windows
from freshtake.evaluation.tracks import Track
from freshtake.motion.body.pose_space import distances
from freshtake.numeric.arrays import Floats

WINDOW = 30  # frames at 30 a second
BETTER = 0.95  # another speed counts when it fits by 5 % better than the inputs' own
SLOWEST, FASTEST, SPEEDS = 0.7, 1.4, 11


def measure(gallery: Gallery, track: Track) -> Parts:
    """Duration in seconds and as a share of the inputs' mean; share of windows at another tempo, and how far off."""
    mean = float(np.mean([other.duration for other in gallery.inputs]))
    parts = {"duration": Part(track.duration)}
    if mean > 0:
        parts["duration_ratio"] = Part(track.duration / mean)
    if gallery.layout.has_body:
        parts |= tempo(gallery, track)
    return parts


def tempo(gallery: Gallery, track: Track) -> Parts:
    """Which windows of the track fit the inputs better when those are played at another speed."""
    features = track.thirty().features
    speeds, played = gallery.once(played_inputs)
    costs = np.array([cheapest_windows([distances(features, g) for g in faster], WINDOW) for faster in played])
    if costs.shape[1] == 0 or not np.isfinite(costs).any():
        return {}
    normal_costs = costs[speeds.index(1.0)]
    better = costs.min(axis=0) < BETTER * normal_costs
    off = np.abs(np.log(np.array(speeds)[costs.argmin(axis=0)]))
    return {"tempo_share": Part(float(better.mean())), "tempo_off": Part(float(np.where(better, off, 0.0).mean()))}


def played_inputs(gallery: Gallery) -> tuple[list[float], list[list[Floats]]]:
    """The speeds, and per speed the inputs' features played at it."""
    steps = np.round(np.exp(np.linspace(np.log(SLOWEST), np.log(FASTEST), SPEEDS)), 4)
    speeds = sorted([*steps[np.abs(steps - 1.0) > 0.01].tolist(), 1.0])
    return speeds, [[stretched(track.features, speed) for track in gallery.slow] for speed in speeds]


def stretched(values: Floats, speed: float) -> Floats:
    """Read `speed` times as fast, by linear interpolation, both ends kept."""
    if len(values) < 2:
        return values
    places = np.linspace(0, len(values) - 1, max(2, round(len(values) / speed)))
    low = np.minimum(places.astype(np.intp), len(values) - 2)
    share = (places - low)[:, None]
    return np.asarray(values[low] * (1.0 - share) + values[low + 1] * share)


def spread(tracks: Sequence[Track]) -> float:
    """Standard deviation of the durations as a share of their mean; NaN for fewer than two."""
    durations = np.array([track.duration for track in tracks])
    if len(durations) < 2 or durations.mean() <= 0:
        return float("nan")
    return float(durations.std(ddof=1) / durations.mean())
