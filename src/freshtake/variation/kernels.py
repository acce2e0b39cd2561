"""The inner loop of synthesis: one block of frames for one character."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import kernel
from freshtake.variation.interpolation import add_row, read_nodes, smooth_values, wrapped


class Tables(NamedTuple):
    """What synthesis reads: the examples' rows one after the other, split into a smooth part and detail."""

    low: Floats  # (rows, dofs): smooth part
    detail: Floats  # (rows, dofs): the rest
    slope: Floats  # (rows, dofs): change of the smooth part per frame
    firsts: Ints  # (examples,): first row of each
    counts: Ints  # (examples,): rows of each
    places: Floats  # (phases, examples): see alignment
    periods: Floats  # (examples,): frames of a cycle
    weights: Floats  # (dofs,)
    rates: Ints  # (dofs,): 1 for speeds, which scale with the pace
    profile: Floats  # (phases, dofs): how far examples lie apart at each phase
    apart: Floats  # (dofs,): the same over all phases, as sums of squares
    parent_starts: Ints  # (dofs + 1,)
    parents: Ints  # parent DOFs of all nodes
    cyclic: bool


class Noise(NamedTuple):
    """The random part of a block: knots of smooth processes, the first of each with its number."""

    slow: Floats  # (knots, examples, dofs + 1): shares; the last column is common to all nodes
    fast: Floats  # (knots, examples, dofs + 1)
    leads: Floats  # (knots, dofs): timing of the nodes
    strays: Floats  # (knots, dofs): deviations that no example has
    tempo: Floats  # (knots, 1)
    start: Floats  # (examples, dofs + 1): shares at the start, from the prior network
    slow_first: int
    fast_first: int
    slow_spacing: float  # frames
    fast_spacing: float
    fade: float  # frames after which the start has lost most of its say


REACH = 4  # frames to either side in which a node looks for its place in an example
WINDOW = 2 * REACH + 1
EVERY = 2  # frames between looks
ENDING = 12.0  # frames


@kernel
def shares_at(
    noise: Noise, t: float, amount: float, detail: float, mix: Floats, room: Floats, out: Floats
) -> None:  # fmt: skip
    """Shares (examples, dofs + 1) of the examples in every node and, last, in what all nodes have in common.

    W_l = 1/L + amount g_l / sqrt(L - 1),  sum_l g_l = 0: with amount 1 the mixture varies like a further take. g is a
    slow and a fast smooth process; the slow one begins with what the prior network said. `room` (2, dofs + 1).
    In the last column W_l = 1/L + detail sqrt(1 - 1/L) g_l / |g|: with detail 1 the squares of its shares sum to 1 too.
    What agrees between the examples then keeps its size, and so does what does not.
    """
    examples, columns = out.shape
    fade = np.exp(-t / noise.fade)
    field = np.sqrt(1.0 - fade * fade)
    value, mean = room[0], room[1]
    mean[:] = 0.0
    for k in range(examples):
        start, row = noise.start[k], out[k]
        smooth_values(noise.slow[:, k], t, noise.slow_spacing, noise.slow_first, row)
        smooth_values(noise.fast[:, k], t, noise.fast_spacing, noise.fast_first, value)
        for i in range(columns):
            row[i] = mix[0] * (field * row[i] + fade * start[i]) + mix[1] * value[i]
            mean[i] += row[i] / examples
    size = amount / np.sqrt(max(examples - 1.0, 1.0))
    for k in range(examples):
        row = out[k]
        for i in range(columns):
            row[i] = size * (row[i] - mean[i])
    norm = 0.0
    for k in range(examples):
        norm += out[k, columns - 1] * out[k, columns - 1]
    rescale = detail * np.sqrt((1.0 - 1.0 / examples) / max(norm, 1e-24))
    for k in range(examples):
        row = out[k]
        row[columns - 1] *= rescale
        for i in range(columns):
            row[i] += 1.0 / examples


