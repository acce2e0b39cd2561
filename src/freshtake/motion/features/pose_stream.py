"""Rows of a stream as poses, each block going on where the one before it ended: as `decode`, without its checks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freshtake.motion.clip import Clip
from freshtake.motion.features.clip_features import ClipLayout, Pose
from freshtake.motion.features.coding import decode, where_it_ends
from freshtake.motion.features.ground import Start
from freshtake.motion.features.pose_kernel import PoseCoding, pose_rows
from freshtake.motion.features.recipes import Recipe
from freshtake.numeric.arrays import Floats


class PoseStream:
    """Where a stream has come to. Rows must be finite (frames, DOFs), in the scale of the recipe's columns."""

    def __init__(self, recipe: Recipe) -> None:
        layout = recipe.layout
        assert isinstance(layout, ClipLayout)
        self._recipe, self._layout = recipe, layout
        self._usual = layout.root == "heading" and layout.angles == "expmap" and not layout.moving
        if self._usual:
            self._coding = PoseCoding(layout.reference, layout.upright, layout.up_index, layout.frame_time)
            self._place = np.zeros(3)
        self._start, self._resume = Start(), False
        self._first: Clip | None = None

    def next(self, rows: Floats) -> Pose:
        """The poses of rows that follow those before."""
        if self._usual:
            values = self._recipe.fill(rows)
            pose = Pose(np.empty((len(rows), 3)), np.empty((len(rows), len(self._layout.skeleton), 4)), None)
            pose_rows(values, self._coding, self._place, self._resume, pose.root, pose.rotations)
        else:
            clip = decode(self._recipe, rows, start=self._start, resume=self._resume)
            assert isinstance(clip, Clip)
            self._start = where_it_ends(self._recipe, rows, start=self._start, resume=self._resume)
            pose = Pose(clip.root, clip.rotations, clip.joint_translations)
        self._resume = True
        return pose

    def clips(self, pose: Pose) -> Iterator[Clip]:
        """Poses, as they came from `next` or planted since then, as one-frame clips."""
        if len(pose.root) == 0:
            return iter(())
        if self._first is None:
            layout = self._layout
            self._first = Clip(layout.skeleton, layout.frame_time, *pose, up=layout.up, unit_m=layout.unit_m)
        return self._first.posed_frames(*pose)
