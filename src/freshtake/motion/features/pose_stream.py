"""Decode rows of a stream to poses, continuing the previous block: like `decode`, but compiled and without checks."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from freshtake.motion.clip import Clip
from freshtake.motion.features.angles import Start
from freshtake.motion.features.clip_features import ClipLayout, Pose
from freshtake.motion.features.coding import Recipe, decode, where_it_ends
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled, uncounted
from freshtake.numeric.limb_kernels import exponential_into, turn_into


class PoseCoding(NamedTuple):
    """References for decoding rows."""

    reference: Floats  # (joints, 4): mean rotations
    upright: Floats  # (4,), for the root
    up: int
    frame_time: float


@compiled
def pose_rows(values: Floats, coding: PoseCoding, begin: Floats, resume: bool, root: Floats, rotations: Floats) -> None:
    """Decode all columns (frames, columns) to root (frames, 3) and rotations (frames, joints, 4), in place.

    The columns are forward and sideways speed, turn rate, height, two swings of the root, then three numbers for every
    other joint. `begin` (3,) is forward, sideways (see `ground_of`) and heading at the start, one step before row
    0 when resuming; it is overwritten with the values of the last row. The result equals `ClipLayout.pose`, frame by
    frame.
    """
    _pose_rows(values, coding, begin, resume, np.zeros(4), np.zeros(3), root, rotations)


@uncounted
def _pose_rows(
    values: Floats, coding: PoseCoding, begin: Floats, resume: bool, turn: Floats, vector: Floats, root: Floats,
    rotations: Floats,
) -> None:  # fmt: skip
    """Decode frame by frame; `turn` and `vector` are workspaces, initially 0."""
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
        exponential_into(vector, pose[0])
        turn_into(turn, pose[0], pose[0])
        turn_into(pose[0], upright, pose[0])
        for joint in range(1, joints):
            exponential_into(row[3 + 3 * joint : 6 + 3 * joint], pose[joint])
            turn_into(reference[joint], pose[joint], pose[joint])
    begin[0], begin[1], begin[2] = begin[0] + x, begin[1] + y, begin[2] + heading


class PoseStream:
    """The position of a stream. Rows must be finite (frames, DOFs), in the scale of the recipe's columns."""

    def __init__(self, recipe: Recipe) -> None:
        layout = recipe.layout
        assert isinstance(layout, ClipLayout)
        self._recipe, self._layout = recipe, layout
        self._place, self._start, self._resume = np.zeros(3), Start(), False
        self._first: Clip | None = None

    def next(self, rows: Floats) -> Pose:
        """Return the poses of rows that continue the previous ones."""
        if self._layout.usual:
            pose = self._layout.poses(self._recipe.fill(rows), self._place, self._resume)
        else:
            clip = decode(self._recipe, rows, start=self._start, resume=self._resume)
            assert isinstance(clip, Clip)
            self._start = where_it_ends(self._recipe, rows, start=self._start, resume=self._resume)
            pose = Pose(clip.root, clip.rotations, clip.joint_translations)
        self._resume = True
        return pose

    def clips(self, pose: Pose) -> Iterator[Clip]:
        """Return poses from `next`, possibly planted in the meantime, as one-frame clips."""
        if len(pose.root) == 0:
            return iter(())
        if self._first is None:
            layout = self._layout
            self._first = Clip(layout.skeleton, layout.frame_time, *pose, up=layout.up, unit_m=layout.unit_m)
        return self._first.posed_frames(*pose)
