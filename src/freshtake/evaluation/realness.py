"""How a clip moves, in numbers that can be compared between takes of one action: hips, feet, jolts, posture.

Everything is in leg lengths and seconds and at the clip's own rate: shaking hips are lost when frames are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.evaluation.dofs import Joints
from freshtake.evaluation.tracks import GROUND, UP, Track
from freshtake.numeric.arrays import Floats

PHASES = 48  # moments, evenly spread over a clip, at which poses are compared


class Manner(NamedTuple):
    """One clip: jerk of the hips (mean), path of the toes (summed), travel of the hips on the ground, largest
    acceleration of any joint, lowest point of a foot, how far hands and feet swing to and fro, and its poses.

    `swings`: left and right hand, left and right foot (NaN where there are not two). `poses` (moments, joints x 3):
    positions without heading, from the hips, whose own height stays.
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
    """Joints (frames, joints, 3) in leg lengths from the hips, heading taken out; the hips keep their height."""
    body = (track.body - track.body[:, [joints.hips]]) / joints.leg
    body[:, joints.hips, UP] = track.world[:, joints.hips, UP] / joints.leg
    return body


def at_moments(values: Floats, count: int) -> Floats:
    """Values over frames read at evenly spread moments from the first to the last, straight between frames."""
    places = np.linspace(0.0, len(values) - 1, count)
    before = np.minimum(places.astype(np.intp), len(values) - 2)
    share = (places - before).reshape(-1, *[1] * (values.ndim - 1))
    return np.asarray((1.0 - share) * values[before] + share * values[before + 1])


def static_share(poses: Floats, mean: Floats) -> float:
    """Share of the squared difference to a mean (moments, columns) that is the same at all moments: posture."""
    differences = poses - mean
    total = float((differences**2).sum(axis=1).mean())
    return float((differences.mean(axis=0) ** 2).sum()) / total if total > 0 else float("nan")


def swings_together(manners: Sequence[Manner]) -> tuple[float, float]:
    """Correlation over clips of how far left and right swing: of the hands, of the feet; NaN where nothing varies."""
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
