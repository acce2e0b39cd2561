"""The stages that clips and streams share: points and grips of the feet, their goals, the root, the limbs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.body import Foot, leg_length
from freshtake.motion.limbs import Limb
from freshtake.motion.planting.carrying import Hip
from freshtake.motion.planting.flags import flags_of_points
from freshtake.motion.planting.goals import Ground, sole_heights
from freshtake.motion.planting.groundwork import Groundwork
from freshtake.motion.planting.settings import Pace, PlantSettings, pace
from freshtake.motion.planting.turning import FULL, Poses
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.kinematics import forward

NO_LEGS = "the skeleton has no legs that can be recognized: name their joints in a mapping"


class Plan(NamedTuple):
    """What does not change from frame to frame."""

    skeleton: Skeleton
    limbs: tuple[Limb, ...]
    feet: tuple[Foot, ...]
    grounds: tuple[Ground, ...]
    settings: PlantSettings
    pace: Pace

    @property
    def legs(self) -> tuple[Limb, ...]:
        """The limbs that stand."""
        return tuple(limb for limb in self.limbs if limb.is_leg)

    def grips(self, positions: Floats, flags: Floats) -> list[Floats]:
        """Per foot (frames, points): how far flags hold its heel and its toe, by positions (frames, joints, 3)."""
        pairs = zip(self.feet, self.grounds, strict=True)
        heights = [sole_heights(positions[:, list(foot.joints)], ground) for foot, ground in pairs]
        return flags_of_points(flags, self.feet, heights, self.grounds[0].leg if self.grounds else 1.0)

    @property
    def leash(self) -> float:
        """In the skeleton's unit."""
        return self.settings.leash * (self.grounds[0].leg if self.grounds else 1.0)


def make_plan(base: Groundwork, frame_time: float, settings: PlantSettings) -> Plan:
    """The groundwork with settings, for motion of a frame rate."""
    up, leg = "xyz".index(base.up), leg_length(base.skeleton)
    grounds, column = [], 0
    for foot in base.feet:
        grounds.append(Ground(up, base.floor[column : column + len(foot.joints)], leg))
        column += len(foot.joints)
    return Plan(base.skeleton, base.limbs, base.feet, tuple(grounds), settings, pace(settings, frame_time))


def posed(skeleton: Skeleton, translations: Floats, rotations: Floats) -> Poses:
    """Local translations and rotations with the world pose that they amount to."""
    return Poses(translations, rotations, forward(skeleton.parents, translations, rotations))


def moved(poses: Poses, shift: Floats) -> Poses:
    """The same poses with the root shifted (frames, 3)."""
    translations = poses.translations.copy()
    translations[:, 0] += shift
    world = poses.world._replace(positions=poses.world.positions + shift[:, None])
    return Poses(translations, poses.rotations, world)


def hip(limb: Limb, poses: Poses, goal: Floats, grip: Floats) -> Hip:
    """What the root has to know of a limb whose end is to be at `goal` (frames, 3)."""
    positions = poses.world.positions
    base, middle, end = (positions[:, joint] for joint in (limb.upper, limb.middle, limb.end))
    length = FULL * (np.linalg.norm(middle - base, axis=1) + np.linalg.norm(end - middle, axis=1))
    return Hip(base, end, goal, length, grip)
