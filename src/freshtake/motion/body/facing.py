"""Which way a body faces: from the line across its hips or shoulders, or from its toes; never from its root."""

from __future__ import annotations

import numpy as np

from freshtake.motion.body.roles import HELPER, SIDE, feet, mirror_pairs
from freshtake.motion.clip import Clip
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats


def across(skeleton: Skeleton) -> tuple[int, int] | None:
    """The first left joint of the body off the middle and its right partner, or None where names do not tell."""
    partner, lengths = mirror_pairs(skeleton), skeleton.lengths()
    for joint, name in enumerate(skeleton.names):
        if HELPER.search(name):
            continue
        if SIDE["left"].search(name) and partner[joint] != joint and lengths[joint] > 0:
            return joint, int(partner[joint])
    return None


def facing(clip: Clip) -> Floats | None:
    """Angle (frames,) about the vertical of the way the body faces, 0 for z (with z up: -y); None where unknown."""
    pair = across(clip.skeleton)
    if pair is None:
        return _toes_forward(clip)
    positions = clip.positions()
    line = positions[:, pair[0]] - positions[:, pair[1]]
    # A body that faces z (with z up: -y) has its left at x.
    depth = -line[:, 2] if clip.up == "y" else line[:, 1]
    return np.asarray(np.arctan2(depth, line[:, 0]))


def _toes_forward(clip: Clip) -> Floats | None:
    """The same by the way the toes point, for bodies whose names do not tell left from right."""
    pairs = [foot.joints for foot in feet(clip.skeleton) if foot.toe is not None]
    if len(pairs) < 2:
        return None
    positions = clip.positions()
    lines = np.sum([positions[:, toe] - positions[:, ankle] for ankle, toe in pairs], axis=0)
    return np.asarray(np.arctan2(lines[:, 0], lines[:, 2] if clip.up == "y" else -lines[:, 1]))


def mean_angle(angles: Floats) -> tuple[float, float]:
    """The circular mean, and how closely the angles agree (0 to 1)."""
    mean = np.exp(1j * angles).mean()
    return float(np.angle(mean)), float(np.abs(mean))
