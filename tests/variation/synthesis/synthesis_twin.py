"""A slow twin of the synthesis step, written from the formulas of `kernels` and `dynamics` with dense arrays."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import BSpline

from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.network.networks import TransitionNetwork
from freshtake.variation.synthesis.frame_kernels import Amounts, Knots, Tables

HUMP = BSpline.basis_element(np.arange(5.0), extrapolate=False)  # the uniform cubic B-spline on [0, 4]


def matrices(network: TransitionNetwork, slopes: Floats) -> Floats:
    """(3, nodes, nodes): coefficients of the frames t, t+1 and t+2, child by parent."""
    nodes, edge = len(network.dofs), 0
    out = np.zeros((3, nodes, nodes))
    for child, parents in enumerate(network.edges):
        for parent in parents:
            out[parent // nodes, child, parent % nodes] = slopes[edge]
            edge += 1
    return out


def slow_slices(network: TransitionNetwork, slopes: Floats, noise: Floats, first: Floats, drawn: Floats) -> Floats:
    """z[t+2] = A2 z[t+2] + A1 z[t+1] + A0 z[t] + noise e, solved for z[t+2]: (2 + frames, nodes)."""
    older, newer, inside = matrices(network, slopes)
    rows = [first[0], first[1]]
    for e in drawn:
        known = newer @ rows[-1] + older @ rows[-2] + noise * e
        rows.append(np.linalg.solve(np.eye(len(noise)) - inside, known))
    return np.array(rows)


def slow_process(knots: Floats, place: float, first: int, unit: bool) -> Floats:
    """sum_k hump(place - k + 3) knot_k; with `unit` divided by the root of the sum of squares."""
    weights = np.nan_to_num(HUMP(place - (first + np.arange(len(knots))) + 3.0))
    if unit:
        weights = weights / np.sqrt((weights**2).sum())
    return np.tensordot(weights, knots, axes=1)


def slow_at(rows: Floats, phase: float, cyclic: bool) -> Floats:
    """A cubic through four rows in Hermite's form; a cycle goes round, other ends are held."""
    last = len(rows) - 1

    def row(k: int) -> Floats:
        return rows[k % last] if cyclic else rows[min(max(k, 0), last)]

    if not cyclic:
        phase = min(phase, float(last))
    low = int(np.floor(phase)) if cyclic else min(int(phase), last - 1)
    t = phase - low
    start, end = row(low), row(low + 1)
    leave, arrive = 0.5 * (row(low + 1) - row(low - 1)), 0.5 * (row(low + 2) - row(low))
    return np.asarray(
        (2 * t**3 - 3 * t**2 + 1) * start + (t**3 - 2 * t**2 + t) * leave
        + (3 * t**2 - 2 * t**3) * end + (t**3 - t**2) * arrive
    )  # fmt: skip


def slow_nodes(tables: Tables, knots: Knots, amounts: Amounts, phase: float) -> Floats:
    """The mean, the rest in units of its size, and three traits."""
    at = [slow_at(part, phase, tables.cyclic) for part in (tables.mean, tables.sizes, *tables.basis)]
    out = at[0] + amounts.space * at[1] * slow_process(knots.rest, phase / tables.spacing, knots.rest_first, False)
    traits = slow_process(knots.traits, phase / knots.traits_spacing, knots.traits_first, True)
    for shape, trait, amount in zip(at[2:], traits, (amounts.space, amounts.space, amounts.timing), strict=True):
        out = out + amount * shape * trait
    return np.asarray(out + slow_following(tables, knots, amounts, phase, out - at[0]))


