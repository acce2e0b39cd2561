"""The inner loops of synthesis: frames of the network, and frames of the motion between them.

What numpy offers for whole arrays is spelled out: the parts of numba that do it take longer to load than all the rest.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled, uncounted
from freshtake.numeric.splines import cubic_weights, spline_weights
from freshtake.variation.synthesis.dynamics import PackedEdges
from freshtake.variation.synthesis.leg_following import FootTables

ENDING = 12.0  # frames before the end over which the steps of an acyclic motion are fitted to it
SLOWEST, FASTEST = 0.5, 2.0  # of the mean pace: how far the tempo may go


class Tables(NamedTuple):
    """What synthesis reads along the phase, all at whole phases; a cycle's last phase is its first one again."""

    mean: Floats  # (phases, nodes): DOFs, speeds as places, the time, travel of the speeds, the tempo; see courses
    pace: Floats  # (phases,): frames that the mean takes for a phase
    basis: Floats  # (traits, phases, nodes): what one standard deviation of a trait adds
    sizes: Floats  # (phases, nodes): what one standard deviation of the rest adds
    detail: Floats  # (examples, phases, DOFs)
    speeds: Ints  # numbers of the DOFs that are speeds
    spacing: float  # phases between two frames of the network
    cyclic: bool
    heading: Ints  # (3,): of the speeds, which are forward, sideways and turning; none: empty
    frame_time: float
    feet: FootTables


class Knots(NamedTuple):
    """Values of smooth processes at equal distances, the first of each with its number."""

    rest: Floats  # (knots, nodes): frames of the network
    traits: Floats  # (knots, traits, nodes)
    shares: Floats  # (knots, examples): in the detail
    rest_first: int
    traits_first: int
    shares_first: int
    traits_spacing: float  # phases
    shares_spacing: float


class Amounts(NamedTuple):
    """How much is added of what; 1 is as far as a further take goes."""

    space: Floats  # (nodes,): posture, extent and the rest
    timing: Floats  # (nodes,)
    detail: float  # 0: the mean of the examples' detail
    rate: float  # of the mean pace


@uncounted
def draw_slices(edges: PackedEdges, noise: Floats, slices: Floats) -> None:
    """Frames of the network: rows 2 and on of `slices` (2 + frames, nodes) from the two before each, node after node.

    z_i[t+2] = sum_p slope_ip z_p + noise_i e_i, parents at t, t+1 and, drawn before it, t+2.
    """
    nodes, flat = slices.shape[1], slices.reshape(-1)  # parents are numbered through the three frames
    for f in range(noise.shape[0]):
        three = flat[f * nodes :]
        for k in range(nodes):
            i = edges.sequence[k]
            value = edges.noise[i] * noise[f, i]
            for e in range(edges.starts[i], edges.starts[i + 1]):
                value += edges.slopes[e] * three[edges.parents[e]]
            three[2 * nodes + i] = value


@uncounted
def smooth_weights(place: float, unit: bool) -> tuple[int, float, float, float, float]:
    """The first of the four knots round a place counted in knots, and their weights.

    `unit`: those of a process of variance 1 for independent knots.
    """
    k = int(place)
    w0, w1, w2, w3 = spline_weights(place - k)
    if unit:
        scale = 1.0 / math.sqrt(w0 * w0 + w1 * w1 + w2 * w2 + w3 * w3)
        w0, w1, w2, w3 = scale * w0, scale * w1, scale * w2, scale * w3
    return k, w0, w1, w2, w3


@uncounted
def mix_rows(
    w0: float, w1: float, w2: float, w3: float, a: Floats, b: Floats, c: Floats, d: Floats, out: Floats
) -> None:
    """out = w0 a + w1 b + w2 c + w3 d."""
    for i in range(out.shape[0]):
        out[i] = w0 * a[i] + w1 * b[i] + w2 * c[i] + w3 * d[i]


@uncounted
def smooth_values(knots: Floats, place: float, first: int, out: Floats) -> None:
    """Smooth processes (columns,) at a place counted in knots."""
    k, w0, w1, w2, w3 = smooth_weights(place, False)
    k -= first
    mix_rows(w0, w1, w2, w3, knots[k], knots[k + 1], knots[k + 2], knots[k + 3], out)


