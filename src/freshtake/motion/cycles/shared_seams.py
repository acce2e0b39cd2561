"""Loops that share their seam: each begins and ends in one pose and at one speed, so that any may follow any other.

What a loop lacks at its seam is added around it and fades within `REACH`: a difference in pose by the cubic that is
flat at both ends, one in speed by the cubic that is 0 at both ends. The travel of a loop is not changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.clip import Clip
from freshtake.motion.cycles.looping import loop_frames, played
from freshtake.motion.skeleton import require_compatible
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import continuous, from_rotvec, inverse, multiply, to_rotvec

REACH = 0.4  # seconds to either side of the seam; never more than half the loop
ROUNDS = 3  # turning joints turns their speeds too


class SeamPose(NamedTuple):
    """Rotations (joints, 4) and places on the parents (joints, 3) at the seam, and how both change per second."""

    rotations: Floats
    local: Floats
    turning: Floats
    moving: Floats


def seam_pose(loop: Clip) -> SeamPose:
    """Pose and speed at the first frame of a loop; the place on the ground is left open (0)."""
    around = played(loop, 3, -1)
    rotations, local = around.rotations, around.local_translations()
    before, after = (to_rotvec(multiply(rotations[k + 1], inverse(rotations[k]))) for k in (0, 1))
    turning = 0.5 * (before + after) / loop.frame_time
    moving = 0.5 * (local[2] - local[0]) / loop.frame_time
    place = local[1].copy()
    place[0] *= np.arange(3) == loop.up_index
    return SeamPose(rotations[1], place, turning, moving)


def with_seam(loop: Clip, wanted: SeamPose) -> Clip:
    """The loop with this pose and speed at its seam; it stays where it is on the ground."""
    if len(wanted.rotations) != len(loop.skeleton):
        raise UsageError(f"{loop.name or 'the loop'} has another skeleton than the pose its seam is to have")
    flat, steep = _shapes(loop)
    for _ in range(ROUNDS):
        now = seam_pose(loop)
        turn = to_rotvec(multiply(wanted.rotations, inverse(now.rotations)))
        correction = from_rotvec(_spread(flat, turn) + _spread(steep, wanted.turning - now.turning))
        moved = _spread(flat, wanted.local - now.local) + _spread(steep, wanted.moving - now.moving)
        local = loop.local_translations() + moved
        loop = loop.changed(
            root=local[:, 0],
            rotations=continuous(multiply(correction, loop.rotations)),
            joint_translations=None if loop.joint_translations is None else local,
        ).changed(playback=loop.playback)
    return loop


def _shapes(loop: Clip) -> tuple[Floats, Floats]:
    """(frames,) each: 1 at the seam, flat there and at its reach; 0 at the seam, of slope 1 per second there."""
    frames = loop_frames(loop)
    number = np.arange(len(loop), dtype=np.float64)
    from_seam = number - frames * np.round(number / frames)
    reach = max(1.0, min(REACH / loop.frame_time, 0.5 * frames))
    share = np.minimum(np.abs(from_seam) / reach, 1.0)
    return (1.0 - share) ** 2 * (1.0 + 2.0 * share), from_seam * loop.frame_time * (1.0 - share) ** 2


def _spread(shape: Floats, amount: Floats) -> Floats:
    return np.asarray(shape[:, None, None] * amount)


def chained(loops: Sequence[Clip]) -> Clip:
    """Loops one behind the other, each from where the one before leads to, and the first frame of the first at last."""
    place, roots, rotations, moving = np.zeros(3), [], [], []
    parts = [(loop, loop_frames(loop)) for loop in loops] + [(loops[0], 1)]
    for loop, frames in parts:
        require_compatible(loops[0].skeleton, loop.skeleton, loops[0].name or "the first loop", loop.name or "a later")
        start = played(loop, 1).root[0] * (np.arange(3) != loop.up_index)
        root = loop.root[:frames] - start + place
        place = place + played(loop, 1, loop_frames(loop)).root[0] * (np.arange(3) != loop.up_index) - start
        roots.append(root)
        rotations.append(loop.rotations[:frames])
        if loop.joint_translations is not None:
            moving.append(np.concatenate([root[:, None], loop.joint_translations[:frames, 1:]], axis=1))
    return loops[0].changed(
        root=np.concatenate(roots),
        rotations=continuous(np.concatenate(rotations)),
        joint_translations=np.concatenate(moving) if len(moving) == len(parts) else None,
    )