@kernel
def place_and_pace(places: Floats, periods: Floats, tau: float, cyclic: bool, out: Floats, pace: Floats) -> None:
    """Frame of every example at phase tau, and how fast it passes there (frames per phase)."""
    last = places.shape[0] - 1
    turns = 0.0
    if cyclic:
        turns = np.floor(tau / last)
        tau -= turns * last
    low = min(max(int(np.floor(tau)), 0), last - 1)
    t = tau - low
    for k in range(places.shape[1]):
        b, c = places[low, k], places[low + 1, k]
        if low > 0:
            a = places[low - 1, k]
        elif cyclic:
            a = places[last - 1, k] - periods[k]
        else:
            a = 2 * b - c
        if low + 2 <= last:
            d = places[low + 2, k]
        elif cyclic:
            d = places[1, k] + periods[k]
        else:
            d = 2 * c - b
        out[k] = (
            turns * periods[k] + b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
        )
        pace[k] = 0.5 * (c - a + 2 * t * (2 * a - 5 * b + 4 * c - d) + 3 * t * t * (3 * (b - c) + d - a))


class Room(NamedTuple):
    """Arrays to work in, one allocation per block."""

    place: Floats  # (examples,): common place in each example before the frame
    pace: Floats
    next_place: Floats  # after it
    next_pace: Floats
    shares: Floats  # (examples, dofs + 1)
    two: Floats  # (2, dofs + 1)
    leads: Floats  # (dofs,)
    strays: Floats
    found: Floats  # (examples, dofs)
    window: Floats  # (dofs + 1, examples * WINDOW)
    totals: Floats  # (examples * WINDOW, dofs)
    four: Floats  # (4, dofs)
    absolute: Floats  # (dofs,)
    delta: Floats
    fine: Floats
    before: Floats
    after: Floats


@kernel
def make_room(examples: int, dofs: int) -> Room:
    """Room for one character."""
    return Room(
        np.empty(examples), np.empty(examples), np.empty(examples), np.empty(examples),
        np.empty((examples, dofs + 1)), np.empty((2, dofs + 1)), np.empty(dofs), np.empty(dofs),
        np.zeros((examples, dofs)), np.empty((dofs + 1, examples * WINDOW)), np.empty((examples * WINDOW, dofs)),
        np.empty((4, dofs)),
        np.empty(dofs), np.empty(dofs), np.empty(dofs), np.empty(dofs), np.empty(dofs),
    )  # fmt: skip


@kernel
def window_distances(y: Floats, velocity: Floats, tables: Tables, place: Floats, weight: float, out: Floats) -> None:
    """Squared distances (dofs, examples * WINDOW) of the pose to the frames round the common place."""
    weights = tables.weights
    for k in range(tables.firsts.shape[0]):
        count, middle = tables.counts[k], int(np.round(place[k]))
        for c in range(WINDOW):
            row = middle + c - REACH
            row = tables.firsts[k] + (row % count if tables.cyclic else min(max(row, 0), count - 1))
            low, slope, column = tables.low[row], tables.slope[row], k * WINDOW + c
            for p in range(y.shape[0]):
                w, difference, moving = weights[p], y[p] - low[p], velocity[p] - slope[p]
                out[p, column] = w * w * (difference * difference + weight * moving * moving)


@kernel
def node_offsets(
    y: Floats,
    velocity: Floats,
    tables: Tables,
    place: Floats,
    rule: Floats,  # (2,): kernel width, velocity weight
    room: Room,
) -> None:
    """Where in each example every node's parents are now, in frames from the common place (Lau 2009, §5.2).

    To `room.found`. Kernel regression of the frame number on the parents' values and velocities, inside a window
    round the common phase. Departs from the paper: weights are biweight in the distance beyond the best one.
    """
    dofs, examples = y.shape[0], tables.firsts.shape[0]
    window, totals, starts, parents = room.window, room.totals, tables.parent_starts, tables.parents
    window_distances(y, velocity, tables, place, rule[1], window)
    total = window[dofs]
    for i in range(dofs):
        total[:] = 0.0
        for e in range(starts[i], starts[i + 1]):
            p = parents[e]
            for c in range(total.shape[0]):
                total[c] += window[p, c]
        for c in range(total.shape[0]):
            totals[c, i] = total[c]
    for k in range(examples):
        found = room.found[k]
        biweight_means(room.totals[k * WINDOW : (k + 1) * WINDOW], rule[0], room.four, found)
        from_middle = np.round(place[k]) - place[k] - REACH
        for i in range(dofs):
            found[i] += from_middle