@uncounted
def around(phase: float, last: int, cyclic: bool) -> tuple[int, int, int, int, float]:
    """The four whole phases round a phase, and how far it lies between the middle two."""
    if cyclic:
        phase -= math.floor(phase / last) * last
    low = min(max(int(phase), 0), last - 1)
    before = low - 1 if low > 0 else (last - 1 if cyclic else 0)
    after = low + 2 if low + 2 <= last else (1 if cyclic else last)
    return before, low, low + 1, after, phase - low


@uncounted
def add_row(rows: Floats, i0: int, i1: int, i2: int, i3: int, t: float, scale: float, out: Floats) -> None:
    """Add `scale` times the row between rows i1 and i2, on a cubic through four rows (Catmull-Rom)."""
    w0, w1, w2, w3 = cubic_weights(t)
    w0, w1, w2, w3 = scale * w0, scale * w1, scale * w2, scale * w3
    a, b, c, d = rows[i0], rows[i1], rows[i2], rows[i3]
    for i in range(out.shape[0]):
        out[i] += w0 * a[i] + w1 * b[i] + w2 * c[i] + w3 * d[i]


@uncounted
def detail_shares(knots: Knots, place: float, amount: float, out: Floats) -> None:
    """Shares of the examples in the detail: they sum to 1, and with amount 1 so do their squares.

    W_l = 1/L + amount sqrt(1 - 1/L) g_l / |g|, sum_l g_l = 0. What agrees between the examples then keeps its size, and
    so does what does not.
    """
    examples = out.shape[0]
    smooth_values(knots.shares, place, knots.shares_first, out)
    mean = square = 0.0
    for k in range(examples):
        mean += out[k]
    mean /= examples
    for k in range(examples):
        out[k] -= mean
        square += out[k] * out[k]
    scale = amount * math.sqrt((1.0 - 1.0 / examples) / max(square, 1e-24))
    for k in range(examples):
        out[k] = 1.0 / examples + scale * out[k]


@uncounted
def nodes_at(tables: Tables, knots: Knots, amounts: Amounts, phase: float, room: Floats, out: Floats) -> None:
    """All nodes at a phase: the mean, and what traits and the rest of the deviations add to it.

    `room` (2 + traits, nodes) is for work.
    """
    nodes, traits = out.shape[0], tables.basis.shape[0]
    i0, i1, i2, i3, t = around(phase, tables.mean.shape[0] - 1, tables.cyclic)
    rest, shape = room[0], room[1]
    smooth_values(knots.rest, phase / tables.spacing, knots.rest_first, rest)
    c0, c1, c2, c3 = cubic_weights(t)
    mix_rows(c0, c1, c2, c3, tables.sizes[i0], tables.sizes[i1], tables.sizes[i2], tables.sizes[i3], shape)
    for i in range(nodes):
        out[i] = amounts.space[i] * shape[i] * rest[i]
    k, w0, w1, w2, w3 = smooth_weights(phase / knots.traits_spacing, True)
    k -= knots.traits_first
    for q in range(traits):
        value, z = room[2 + q], knots.traits
        mix_rows(w0, w1, w2, w3, z[k, q], z[k + 1, q], z[k + 2, q], z[k + 3, q], value)
        basis = tables.basis[q]
        mix_rows(c0, c1, c2, c3, basis[i0], basis[i1], basis[i2], basis[i3], shape)
        amount = amounts.timing if q == traits - 1 else amounts.space
        for i in range(nodes):
            out[i] += amount[i] * shape[i] * value[i]
    hold_feet(tables, knots, amounts, phase, out)
    follow_feet(tables.feet, i1, i2, t, shape, out)
    add_row(tables.mean, i0, i1, i2, i3, t, 1.0, out)


