"""Takes from several files combined: different rest poses are refused, different body sizes are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freshtake import samples
from freshtake.errors import SkeletonMismatch
from freshtake.methods.gathering import gathered
from freshtake.motion import Clip
from freshtake.motion.edit import scaled


def other_rest(clip: Clip, joint: str, direction: list[float]) -> Clip:
    """The same rotations on a skeleton with one bone pointing another way."""
    offsets = clip.skeleton.offsets.copy()
    number = clip.skeleton.index(joint)
    offsets[number] = np.linalg.norm(offsets[number]) * np.array(direction)
    return clip.changed(skeleton=replace(clip.skeleton, offsets=offsets), name="other")


def test_the_same_joints_with_other_rest_poses_are_refused() -> None:
    walk = samples.walk(np.random.default_rng(0)).changed(name="walk")
    t_pose = other_rest(walk, "LeftForeArm", [1.0, 0.0, 0.0])
    with pytest.raises(SkeletonMismatch, match=r"other and walk .*LeftForeArm points another way.* retarget"):
        gathered([walk, t_pose], print)
    nearly = other_rest(walk, "LeftForeArm", [np.sin(0.3), -np.cos(0.3), 0.0])
    short = other_rest(walk, "LeftToeBase", [1.0, 0.0, 0.0])
    assert len(gathered([walk, scaled(walk, 1.2), nearly, short], print)) == 4