@kernel
def biweight_means(distances: Floats, width: float, four: Floats, out: Floats) -> None:
    """Mean row numbers (columns,), rows weighed by how near they are: (1 - (d - best) / (width (mean - best)))^2."""
    best, scale, above, below = four[0], four[1], four[2], four[3]
    count = distances.shape[0]
    best[:] = np.inf
    scale[:] = 0.0
    above[:] = 0.0
    below[:] = 0.0
    for c in range(count):
        row = distances[c]
        for i in range(out.shape[0]):
            best[i] = row[i] if row[i] < best[i] else best[i]
            scale[i] += row[i]
    for i in range(out.shape[0]):
        scale[i] = 1.0 / (width * (scale[i] / count - best[i]) + 1e-12)
    for c in range(count):
        row = distances[c]
        for i in range(out.shape[0]):
            u = 1.0 - (row[i] - best[i]) * scale[i]
            u = u if u > 0.0 else 0.0
            above[i] += u * u * c
            below[i] += u * u
    for i in range(out.shape[0]):
        out[i] = above[i] / below[i]


@kernel
def mix_examples(tables: Tables, offsets: Floats, room: Room, step: float, gain: float) -> None:
    """Mixtures of the examples with every node's shares, at every node's own place in each of them.

    `room.absolute` is where the smooth part should be, `room.delta` how it moves, `room.fine` the detail, mixed
    alike for all nodes. Speeds scale with the pace.
    """
    # Arrays are taken out of the tuples once: in the inner loops that would cost more than the reading.
    low, rates, cyclic = tables.low.reshape(-1), tables.rates, tables.cyclic
    absolute, delta, fine, leads, before, after = (
        room.absolute,
        room.delta,
        room.fine,
        room.leads,
        room.before,
        room.after,
    )
    dofs = absolute.shape[0]
    absolute[:] = 0.0
    delta[:] = 0.0
    fine[:] = 0.0
    for k in range(tables.firsts.shape[0]):
        first, count, share, shifts = tables.firsts[k], tables.counts[k], room.shares[k], offsets[k]
        next_pace = room.next_pace[k]
        read_nodes(low, first, count, room.place[k], room.pace[k], leads, shifts, gain, cyclic, before)
        read_nodes(low, first, count, room.next_place[k], next_pace, leads, shifts, gain, cyclic, after)
        for i in range(dofs):
            delta[i] += share[i] * (after[i] - before[i])
            absolute[i] += share[i] * after[i] * (1.0 + rates[i] * (next_pace * step - 1.0))
        scale = share[dofs]
        add_row(tables.detail, first, count, room.next_place[k], cyclic, scale, scale * next_pace * step, rates, fine)


@kernel
def next_phase(tables: Tables, noise: Noise, clock: Floats, amounts: Floats, room: Room) -> tuple[float, float]:
    """How far the phase moves in this frame and where to; places and paces of the examples before and after.

    The first frame stands at phase 0, and an acyclic motion's last one at its end: the last ENDING steps are fitted so
    that they come out even.
    """
    examples, last, cyclic = tables.firsts.shape[0], tables.places.shape[0] - 1.0, tables.cyclic
    dofs = room.leads.shape[0]
    place_and_pace(tables.places, tables.periods, clock[1], cyclic, room.place, room.pace)
    speed = 0.0
    for k in range(examples):
        speed += (1.0 / examples + amounts[5] * (room.shares[k, dofs] - 1.0 / examples)) * room.pace[k]
    quicker = room.two[0, :1]
    smooth_values(noise.tempo, clock[0], noise.fast_spacing, noise.fast_first, quicker)
    step = amounts[6] * np.exp(amounts[2] * quicker[0]) / min(max(speed, 0.4), 2.5)
    left = (last - clock[1]) / step
    if not cyclic and left < ENDING:
        step *= left / max(np.round(left), 1.0)
    target = clock[1] if clock[0] == 0.0 else clock[1] + step
    if not cyclic:
        target = min(target, last)
    place_and_pace(tables.places, tables.periods, target, cyclic, room.next_place, room.next_pace)
    if cyclic:
        for k in range(examples):
            room.place[k] = wrapped(room.place[k], tables.counts[k])
            room.next_place[k] = wrapped(room.next_place[k], tables.counts[k])
    return step, target


