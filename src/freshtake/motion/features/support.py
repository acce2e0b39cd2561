"""The root carried by its feet: travel and height are those of the supporting foot, the root's follow from the pose.

A foot that stands still in every example then stands still in whatever is mixed from them, however its leg's angles
are mixed; with the root's own travel as DOFs, legs and root have to agree by chance.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d

from freshtake.motion.body import feet, leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.features.ground import Complexes, ground_of
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.kinematics import forward

STILL_SPEED = 0.25  # leg lengths per second at which a foot's claim to carry the body has fallen to 1/e
NEAR_FLOOR = 0.05  # leg lengths above the floor, likewise
SOFTNESS = 0.033  # seconds over which support passes from foot to foot
LEAST = 1e-4


def carrying_joints(skeleton: Skeleton) -> tuple[int, int] | None:
    """The joints that stand on the floor, one per foot; None unless there are two feet."""
    found = feet(skeleton)
    if len(found) != 2:
        return None
    first, second = (foot.joints[-1] for foot in found)
    return first, second


def relative_feet(
    skeleton: Skeleton, translations: Floats | None, rotations: Floats, joints: tuple[int, int]
) -> Floats:
    """Positions (frames, 2, 3) of the two feet with the root at the origin."""
    local = np.empty((*rotations.shape[:-1], 3))
    local[:] = skeleton.offsets if translations is None else translations
    local[:, 0] = 0.0
    return forward(skeleton.parents, local, rotations).positions[:, list(joints)]


def support_share(clip: Clip, joints: tuple[int, int]) -> Floats:
    """How much of the body the first foot carries (frames,), from 0 to 1: the foot that is lower and slower."""
    positions = clip.positions()[:, list(joints)]
    leg = leg_length(clip.skeleton)
    height = positions[..., clip.up_index]
    above = np.maximum(height - np.percentile(height, 2, axis=0), 0.0) / leg
    speed = np.linalg.norm(np.gradient(positions, axis=0), axis=-1) / clip.frame_time / leg if len(clip) > 1 else above
    claim = np.exp(-((speed / STILL_SPEED) ** 2) - (above / NEAR_FLOOR) ** 2) + LEAST
    claim = gaussian_filter1d(claim, SOFTNESS / clip.frame_time, axis=0, mode="nearest")
    return np.asarray(claim[:, 0] / claim.sum(axis=1))


def carried(values: Floats, share: Floats) -> Floats:
    """The mean (frames, ...) of two feet's values (frames, 2, ...) by their share of the body."""
    part = share.reshape(-1, *[1] * (values.ndim - 2))
    out: Floats = part * values[:, 0] + (1.0 - part) * values[:, 1]
    return out


def foot_travel(relative: Floats, share: Floats, up: str, before: Complexes | None = None) -> Complexes:
    """How far the carrying feet move against the root in every step (frames,), in the ground plane.

    `before` (2,) is where the feet were in the frame before the first; without it the first step is zero.
    """
    places = ground_of(relative, up)
    first = places[:1] if before is None else before[None]
    steps = np.diff(np.concatenate([first, places]), axis=0)
    return np.asarray(share * steps[:, 0] + (1.0 - share) * steps[:, 1])
