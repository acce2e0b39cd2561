"""The body and the settings as plain arrays, and the frames that planting works on: what the frame kernel sees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.body.limbs import Limb
from freshtake.motion.planting.settings import Pace
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats, Ints

LINKS = 2  # at most, of one joint


class Bones(NamedTuple):
    """Limbs: the joints from the root to the last point of each, and where hip, knee, ankle and toe are among them.

    `path` (limbs, joints) is filled up with -1, `at` (limbs, 4) has -1 where there is no toe. `hinge` (limbs, 3) is
    the knee's axis in its own frame, flexion positive, 0 where none is known. `reach` (limbs, 2) is the range of the
    distance from hip to ankle, in the length of the straight limb. `upright` (limbs,) says which ends keep their
    direction in the world. The rest is what hips and ankles can do, 0 links: anything (see limb_ranges).
    """

    path: Ints
    at: Ints
    hinge: Floats
    reach: Floats
    upright: Ints
    links: Ints  # (limbs, 2): of hip and ankle
    reference: Floats  # (limbs, 2, links, 4)
    basis: Floats  # (limbs, 2, links, 3, 3)
    low: Floats  # (limbs, 2, 3 links)
    high: Floats


class Ground(NamedTuple):
    """The vertical axis, the leg's length, the pelvis, and per leg the heights of heel and toe when they stand.

    `below` (legs,) is how far the ankle of a flat foot is above its toe, `soles` (legs, 2, 2) are the least and the
    greatest height of heel and toe.
    """

    up: int
    leg: float
    pelvis: int
    below: Floats
    soles: Floats


class Frames(NamedTuple):
    """Frames first, legs second. `strength` is how surely heel and toe stand, 0 to 1.

    `points` are hip, ankle, heel and toe in the world; `over` says where the pelvis is over the foot; `raw` is 0 in the
    air, 1 where a contact may go on and 2 where it may begin; `stands` are the contacts of heel and toe; `age` counts
    the frames of a contact, -1 in the air; `pivot` is the path in the ground plane of what the foot stands on;
    `longest` is how far the leg may stretch from hip to ankle; `lifts` are how far up the foot must go at least, and
    by how much (0 or less) it comes to the floor that it stands on.
    """

    root: Floats
    rotations: Floats
    strength: Floats
    points: Floats
    over: Ints
    raw: Ints
    stands: Ints
    age: Ints
    pivot: Floats
    longest: Floats
    lifts: Floats


class Memory(NamedTuple):
    """What is kept from frame to frame: the last three offsets of every foot and of the root, centers of contacts.

    `offsets` (legs, 3, 3) and `sinks` (3, 1), newest first; `known` (1,) says how many there are; `centers` (legs, 2).
    """

    offsets: Floats
    sinks: Floats
    known: Ints
    centers: Floats


class Scene(NamedTuple):
    """What the plans of feet and hips see."""

    ground: Ground
    pace: Pace
    frames: Frames
    memory: Memory


class PelvisFrame(NamedTuple):
    """What feet are measured from: the pelvis, by its place on the way to a foot, without its heading."""

    pelvis: int
    up: int
    leg: float  # a leg's length
    facing: Floats  # (4,): the rotation from which headings are measured


class PlantedFrames(NamedTuple):
    """Planted frames, how firmly legs are held (frames, legs) and by how much their goals were missed."""

    root: Floats
    rotations: Floats
    contact_strengths: Floats
    missed: Floats


def make_bones(skeleton: Skeleton, limbs: tuple[Limb, ...]) -> Bones:
    """The limbs as arrays."""
    paths = [skeleton.chain(limb.points[-1]) for limb in limbs]
    longest = max((len(path) for path in paths), default=1)
    path = np.full((len(limbs), longest), -1, dtype=np.intp)
    at = np.full((len(limbs), 4), -1, dtype=np.intp)
    ends = np.zeros((len(limbs), 2), dtype=np.intp)
    reference, basis = np.zeros((len(limbs), 2, LINKS, 4)), np.zeros((len(limbs), 2, LINKS, 3, 3))
    low, high = np.zeros((len(limbs), 2, 3 * LINKS)), np.zeros((len(limbs), 2, 3 * LINKS))
    for number, limb in enumerate(limbs):
        path[number, : len(paths[number])] = paths[number]
        for k, joint in enumerate((limb.upper, limb.middle, *limb.points)):
            at[number, k] = paths[number].index(joint)
        for k, chain in enumerate((limb.base, limb.ankle)):
            if chain is not None:
                count = len(chain.reference)
                ends[number, k] = count
                reference[number, k, :count], basis[number, k, :count] = chain.reference, chain.basis
                low[number, k, : 3 * count], high[number, k, : 3 * count] = chain.low, chain.high
    hinge = np.array([limb.hinge for limb in limbs]).reshape(-1, 3)
    reach = np.array([limb.reach for limb in limbs]).reshape(-1, 2)
    upright = np.array([limb.is_leg for limb in limbs], dtype=np.intp)
    return Bones(path, at, hinge, reach, upright, ends, reference, basis, low, high)


def empty_frames(count: int, joints: int, legs: int) -> Frames:
    """Frames that nothing is known of yet."""
    return Frames(
        np.empty((count, 3)), np.empty((count, joints, 4)), np.empty((count, legs, 2)), np.empty((count, legs, 4, 3)),
        np.zeros((count, legs), dtype=np.int8), np.zeros((count, legs, 2), dtype=np.int8),
        np.zeros((count, legs, 2), dtype=np.int8),
        np.full((count, legs), -1, dtype=np.int32), np.zeros((count, legs, 2)),
        np.zeros((count, legs)), np.zeros((count, legs, 2)),
    )  # fmt: skip


def fresh_memory(legs: int) -> Memory:
    """Before the first frame."""
    return Memory(np.zeros((legs, 3, 3)), np.zeros((3, 1)), np.zeros(1, dtype=np.intp), np.zeros((legs, 2)))
