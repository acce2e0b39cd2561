"""Measure clips in sequence: steps at the joins, and copied frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.evaluation.dofs import pose_angles, without_heading
from freshtake.evaluation.novelty import EXACT
from freshtake.evaluation.tracks import foot_joints
from freshtake.motion import Clip
from freshtake.motion.cycles.looping import loop_frames, played
from freshtake.motion.cycles.seams import steps_of
from freshtake.numeric.arrays import Floats


class Pace(NamedTuple):
    """How fast clips are: the 99th percentile of the joints' mean step, the largest foot speed and acceleration.

    For loops and joins, the figures are fractions of the inputs'.
    """

    step: float
    foot_speed: float
    acceleration: float

    def over(self, other: Pace) -> Pace:
        """Return each figure divided by the other pace's."""
        return Pace(*(value / max(other_value, 1e-12) for value, other_value in zip(self, other, strict=True)))


def pace_of(clips: Sequence[Clip]) -> Pace:
    """Return the pace of some clips together."""
    steps = np.concatenate([steps_of(clip).step for clip in clips])
    quickest = [_quickest(clip.positions(), clip) for clip in clips]
    return Pace(float(np.percentile(steps, 99.0)), *(max(part) for part in zip(*quickest, strict=True)))


def _quickest(places: Floats, clip: Clip) -> tuple[float, float]:
    """Return the largest speed of a foot and the largest acceleration of any joint, from joint positions."""
    speeds = np.diff(places, axis=0) / clip.frame_time
    feet = list(foot_joints(clip.skeleton)) or list(clip.skeleton.body())
    bends = np.diff(speeds, axis=0)[:, clip.skeleton.body()] / clip.frame_time
    return float(_length(speeds[:, feet]).max(initial=0.0)), float(_length(bends).max(initial=0.0))


def _length(vectors: Floats) -> Floats:
    return np.asarray(np.linalg.norm(vectors, axis=-1))


def loop_pace(loop: Clip, inputs: Pace) -> Pace:
    """Return the pace of a loop including its seam; the step is measured at the seam."""
    frames = loop_frames(loop)
    around = played(loop, frames + 3, -1)
    seam = float(steps_of(played(loop, 2, frames - 1)).step[0])
    return Pace(seam, *_quickest(around.positions(), loop)).over(inputs)


def join_pace(loops: Sequence[Clip], inputs: Pace) -> Pace:
    """Return the largest step, foot speed and acceleration when any of the loops follows any other or itself."""
    ends = [_ends(loop) for loop in loops]
    before, after = np.stack([end[:2] for end in ends]), np.stack([end[2:] for end in ends])
    first, body = loops[0], list(loops[0].skeleton.body())
    feet = list(foot_joints(first.skeleton)) or body
    step = foot = bend = 0.0
    for leaving in before:
        places = np.concatenate([np.broadcast_to(leaving, (len(loops), *leaving.shape)), after], axis=1)
        speeds = np.diff(places, axis=1) / first.frame_time
        step = max(step, float(_length(speeds[:, 1][:, body]).mean(axis=1).max()) * first.frame_time)
        foot = max(foot, float(_length(speeds[:, :, feet]).max()))
        bend = max(bend, float(_length(np.diff(speeds, axis=1)[:, :, body]).max()) / first.frame_time)
    return Pace(step, foot, bend).over(inputs)


def _ends(loop: Clip) -> Floats:
    """Return (4, joints, 3): the last two and the first two frames, from the ground position at the seam."""
    frames = loop_frames(loop)
    out = []
    for clip, seam in ((played(loop, 3, frames - 2), 2), (played(loop, 2), 0)):
        place = clip.root[seam].copy()
        place[clip.up_index] = 0.0
        out.append(clip.positions()[:2] - place)
    return np.concatenate(out)


def copied_share(clip: Clip, inputs: Sequence[Clip]) -> float:
    """Return the fraction of frames whose joints all equal an input frame's joints, apart from the heading."""
    turns = without_heading(clip)
    nearest = [pose_angles(turns, without_heading(other)).min(axis=1) for other in inputs]
    return float((np.min(nearest, axis=0) <= EXACT).mean())
