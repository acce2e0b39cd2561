"""Describe how a clip moves in numbers comparable between takes of one action, and compute figures from them."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import NamedTuple

import numpy as np

from freshtake.evaluation.comparable import Material
from freshtake.evaluation.dofs import STILL, Joints
from freshtake.evaluation.results import Figure
from freshtake.evaluation.tracks import GROUND, UP, Track, flat
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.phase import read_linear

PHASES = 48  # evenly spaced moments of a clip at which poses are compared


class Manner(NamedTuple):
    """One clip: mean jerk of the hips, path length of the toes, travel of the hips on the ground, largest acceleration
    of any joint, lowest point of a foot, how far hands and feet swing to and fro, and its poses.

    `swings`: left and right hand, left and right foot (NaN if there are not two). `poses` (moments, joints x 3):
    positions relative to the hips, without heading; the hips keep their height.
    """

    hip_jerk: float
    foot_path: float
    travel: float
    peak: float
    lowest: float
    swings: tuple[float, float, float, float]
    poses: Floats


def manner(joints: Joints, track: Track) -> Manner:
    """Measure one clip."""
    world, body = track.world / joints.leg, body_positions(joints, track)
    hips, feet = world[:, joints.hips], [*joints.toes, *joints.ankles]
    return Manner(
        hip_jerk=float(_lengths(np.diff(hips, 3, axis=0)).mean()) / track.frame_time**3,
        foot_path=float(_lengths(np.diff(world[:, joints.toes], axis=0)).sum()),
        travel=float(_lengths(hips[-1, GROUND] - hips[0, GROUND])),
        peak=float(_lengths(np.diff(world[:, joints.body], 2, axis=0)).max()) / track.frame_time**2,
        lowest=float(world[:, feet, UP].min()) if feet else float("nan"),
        swings=(*_swings(body, joints.hands), *_swings(body, joints.ankles)),
        poses=at_moments(body[:, joints.body], PHASES).reshape(PHASES, -1),
    )


def body_positions(joints: Joints, track: Track) -> Floats:
    """Return joints (frames, joints, 3) in leg lengths from the hips, without heading; the hips keep their height."""
    body = (track.body - track.body[:, [joints.hips]]) / joints.leg
    body[:, joints.hips, UP] = track.world[:, joints.hips, UP] / joints.leg
    return body


def at_moments(values: Floats, count: int) -> Floats:
    """Return values at evenly spaced moments from the first frame to the last, interpolated linearly."""
    return read_linear(flat(values), np.linspace(0.0, len(values) - 1, count)).reshape(count, *values.shape[1:])


def static_share(poses: Floats, mean: Floats) -> float:
    """Return the share of the squared difference from a mean (moments, columns) that is constant over time: posture."""
    differences = poses - mean
    total = float((differences**2).sum(axis=1).mean())
    return float((differences.mean(axis=0) ** 2).sum()) / total if total > 0 else float("nan")


def swings_together(manners: Sequence[Manner]) -> tuple[float, float]:
    """Return how left and right amplitudes correlate over clips, for hands and for feet; NaN if nothing varies."""
    swings = np.array([one.swings for one in manners]).T
    return _correlation(swings[0], swings[1]), _correlation(swings[2], swings[3])


def _correlation(a: Floats, b: Floats) -> float:
    if len(a) < 2 or not np.isfinite([a, b]).all() or min(np.ptp(a), np.ptp(b)) == 0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])


def _swings(body: Floats, pair: Sequence[int]) -> tuple[float, float]:
    if len(pair) != 2:
        return float("nan"), float("nan")
    first, second = (float(np.ptp(body[:, joint, 2])) for joint in pair)
    return first, second


def _lengths(vectors: Floats) -> Floats:
    return np.asarray(np.linalg.norm(vectors, axis=-1))


PAIRS = 4000
MOVES = 1e-9

Manners = Sequence[Manner]
Figures = dict[str, Figure]


def energy_score(drawn: Floats, real: Floats) -> float:
    """Return the mean distance between real and drawn clips, minus half the mean distance between drawn clips.

    Pairs of a clip with itself are left out, so that the score is fair: its expectation does not depend on how many
    were drawn.
    """
    across = np.linalg.norm(real[:, None] - drawn, axis=-1).mean()
    first, second = np.triu_indices(len(drawn), 1)
    within = np.array([np.linalg.norm(drawn[a] - drawn[b]) for a, b in zip(first, second, strict=True)])
    return float(across - 0.5 * within.mean())


def variogram_score(drawn: Floats, real: Floats, pairs: Ints) -> float:
    """Return the variogram score of order 1/2 over pairs of columns (2, pairs): whether both sets covary similarly."""
    expected = _variogram(drawn, pairs).mean(axis=0)
    return float(((_variogram(real, pairs) - expected) ** 2).mean())


def column_pairs(rows: Floats, rng: np.random.Generator) -> Ints:
    """Return pairs of columns that move, drawn from a copy of the generator: sets to be compared get the same pairs."""
    moving, drawing = np.flatnonzero(rows.std(axis=0) > STILL), deepcopy(rng)
    return np.stack([drawing.choice(moving, PAIRS), drawing.choice(moving, PAIRS)])


def _variogram(rows: Floats, pairs: Ints) -> Floats:
    return np.asarray(np.sqrt(np.abs(rows[:, pairs[0]] - rows[:, pairs[1]])))


@one_blas_thread()
def realness_figures(material: Material, rng: np.random.Generator) -> Figures:
    """Return figures of clips that have a body; the generator is copied, not advanced."""
    joints = material.layout.joints
    if joints is None:
        return {}
    sets = [[manner(joints, t) for t in tracks] for tracks in (material.inputs, material.variants, material.extra)]
    inputs, variants, extra = sets
    figures = _ratio("hip_jerk", lambda one: one.hip_jerk, MOVES, *sets)
    if joints.toes:
        low = min(one.lowest for one in inputs)
        figures |= _ratio("foot_path", lambda one: one.foot_path, MOVES, *sets)
        figures |= _worst("depth", lambda one: 100.0 * max(0.0, low - one.lowest), 100.0, 0.0, *sets)
    # Inputs that travel less than 0.3 legs count as staying in place.
    figures |= _ratio("travel", lambda one: one.travel, 0.3, *sets)
    if (top := max(one.peak for one in inputs)) > 0:
        # A percentile over variants: one bad variant in twenty is tolerated.
        figures |= _worst("peak", lambda one: one.peak / top, 95.0, 1.0, *sets)
    figures |= _static(*sets) | _swing_figures(*sets)
    return figures | (_scores(inputs, variants, extra, rng) if extra else {})


def _each(value: Callable[[Manner], float], *sets: Manners) -> list[Floats]:
    """Return the values of all clips, set by set."""
    return [np.array([value(one) for one in clips]) for clips in sets]


def _ratio(
    key: str, value: Callable[[Manner], float], least: float, inputs: Manners, variants: Manners, extra: Manners
) -> Figures:
    """Return a quantity of the variants divided by the inputs' mean; empty if the mean is below `least`."""
    input_values, variant_values, further = _each(value, inputs, variants, extra)
    if not input_values.mean() > least:
        return {}
    others = [np.delete(input_values, k).mean() for k in range(len(input_values))] if len(input_values) > 1 else []
    left_out = tuple(float(v / mean) for v, mean in zip(input_values, others, strict=False) if mean > 0)
    each = variant_values / input_values.mean()
    return {key: Figure(key, float(each.mean()), tuple(each), left_out, tuple(further / input_values.mean()), 1.0)}


