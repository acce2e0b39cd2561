"""The stages of planting over some frames of a book, compiled: places and grips, then drift, goals and needs."""

from __future__ import annotations

import math

import numpy as np

from freshtake.motion.planting.book import Book, Rig
from freshtake.motion.planting.carrying import ROUNDS
from freshtake.motion.planting.channel import run_channel
from freshtake.motion.planting.foot_kernels import (
    flags_into,
    heights_into,
    lifts_into,
    plane_of,
    put_on_floor,
    slides_into,
)
from freshtake.motion.planting.turning import FULL
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import kernel
from freshtake.numeric.limb_kernels import carry_into, turn_into


@kernel
def window(rows: Floats, weights: Floats, frame: int, count: int, out: Floats) -> None:
    """out = the weighted mean of rows (frames, columns) round a frame, of those numbered below `count`."""
    half = len(weights) // 2
    out[:] = 0.0
    for k in range(len(weights)):
        at = min(max(frame + k - half, 0), count - 1)
        for column in range(len(out)):
            out[column] += weights[k] * rows[at, column]


@kernel
def place_leg(rig: Rig, book: Book, frame: int, leg: int) -> None:
    """Forward kinematics from the root to the leg's last joint."""
    place, turn = book.root[frame].copy(), book.rotations[frame, 0].copy()
    arm, turned = np.empty(3), np.empty(4)
    way = rig.paths[leg]
    for k in range(len(way)):
        joint = way[k]
        if joint < 0:
            break
        if k > 0:
            carry_into(turn, rig.offsets[joint], arm)
            place += arm
        if joint == rig.joints[leg, 0]:
            book.above[frame, leg] = turn if k > 0 else np.array([1.0, 0.0, 0.0, 0.0])
        if k > 0:
            turn_into(turn, book.rotations[frame, joint], turned)
            turn[:] = turned
        for part in range(4):
            if joint == rig.joints[leg, part]:
                book.places[frame, leg, part] = place
    book.last[frame, leg] = turn


@kernel
def take_in(rig: Rig, book: Book, new: int, flags: Floats, columns: Ints, begin: int, until: int) -> None:
    """Places and flags of the frames from `new` on; grips, slides and lifts of begin ... until - 1."""
    frames, legs = len(book.root), len(rig.counts)
    heights = np.empty(2)
    for frame in range(new, frames):
        for leg in range(legs):
            place_leg(rig, book, frame, leg)
            points, count = book.places[frame, leg, 2:4], rig.counts[leg]
            heights_into(points, count, rig.up, rig.floors[leg], heights)
            own = flags[frame - new, columns[leg, 0] : columns[leg, 1]]
            flags_into(own, heights, count, rig.leg, book.flags[frame, leg])
    keep = math.exp(-1.0 / rig.forget)
    for frame in range(begin, until):
        pushed = np.zeros(3)
        for leg in range(legs):
            points, count, taken = book.places[frame, leg, 2:4], rig.counts[leg], book.taken[frame, leg]
            window(book.flags[:, leg], rig.ramp, frame, frames, book.grips[frame, leg])
            grips = book.grips[frame, leg]
            slides_into(book.places[max(frame - 1, 0), leg, 2:4], points, grips, count, rig.up, rig.floors[leg], taken)
            heights_into(points, count, rig.up, rig.floors[leg], heights)
            lifts_into(heights, grips, count, rig.leg, rig.band, rig.step, book.lifts[frame, leg])
            pushed += taken[:3]
        for axis in range(2):
            before = book.summed[frame - 1, axis] if frame > 0 else 0.0
            book.summed[frame, axis] = keep * before - pushed[axis] / max(pushed[2], 1.0)


@kernel
def plan_ahead(
    rig: Rig, book: Book, channels: Floats, drifted: int, until: int, known: int, begin: int, end: int,
    ahead: int, approach: int, release: int, leash: float, reach: float,
) -> None:  # fmt: skip
    """Drift of frames drifted ... until - 1, then goals and needs of begin ... end - 1; `known` frames have grips.

    `channels` (legs, 2, numbers) are the states of the feet's offsets and are taken further.
    """
    for frame in range(drifted, until):
        if len(rig.follow) > 1:
            window(book.summed, rig.follow, frame, known, book.drift[frame])
        for leg in range(len(rig.counts)):
            taken = book.taken[frame, leg]
            for axis in range(2):
                step = book.drift[frame, axis] - book.drift[max(frame - 1, 0), axis]
                taken[6 + axis] = taken[axis] + taken[2] * step
    whole, ankle = np.empty((max(end - begin, 0), 2)), np.empty((max(end - begin, 0), 2))
    for leg in range(len(rig.counts)):
        taken = book.taken[:until, leg]
        run_channel(channels[leg, 0], taken[:, 6:8], taken[:, 2], begin, end, ahead, approach, release, leash, whole)
        run_channel(channels[leg, 1], taken[:, 3:5], taken[:, 5], begin, end, ahead, approach, release, leash, ankle)
        for frame in range(begin, end):
            _goals(rig, book, frame, leg, known, whole[frame - begin], ankle[frame - begin])
    for frame in range(begin, end):
        _needs(rig, book, frame, reach)


@kernel
def _goals(rig: Rig, book: Book, frame: int, leg: int, known: int, whole: Floats, ankle: Floats) -> None:
    """See goals.foot_goals."""
    a, b = plane_of(rig.up)
    points, goals, lifts = book.places[frame, leg, 2:4].copy(), book.goals[frame, leg], np.empty(2)
    window(book.lifts[:, leg], rig.settle, frame, known, lifts)
    for point in range(rig.counts[leg]):
        points[point, a] += book.drift[frame, 0]
        points[point, b] += book.drift[frame, 1]
        goals[point] = points[point]
        goals[point, a] += whole[0] + (ankle[0] if point == 0 else 0.0)
        goals[point, b] += whole[1] + (ankle[1] if point == 0 else 0.0)
        goals[point, rig.up] += lifts[point]
    put_on_floor(goals, points, rig.counts[leg], rig.up, rig.floors[leg], rig.leg)


@kernel
def _needs(rig: Rig, book: Book, frame: int, reach: float) -> None:
    """See carrying.needed_shift."""
    a, b = plane_of(rig.up)
    line, shift = np.empty(3), book.needs[frame]
    shift[:] = 0.0
    for _ in range(ROUNDS):
        for leg in range(len(rig.counts)):
            places = book.places[frame, leg]
            length = FULL * (_apart(places[0], places[1]) + _apart(places[1], places[2]))
            line[:] = book.goals[frame, leg, 0] - places[0] - shift
            line[a] -= book.drift[frame, 0]
            line[b] -= book.drift[frame, 1]
            distance = math.sqrt(line[0] ** 2 + line[1] ** 2 + line[2] ** 2)
            free = max(reach * length, min(_apart(places[2], places[0]), length))
            shift += line * (book.taken[frame, leg, 2] * max(distance - free, 0.0) / max(distance, 1e-12))


@kernel
def _apart(a: Floats, b: Floats) -> float:
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)
