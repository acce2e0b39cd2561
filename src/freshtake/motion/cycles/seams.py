"""How much of a jump a loop has at its seam, in the measure of the steps that a motion takes from frame to frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.clip import Clip
from freshtake.motion.cycles.looping import loop_frames, played
from freshtake.numeric.arrays import Floats


class Steps(NamedTuple):
    """Of a clip: how far joints move on average from frame to frame (frames - 1,), and the change of it (frames - 2,).

    In the clip's unit: first and second differences of the joints' places in the world.
    """

    step: Floats
    bend: Floats


class Seam(NamedTuple):
    """The step from the last frame to the first, the travel taken into account, and the larger bend at either side."""

    step: float
    bend: float


def steps_of(clip: Clip) -> Steps:
    """All steps and bends."""
    moved = np.diff(clip.positions()[:, clip.skeleton.body()], axis=0)
    return Steps(
        np.asarray(np.linalg.norm(moved, axis=2).mean(axis=1)),
        np.asarray(np.linalg.norm(np.diff(moved, axis=0), axis=2).mean(axis=1)),
    )


def seam_of(loop: Clip) -> Seam:
    """The seam of a loop."""
    steps = steps_of(played(loop, 4, loop_frames(loop) - 2))
    return Seam(float(steps.step[1]), float(steps.bend.max()))