def _worst(
    key: str, value: Callable[[Manner], float], percentile: float, usual: float,
    inputs: Manners, variants: Manners, extra: Manners,
) -> Figures:  # fmt: skip
    """Return a percentile over variants; real takes are the extra takes, or else the inputs, whose value is `usual`."""
    of_inputs, each, further = _each(value, inputs, variants, extra)
    left_out = () if len(extra) or len(inputs) < 2 else tuple(of_inputs)
    return {key: Figure(key, float(np.percentile(each, percentile)), tuple(each), left_out, tuple(further), usual)}


def _static(inputs: Manners, variants: Manners, extra: Manners) -> Figures:
    mean = np.mean([one.poses for one in inputs], axis=0)
    input_shares, variant_shares, further = _each(lambda one: static_share(one.poses, mean), inputs, variants, extra)
    # An input's difference from the mean of the others is a multiple of its difference from the mean of all, so its
    # share is the same; two inputs both have the same share, which is not a range.
    left_out = tuple(input_shares) if len(inputs) > 2 else ()
    if not np.isfinite(variant_shares).all():
        return {}
    return {"static": Figure("static", float(np.mean(variant_shares)), tuple(variant_shares), left_out, tuple(further))}


def _swing_figures(inputs: Manners, variants: Manners, extra: Manners) -> Figures:
    if len(inputs) < 3 or len(variants) < 3:
        return {}
    figures = {}
    real = swings_together([*inputs, *extra])
    keys = ("swing_hands", "swing_feet")
    for key, value, of_inputs, of_all_real in zip(
        keys, swings_together(variants), swings_together(inputs), real, strict=True
    ):
        if np.isfinite([value, of_inputs, of_all_real]).all():
            figures[key] = Figure(key, value, extra=(of_all_real,), inputs=of_inputs)
    return figures


def _scores(inputs: Manners, variants: Manners, extra: Manners, rng: np.random.Generator) -> Figures:
    """Return energy and variogram scores of the further takes given the variants, divided by those given the inputs."""
    input_rows, variant_rows, further = (_rows(clips) for clips in (inputs, variants, extra))
    if len(input_rows) < 2 or len(variant_rows) < 2:
        return {}
    figures = {}
    if (base := energy_score(input_rows, further)) > 0:
        figures["energy"] = Figure("energy", energy_score(variant_rows, further) / base, extra=(1.0,), inputs=1.0)
    scores = [
        variogram_score(x, further, column_pairs(np.concatenate([x, further]), rng)) for x in (variant_rows, input_rows)
    ]
    if scores[1] > 0:
        figures["variogram"] = Figure("variogram", scores[0] / scores[1], inputs=1.0)
    return figures


def _rows(manners: Manners) -> Floats:
    return np.array([one.poses.reshape(-1) for one in manners])