@uncounted
def hold_feet(tables: Tables, knots: Knots, amounts: Amounts, phase: float, out: Floats) -> None:
    """Deviations of feet at the phase that the way covered tells (see leg_following): a standing foot keeps its own."""
    feet, last, traits = tables.feet, tables.mean.shape[0] - 1, tables.basis.shape[0]
    for e in range(feet.held.shape[1]):
        _, i1, i2, _, t = around(phase, last, tables.cyclic)
        shift = (1.0 - t) * feet.held[i1, e] + t * feet.held[i2, e]
        if shift == 0.0:
            continue
        there = phase + shift
        i0, i1, i2, i3, t = around(there, last, tables.cyclic)
        c0, c1, c2, c3 = cubic_weights(t)
        k = int(there / tables.spacing)
        w0, w1, w2, w3 = spline_weights(there / tables.spacing - k)
        k -= knots.rest_first
        m = int(there / knots.traits_spacing)
        v0, v1, v2, v3 = spline_weights(there / knots.traits_spacing - m)
        unit = 1.0 / math.sqrt(v0 * v0 + v1 * v1 + v2 * v2 + v3 * v3)
        m -= knots.traits_first
        for a in range(3):
            i = feet.first + 3 * e + a
            s, z = tables.sizes[:, i], knots.rest[:, i]
            size = c0 * s[i0] + c1 * s[i1] + c2 * s[i2] + c3 * s[i3]
            out[i] = amounts.space[i] * size * (w0 * z[k] + w1 * z[k + 1] + w2 * z[k + 2] + w3 * z[k + 3])
            for q in range(traits):
                b = tables.basis[q]
                shape = c0 * b[i0, i] + c1 * b[i1, i] + c2 * b[i2, i] + c3 * b[i3, i]
                z = knots.traits[:, q, i]
                value = unit * (v0 * z[m] + v1 * z[m + 1] + v2 * z[m + 2] + v3 * z[m + 3])
                out[i] += (amounts.timing[i] if q == traits - 1 else amounts.space[i]) * shape * value


@uncounted
def follow_feet(feet: FootTables, i1: int, i2: int, t: float, gap: Floats, out: Floats) -> None:
    """Let the joints of legs deviate so that feet come to their places; see leg_following. `gap` is for work."""
    for e in range(feet.moving.shape[0]):
        for a in range(3):
            gap[a] = out[feet.first + 3 * e + a] + (1.0 - t) * feet.offset[i1, e, a] + t * feet.offset[i2, e, a]
            if a == 0:
                gap[a] += ((1.0 - t) * feet.stride[i1, e] + t * feet.stride[i2, e]) * out[feet.travel]
            for k in range(feet.moving.shape[1]):
                gap[a] -= ((1.0 - t) * feet.moves[i1, e, a, k] + t * feet.moves[i2, e, a, k]) * out[feet.moving[e, k]]
        for k in range(feet.legs.shape[1]):
            for a in range(3):
                follows = (1.0 - t) * feet.follows[i1, e, k, a] + t * feet.follows[i2, e, k, a]
                out[feet.legs[e, k]] += follows * gap[a]


@uncounted
def phase_step(tables: Tables, pace: float, phase: float, rate: float) -> float:
    """How far the phase moves in a frame at this pace; the last steps of an acyclic motion come out even."""
    _, i1, i2, _, t = around(phase, tables.mean.shape[0] - 1, tables.cyclic)
    usual = (1.0 - t) * tables.pace[i1] + t * tables.pace[i2]
    step = rate / min(max(pace, SLOWEST * usual), FASTEST * usual)
    left = (tables.mean.shape[0] - 1.0 - phase) / step
    if not tables.cyclic and left < ENDING:
        step *= left / max(round(left), 1)
    return float(step)


@uncounted
def add_detail(
    tables: Tables, knots: Knots, amounts: Amounts, chosen: Ints, phase: float, shares: Floats, row: Floats
) -> None:
    """Add the examples' detail to a row; `shares` (examples,) is for work."""
    detail_shares(knots, phase / knots.shares_spacing, amounts.detail, shares)
    i0, i1, i2, i3, t = around(phase, tables.mean.shape[0] - 1, tables.cyclic)
    for k in range(chosen.shape[0]):
        add_row(tables.detail[chosen[k]], i0, i1, i2, i3, t, shares[k], row)


@uncounted
def turn_to_heading(tables: Tables, turned: float, moved: Floats) -> None:
    """Ways over the ground of a body that turns steadily, as seen in the heading of the frame before."""
    forward, sideways = tables.speeds[tables.heading[0]], tables.speeds[tables.heading[1]]
    angle = -turned * tables.frame_time
    ahead, across = moved[forward], moved[sideways]
    moved[forward] = math.cos(angle) * ahead - math.sin(angle) * across
    moved[sideways] = math.sin(angle) * ahead + math.cos(angle) * across