@kernel
def scale_strays(profile: Floats, phase: float, amount: float, strays: Floats) -> None:
    """Multiply deviations (dofs,) by how far the examples lie apart at this phase."""
    last = profile.shape[0] - 1
    phase -= np.floor(phase / last) * last if phase > last else 0.0
    low = min(max(int(phase), 0), last - 1)
    t = phase - low
    a, b = profile[low], profile[low + 1]
    for i in range(strays.shape[0]):
        strays[i] *= amount * ((1.0 - t) * a[i] + t * b[i])


@kernel
def advance_block(
    rows: Floats,  # out (frames, dofs)
    phases: Floats,  # out (frames,)
    y: Floats,  # in and out (dofs,): smooth part of the pose
    velocity: Floats,  # in and out (dofs,): its change per phase
    offsets: Floats,  # in and out (examples, dofs): relaxed node offsets
    clock: Floats,  # in and out (2,): frames so far, phase
    noise: Noise,
    tables: Tables,
    amounts: Floats,  # (7,): shares, nodes' leads, tempo, deviations that no example has, detail, pace, rate
    mix: Floats,  # (2,): weights of the slow and the fast process
    rule: Floats,  # (2,): kernel width, velocity weight
    follow: Floats,  # (3,): pull, relaxation of the offsets, how much of them is used
) -> int:
    """Synthesize up to len(rows) frames; returns how many there are before an acyclic motion ends."""
    examples, dofs = tables.firsts.shape[0], y.shape[0]
    last, cyclic, pull, relax = tables.places.shape[0] - 1.0, tables.cyclic, follow[0], follow[1]
    room = make_room(examples, dofs)
    absolute, delta, fine, leads, strays = room.absolute, room.delta, room.fine, room.leads, room.strays
    found, rates = room.found, tables.rates
    for f in range(rows.shape[0]):
        t, tau = clock[0], clock[1]
        if not cyclic and tau >= last - 1e-9:
            return f
        shares_at(noise, t, amounts[0], amounts[4], mix, room.two, room.shares)
        step, target = next_phase(tables, noise, clock, amounts, room)
        middle = 1.0
        if not cyclic:  # nodes start and end together
            middle = min(1.0, min(tau, last - tau) / (0.15 * last))
            middle = middle * middle * (3.0 - 2.0 * middle)
        if follow[2] > 0.0 and f % EVERY == 0:
            node_offsets(y, velocity, tables, room.place, rule, room)
        for k in range(examples):
            offset, place = offsets[k], found[k]
            for i in range(dofs):
                offset[i] += relax * (place[i] * middle - offset[i])
        smooth_values(noise.leads, t, noise.fast_spacing, noise.fast_first, leads)
        smooth_values(noise.strays, t, noise.slow_spacing, noise.slow_first, strays)
        for i in range(dofs):
            leads[i] *= amounts[1] * middle
        mix_examples(tables, offsets, room, step, follow[2])
        scale_strays(tables.profile, target, amounts[3], strays)
        for i in range(dofs):
            away = absolute[i] + strays[i] - y[i]
            moved = away if rates[i] == 1 else (1.0 - pull) * delta[i] + pull * away
            velocity[i] = moved if rates[i] == 1 else moved / step
            y[i] += moved
            rows[f, i] = y[i] + fine[i]
        clock[0], clock[1], phases[f] = t + 1.0, target, target
    return rows.shape[0]
