"""One leg turned to its goals over some frames of a book, compiled; turning.turn_limb does the same to whole clips."""

from __future__ import annotations

import math

import numpy as np

from freshtake.motion.planting.book import Book, Rig
from freshtake.motion.planting.foot_kernels import plane_of, put_on_floor
from freshtake.motion.planting.stream_kernels import window
from freshtake.motion.planting.turning import FULL, UNMOVED
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import kernel
from freshtake.numeric.limb_kernels import turn_into
from freshtake.numeric.limb_solver import Chain, solve_next
from freshtake.numeric.link_kernels import joint_coordinates, joint_turn, nearest_turn, unturned_into


@kernel
def shift_root(rig: Rig, book: Book, begin: int, known: int, shifts: Floats, root: Floats) -> None:
    """Shifts (frames, 3) by the needs of `known` frames, and the root with drift and shift, from `begin` on."""
    a, b = plane_of(rig.up)
    for k in range(len(shifts)):
        window(book.needs, rig.carry, begin + k, known, shifts[k])
        root[k] = book.root[begin + k] + shifts[k]
        root[k, a] += book.drift[begin + k, 0]
        root[k, b] += book.drift[begin + k, 1]


@kernel
def turn_leg(
    rig: Rig, book: Book, leg: int, begin: int, shifts: Floats, chain: Chain, follower: Chain, starts: Ints,
    turning: Ints, offsets: Floats, at: Ints, w1: float, w2: float, reach: float, corrections: Floats, out: Floats,
) -> None:  # fmt: skip
    """Local rotations `out` (frames, joints, 4), which hold the sample's, from `begin` on; `corrections` is the memory.

    `starts` says where the links of every turning joint begin, with their number at the end.
    """
    count, last = rig.counts[leg], rig.joints[leg, 3]
    places, goals = np.empty((4, 3)), np.empty((count, 3))
    sample, y = np.empty(len(chain.low)), np.empty(len(chain.low))
    world, turned, wanted = np.empty(4), np.empty(4), np.empty(4)
    for k in range(len(shifts)):
        frame = begin + k
        _aim(rig, book, frame, leg, shifts[k], places, goals)
        active = np.max(np.abs(goals - places[2 : 2 + count])) > UNMOVED * chain.length
        _within_reach(places, goals, reach)
        for number in range(len(turning)):
            i, j = starts[number], starts[number + 1]
            joint_coordinates(chain.reference[i:j], chain.basis[i:j], out[k, turning[number]], sample[3 * i : 3 * j])
        solve_next(
            chain.reference, chain.basis, chain.stiffness, chain.low, chain.high, chain.length, places[0],
            book.above[frame, leg], offsets, sample, sample, goals, at, active, w1, w2, corrections, y,
        )  # fmt: skip
        if not np.any(y != sample):
            continue
        world[:] = book.above[frame, leg]
        for number in range(len(turning)):
            i, j = starts[number], starts[number + 1]
            local = out[k, turning[number]]
            joint_turn(chain.reference[i:j], chain.basis[i:j], y[3 * i : 3 * j], local)
            turn_into(world, local, turned)
            world[:] = turned
        unturned_into(world, book.last[frame, leg], wanted)
        nearest_turn(follower.reference, follower.basis, follower.low, follower.high, out[k, last], wanted)


@kernel
def _aim(rig: Rig, book: Book, frame: int, leg: int, shift: Floats, places: Floats, goals: Floats) -> None:
    """Where the leg is after the root has moved, and where its points are to be."""
    a, b = plane_of(rig.up)
    count = rig.counts[leg]
    for part in range(4):
        places[part] = book.places[frame, leg, part] + shift
        places[part, a] += book.drift[frame, 0]
        places[part, b] += book.drift[frame, 1]
    for point in range(count):
        goals[point] = book.goals[frame, leg, point] + (1.0 - book.taken[frame, leg, 2]) * shift
    put_on_floor(goals, places[2:4], count, rig.up, rig.floors[leg], rig.leg)


@kernel
def _within_reach(places: Floats, goals: Floats, reach: float) -> None:
    """See turning.within_reach; in place."""
    line = goals[0] - places[0]
    upper, lower, usual = places[1] - places[0], places[2] - places[1], places[2] - places[0]
    full = FULL * (math.sqrt(np.dot(upper, upper)) + math.sqrt(np.dot(lower, lower)))
    begin = min(max(math.sqrt(np.dot(usual, usual)), reach * full), full)
    asked = math.sqrt(np.dot(line, line))
    if asked > begin:
        room = max(full - begin, 1e-12)
        given = begin + room * (1.0 - math.exp(-(asked - begin) / room))
        back = line * (given / max(asked, 1e-12) - 1.0)
        for point in range(len(goals)):
            goals[point] += back