@compiled
def make_frames(
    rows: Floats,  # out (frames, DOFs)
    phases: Floats,  # out (frames,)
    clock: Floats,  # in and out (2,): phase of the next frame, and the step that led to it
    places: Floats,  # in and out (speeds + 1,): places and time in the frame before, against a steady course
    tables: Tables,
    knots: Knots,
    amounts: Amounts,
    chosen: Ints,  # (examples,): whose detail is used
) -> int:
    """Up to len(rows) frames of motion; returns how many there are before an acyclic motion ends."""
    dofs, nodes, last = rows.shape[1], tables.mean.shape[1], tables.mean.shape[0] - 1
    room, values = np.empty((2 + tables.basis.shape[0], nodes)), np.empty(nodes)
    moved, count = np.zeros(dofs), tables.speeds.shape[0]
    shares = np.empty(chosen.shape[0])
    for f in range(rows.shape[0]):
        phase = clock[0]
        if not tables.cyclic and phase > last + 1e-6:
            return f
        if clock[1] == 0.0:  # the first frame: as if it had come from where it goes to
            nodes_at(tables, knots, amounts, phase + 1.0, room, values)
            for k in range(count):
                places[k] = -values[tables.speeds[k]]
            places[count] = -values[dofs]
        nodes_at(tables, knots, amounts, phase, room, values)
        came = clock[1]
        if came == 0.0:
            came = 1.0
            for k in range(count):
                places[k] += 2.0 * values[tables.speeds[k]]
            places[count] += 2.0 * values[dofs]
        row = rows[f]
        for i in range(dofs):
            row[i] = values[i]
        for k in range(count):  # from places to the way between two frames
            i = tables.speeds[k]
            moved[i] = row[i] - places[k] + came * values[dofs + 1 + k]
        if tables.heading.shape[0]:
            turn_to_heading(tables, places[tables.heading[2]], moved)
        for k in range(count):
            i = tables.speeds[k]
            places[k] = row[i]
            row[i] = 0.0
        pace = values[nodes - 1] + (values[dofs] - places[count]) / came
        places[count] = values[dofs]
        step = phase_step(tables, pace, phase, amounts.rate)
        add_detail(tables, knots, amounts, chosen, phase, shares, row)
        for k in range(count):
            i = tables.speeds[k]
            row[i] = came * row[i] + moved[i]
        phases[f] = phase
        clock[0], clock[1] = phase + step, step
        if not tables.cyclic and phase < last - 1e-6:
            clock[0] = min(clock[0], float(last))
        elif not tables.cyclic:
            clock[0] = last + 1.0
    return rows.shape[0]


@compiled
def nodes_along(phases: Floats, tables: Tables, knots: Knots, amounts: Amounts, out: Floats) -> None:
    """All nodes at many phases: (phases, nodes)."""
    room = np.empty((2 + tables.basis.shape[0], out.shape[1]))
    for f in range(phases.shape[0]):
        nodes_at(tables, knots, amounts, phases[f], room, out[f])


@compiled
def make_loop(
    rows: Floats,  # out (frames, DOFs)
    phases: Floats,  # (frames,), within one length
    length: float,  # phases after which the loop begins again
    tables: Tables,
    knots: Knots,
    amounts: Amounts,
    chosen: Ints,
) -> None:
    """The frames of a loop at given phases; speeds of the first frame lead from the last one to it."""
    frames, dofs = rows.shape
    values, shares = np.empty((frames, tables.mean.shape[1])), np.empty(chosen.shape[0])
    moved = np.zeros(dofs)
    nodes_along(phases, tables, knots, amounts, values)
    for f in range(frames):
        last = f - 1 if f > 0 else frames - 1
        came, before = phases[f] - phases[last], values[last]
        came += length if came <= 0.0 else 0.0
        row = rows[f]
        for i in range(dofs):
            row[i] = values[f, i]
        for k in range(tables.speeds.shape[0]):
            row[tables.speeds[k]] = 0.0
        add_detail(tables, knots, amounts, chosen, phases[f], shares, row)
        for k in range(tables.speeds.shape[0]):
            i = tables.speeds[k]
            moved[i] = came * values[f, dofs + 1 + k] + values[f, i] - before[i]
        if tables.heading.shape[0]:
            turn_to_heading(tables, before[tables.speeds[tables.heading[2]]], moved)
        for k in range(tables.speeds.shape[0]):
            i = tables.speeds[k]
            row[i] = came * row[i] + moved[i]
