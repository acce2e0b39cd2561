"""The body as the guards see it: limbs that bend, joints that count, and segments that keep clear of each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.motion.body.limbs import limb_joints
from freshtake.motion.body.roles import HEAD, HELPER, TRUNK, body_parts, feet
from freshtake.motion.clip import Clip
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import inverse, rotate

ARM, LEG = 0, 1


class BodyPlan(NamedTuple):
    """What the kernel reads.

    `limbs` (limbs, 3) are hip, knee, ankle or shoulder, elbow, hand; `frames` (limbs, 3, 3) the directions along the
    upper segment, in which the limb bends and sideways of it, in the frame of the upper joint. `counted` (joints,) is
    0 for joints that are no part of the body, 2 for feet, else 1. `pairs` (pairs, 5) are the ends of two segments, and
    whether they are of an arm (0) or of legs (1).
    """

    parents: Ints
    limbs: Ints
    frames: Floats
    counted: Ints
    pairs: Ints
    up: int


def body_plan(clips: Sequence[Clip]) -> BodyPlan:
    """The plan of a body, with the ways in which limbs bend learned from clips."""
    skeleton = clips[0].skeleton
    limbs = limb_joints(skeleton)
    worlds = [clip.world() for clip in clips]
    positions = np.concatenate([world.positions for world in worlds])
    rotations = np.concatenate([world.rotations for world in worlds])
    joints = np.array([limb[:3] for _, limb, _ in limbs], dtype=np.intp).reshape(-1, 3)
    frames = np.array([_bending(positions, rotations, *limb) for limb in joints.tolist()]).reshape(-1, 3, 3)
    legs, arms = ([limb for _, limb, is_leg in limbs if is_leg is wanted] for wanted in (True, False))
    return BodyPlan(
        np.ascontiguousarray(skeleton.parents, dtype=np.intp), joints, frames, _counted(skeleton),
        _pairs(skeleton, legs, arms), clips[0].up_index,
    )  # fmt: skip


def _bending(positions: Floats, rotations: Floats, upper: int, middle: int, end: int) -> Floats:
    """Right-handed directions (3, 3) of a limb in the frame of its upper joint: along it, in its bend, sideways."""
    back = inverse(rotations[:, upper])
    along = rotate(back, positions[:, middle] - positions[:, upper]).mean(axis=0)
    along /= max(float(np.linalg.norm(along)), 1e-12)
    lower = rotate(back, positions[:, end] - positions[:, middle]).mean(axis=0)
    bend = lower - (lower @ along) * along
    size = float(np.linalg.norm(bend))
    if size <= 1e-9 * float(np.linalg.norm(lower)):  # a limb that is always straight bends in no way
        bend = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
        size = float(np.linalg.norm(bend))
    bend = bend / max(size, 1e-12)
    return np.stack([along, bend, np.cross(along, bend)])


def _counted(skeleton: Skeleton) -> Ints:
    """Without targets of inverse kinematics and other helpers, and what hangs on them."""
    counted = np.ones(len(skeleton), dtype=np.intp)
    carried = () if skeleton.base is None else skeleton.base.carried
    for foot in feet(skeleton):
        counted[list(foot.joints)] = 2
    for joint, name in enumerate(skeleton.names):
        if joint in carried or HELPER.search(name):
            counted[skeleton.descendants(joint)] = 0
    return counted


def _pairs(skeleton: Skeleton, legs: Sequence[tuple[int, ...]], arms: Sequence[tuple[int, ...]]) -> Ints:
    """Forearms and hands against trunk and head, and the shanks of two legs against each other."""
    pairs: list[tuple[int, ...]] = []
    for arm in arms:
        forearm = [(arm[1], arm[2]), *_segments(skeleton, skeleton.descendants(arm[2])[1:3])]
        middle = _segments(skeleton, _middle(skeleton, arm[0]))
        pairs += [(*segment, *other, ARM) for segment in forearm for other in middle]
    if len(legs) == 2:
        pairs.append((*legs[0][1:3], *legs[1][1:3], LEG))
    return np.array(pairs, dtype=np.intp).reshape(-1, 5)


def _middle(skeleton: Skeleton, arm: int) -> list[int]:
    """The joints of the trunk on the way to an arm, and those of the neck on the way to the head."""
    parts = body_parts(skeleton)
    heads = [j for j, name in enumerate(skeleton.names) if parts[j] == HEAD and re.search("head", name, re.I)]
    trunk = [joint for joint in skeleton.chain(arm) if parts[joint] == TRUNK]
    return trunk + [joint for joint in skeleton.chain(heads[0]) if parts[joint] == HEAD] if heads else trunk


def _segments(skeleton: Skeleton, joints: Sequence[int]) -> list[tuple[int, int]]:
    """Parents and joints that are not in one place."""
    lengths = skeleton.lengths()
    return [(int(skeleton.parents[joint]), joint) for joint in joints if joint > 0 and lengths[joint] > 0]
