"""Rows to poses, compiled: rotation vectors about each joint's mean, speeds over the ground summed up."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled, uncounted
from freshtake.numeric.limb_kernels import turn_into


class PoseCoding(NamedTuple):
    """What rows are decoded with."""

    reference: Floats  # (joints, 4): mean rotations
    upright: Floats  # (4,): of the root
    up: int
    frame_time: float


@compiled
def pose_rows(values: Floats, coding: PoseCoding, begin: Floats, resume: bool, root: Floats, rotations: Floats) -> None:
    """All columns (frames, columns) to root (frames, 3) and rotations (frames, joints, 4).

    The columns are forward and sideways speed, turn rate, height, two swings of the root, then three numbers for every
    other joint. `begin` (3,) is forward, sideways (see ground) and heading at the start, one step before row 0 when
    resuming, and in the end those of the last row. The same as `ClipLayout.pose`, frame by frame.
    """
    _pose_rows(values, coding, begin, resume, np.zeros(4), np.zeros(3), root, rotations)


@uncounted
def _pose_rows(
    values: Floats, coding: PoseCoding, begin: Floats, resume: bool, turn: Floats, vector: Floats, root: Floats,
    rotations: Floats,
) -> None:  # fmt: skip
    """`turn` and `vector` are for work, and 0."""
    reference, upright, up, frame_time = coding
    joints = len(reference)
    x = y = heading = 0.0
    sign = 1.0 if up == 1 else -1.0
    for frame in range(len(values)):
        row, pose = values[frame], rotations[frame]
        if resume or frame > 0:
            before = begin[2] + heading
            along, across = row[0] * frame_time, row[1] * frame_time
            cosine, sine = math.cos(before), math.sin(before)
            x += along * cosine - across * sine
            y += along * sine + across * cosine
            heading += row[2] * frame_time
        root[frame, up] = row[3]
        root[frame, 0] = begin[1] + y
        root[frame, 3 - up] = (begin[0] + x) * sign
        half = 0.5 * (begin[2] + heading)
        turn[0], turn[1 + up], turn[4 - up] = math.cos(half), math.sin(half), 0.0
        vector[0], vector[up], vector[3 - up] = row[4], 0.0, row[5] * sign
        _exponential_into(vector, pose[0])
        turn_into(turn, pose[0], pose[0])
        turn_into(pose[0], upright, pose[0])
        for joint in range(1, joints):
            _exponential_into(row[3 + 3 * joint : 6 + 3 * joint], pose[joint])
            turn_into(reference[joint], pose[joint], pose[joint])
    begin[0], begin[1], begin[2] = begin[0] + x, begin[1] + y, begin[2] + heading


@uncounted
def _exponential_into(v: Floats, out: Floats) -> None:
    """out = the unit quaternion of the rotation vector v; exact at zero, as `rotations.from_rotvec`."""
    angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    factor = 0.5 if angle == 0.0 else math.sin(0.5 * angle) / angle
    out[0] = math.cos(0.5 * angle)
    for axis in range(3):
        out[1 + axis] = factor * v[axis]
