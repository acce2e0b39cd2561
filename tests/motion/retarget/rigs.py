"""Sample rigs with the rest pose that their files would state, and the same rigs with other frames."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from freshtake import samples
from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.retarget import Rig, Stated, make_rig
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import inverse, multiply, normalize, rotate
from freshtake.samples.rigs import rig


@cache
def walk() -> Clip:
    return samples.walk(np.random.default_rng(3), cycles=1.5)


@cache
def performer() -> Rig:
    return make_rig(walk())


def stated(clip: Clip) -> Stated:
    pose = clip.world()
    return Stated(pose.positions[0], pose.rotations[0])


@cache
def sample_rig(name: str) -> Rig:
    return rig_of(rig(name))


def rig_of(clip: Clip) -> Rig:
    return make_rig(clip, stated(clip))


def other_frames(clip: Clip, rng: np.random.Generator) -> tuple[Clip, Floats]:
    """The same positions with every joint's frame rotated at random, and those rotations (joints, 4)."""
    skeleton = clip.skeleton
    turns = normalize(rng.normal(size=(len(skeleton), 4)))
    above = np.concatenate([[[1.0, 0.0, 0.0, 0.0]], turns[skeleton.parents[1:]]])
    sites = [
        (s.joint, rotate(inverse(turns[s.joint]), np.array(s.offset)).tolist(), s.name) for s in skeleton.end_sites
    ]
    changed = Skeleton(
        skeleton.names, skeleton.parents, rotate(inverse(above), skeleton.offsets),
        tuple(EndSite(joint, (x, y, z), name) for joint, (x, y, z), name in sites),
    )  # fmt: skip
    return replace(clip, skeleton=changed, rotations=multiply(multiply(inverse(above), clip.rotations), turns)), turns