def slow_following(tables: Tables, knots: Knots, amounts: Amounts, phase: float, apart: Floats) -> Floats:
    """What feet as nodes change: feet are read where the way covered tells, joints follow from J and S."""
    feet, last = tables.feet, len(tables.mean) - 1
    turned = phase % last if tables.cyclic else min(phase, float(last))

    def at(table: Floats) -> Floats:
        flat = table.reshape(last + 1, -1)
        between = [np.interp(turned, np.arange(last + 1.0), column) for column in flat.T]
        return np.array(between).reshape(table.shape[1:])

    out, now = np.zeros_like(apart), apart.copy()
    held, stride, offset, moves, follows = map(at, (feet.held, feet.stride, feet.offset, feet.moves, feet.follows))
    for e, shift in enumerate(held):
        own = slice(feet.first + 3 * e, feet.first + 3 * e + 3)
        if shift != 0.0:
            there = phase + shift
            sizes, *basis = (slow_at(part, there, tables.cyclic)[own] for part in (tables.sizes, *tables.basis))
            rest = slow_process(knots.rest, there / tables.spacing, knots.rest_first, False)[own]
            traits = slow_process(knots.traits, there / knots.traits_spacing, knots.traits_first, True)[:, own]
            space, timing = amounts.space[own], amounts.timing[own]
            now[own] = space * sizes * rest
            for shape, trait, amount in zip(basis, traits, (space, space, timing), strict=True):
                now[own] += amount * shape * trait
        out[own] = now[own] - apart[own]
    for e in range(len(held)):
        gap = now[feet.first + 3 * e : feet.first + 3 * e + 3] + offset[e] - moves[e] @ now[feet.moving[e]]
        gap[0] += stride[e] * now[feet.travel]
        for dof, change in zip(feet.legs[e], follows[e] @ gap, strict=True):
            out[dof] += change
            now[dof] += change
    return out


def slow_shares(knots: Knots, phase: float, amount: float) -> Floats:
    """1/L + amount sqrt(1 - 1/L) g / |g|, g of sum 0."""
    g = slow_process(knots.shares, phase / knots.shares_spacing, knots.shares_first, False)
    g = g - g.mean()
    count = len(g)
    return np.asarray(1.0 / count + amount * np.sqrt(1.0 - 1.0 / count) * g / np.linalg.norm(g))


def slow_step(tables: Tables, pace: float, phase: float, rate: float) -> float:
    """1 / pace phases per frame, within half and twice the mean's pace; the last 12 frames come out even."""
    last = len(tables.mean) - 1
    turned = phase % last if tables.cyclic else min(phase, float(last))
    usual = float(np.interp(turned, np.arange(last + 1.0), tables.pace))
    step = rate / np.clip(pace, 0.5 * usual, 2.0 * usual)
    if tables.cyclic:
        return float(step)
    left = (last - phase) / step
    return float(step * left / max(np.round(left), 1.0)) if left < 12.0 else float(step)


def slow_frames(
    tables: Tables, knots: Knots, amounts: Amounts, chosen: Ints, clock: Floats, places: Floats, frames: int
) -> tuple[Floats, Floats]:
    """Rows and phases from a clock on, until an acyclic motion has reached its last phase.

    A speed is the way from the place before to the place now, and the travel of the step between; so is the pace. The
    very first frame comes from where it would go to in a phase.
    """
    phase, came = clock
    last, dofs, speeds = len(tables.mean) - 1, tables.detail.shape[2], tables.speeds
    travel, moving = slice(dofs + 1, dofs + 1 + len(speeds)), [*speeds, dofs]
    rows, phases = [], []
    while len(rows) < frames:
        nodes = slow_nodes(tables, knots, amounts, phase)
        if came == 0.0:
            places, came = 2.0 * nodes[moving] - slow_nodes(tables, knots, amounts, phase + 1.0)[moving], 1.0
        way = nodes[moving] - places
        step = slow_step(tables, float(nodes[-1] + way[-1] / came), phase, amounts.rate)
        shares = slow_shares(knots, phase, amounts.detail)
        detail = shares @ [slow_at(tables.detail[k], phase, tables.cyclic) for k in chosen]
        row = nodes[:dofs] + detail
        moved = way[:-1] + came * nodes[travel]
        if len(tables.heading):  # speeds are told in the heading of the frame before
            forward, sideways, turn = tables.heading
            ground = complex(moved[forward], moved[sideways]) * np.exp(-1j * places[turn] * tables.frame_time)
            moved[forward], moved[sideways] = ground.real, ground.imag
        row[speeds] = moved + came * detail[speeds]
        places = nodes[moving]
        rows.append(row)
        phases.append(phase)
        if not tables.cyclic and phase >= last - 1e-6:
            break
        phase, came = phase + step, step
        if not tables.cyclic:
            phase = min(phase, float(last))
    return np.array(rows), np.array(phases)
