"""What a planter keeps of the frames that it has not let go of, and what it knows of the body, as plain arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.planting.grip import ramp_weights
from freshtake.motion.planting.stages import Plan
from freshtake.numeric.arrays import Floats, Ints


class Book(NamedTuple):
    """Frames first, legs second; of a foot without toe the second point is not used.

    `places` are hip, knee, ankle and toe in the world, `above` and `last` world rotations of what the leg hangs on and
    of its last joint. `taken` holds the foot's slide (2), its grip, the ankle's slide (2), its grip, and the foot's
    slide once the root has drifted (2).
    """

    root: Floats
    rotations: Floats
    places: Floats
    above: Floats
    last: Floats
    flags: Floats
    grips: Floats
    lifts: Floats
    taken: Floats
    summed: Floats
    drift: Floats
    goals: Floats
    needs: Floats


class Rig(NamedTuple):
    """The body: per leg the number of points, hip, knee, ankle and last joint, and the way to it from the root.

    Then the rest offsets, the floor below each point, the vertical axis, the leg's length, band and step of the
    settings, the raised cosines of ramp, follow, settle and carry, and the frames over which the drift is forgotten.
    """

    counts: Ints
    joints: Ints
    paths: Ints
    offsets: Floats
    floors: Floats
    up: int
    leg: float
    band: float
    step: float
    ramp: Floats
    follow: Floats
    settle: Floats
    carry: Floats
    forget: float


def empty_book(joints: int, legs: int) -> Book:
    """No frames yet."""
    shapes = ((3,), (joints, 4), (legs, 4, 3), (legs, 4), (legs, 4), (legs, 2), (legs, 2), (legs, 2), (legs, 8))
    rest = ((2,), (2,), (legs, 2, 3), (3,))
    return Book(*[np.zeros((0, *shape)) for shape in (*shapes, *rest)])


def grown(book: Book, drop: int, more: int) -> Book:
    """A copy without the first `drop` frames and with room for `more`."""
    kept = len(book.root) - drop
    out = []
    for old in book:
        new = np.zeros((kept + more, *old.shape[1:]))
        new[:kept] = old[drop:]
        out.append(new)
    return Book(*out)


def make_rig(ready: Plan) -> Rig:
    """The constants of a plan."""
    legs, skeleton, pace = ready.legs, ready.skeleton, ready.pace
    ways = [skeleton.chain(leg.points[-1]) for leg in legs]
    paths = np.full((len(legs), max(map(len, ways))), -1, dtype=np.intp)
    floors = np.zeros((len(legs), 2))
    for number, way in enumerate(ways):
        paths[number, : len(way)] = way
        floors[number, : len(ready.grounds[number].floor)] = ready.grounds[number].floor
    return Rig(
        np.array([len(leg.points) for leg in legs], dtype=np.intp),
        np.array([(leg.upper, leg.middle, leg.end, leg.points[-1]) for leg in legs], dtype=np.intp),
        paths, np.array(skeleton.offsets), floors, ready.grounds[0].up, ready.grounds[0].leg,
        ready.settings.band, ready.settings.step, ramp_weights(pace.ramp), ramp_weights(pace.follow),
        ramp_weights(pace.settle), ramp_weights(pace.carry), pace.forget,
    )  # fmt: skip
