"""Jumps between kernels, drawn by the motion density (compiled), and the arrays that synthesis reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.density.pose_density import Index, arrivals, block_index, drawn, near_kernels
from freshtake.density.runs import LONGEST, Leap, Limits, Place, aligned_place, eased, rehearse
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.compiled import compiled

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel
    from freshtake.density.settings import Settings

TRIES = 4  # kernels drawn per jump at most
EVENNESS = 12.0  # how strongly kernels followed more than their share are avoided
TEMPO_BOUND = 1.7  # limit of the pace, in its standard deviations
MEMORY_ROUNDS = 16.0  # passes through a class before older visits are halved
FIELDS = 11  # fields of `clock`:
PLACE, AGE, SPAN, TEMPO, TEMPO_FAST, PLAN, GOAL, ENDED, PACE, RUN, DRIVE = range(FIELDS)
FAR = 1.25  # limit of a jump, in units of the data's 99.9th percentile of nearest-neighbour distances
FARTHER = 1.13  # factor on `FAR` for novelty, or if too few kernels are connected; half a step makes it 1.5
SHARP = 1.2  # limit of a jump, in units of the data's 99.9th percentile of second differences
SHARPEST = 1.3  # limit as for `SHARP`, but for jumps, pace and novelty together
STRETCH = 16  # kernels whose visits are counted together


class Track(NamedTuple):
    """The arrays that synthesis reads.

    Rows (kernels, width) are modes, rates, residuals or rotations, if any, and columns of feet (see planting).
    """

    rows: Floats
    modes: int
    rates: int  # columns of the root's travel, which scale with the pace
    owners: Ints  # (kernels,): class
    firsts: Ints  # (kernels,): the first kernel of each kernel's run
    lasts: Ints
    starts: Ints  # (runs,): first kernel of every run
    lookup: Index
    scale: Floats  # (2 modes,): reciprocal kernel widths, as used for `index.places`
    sharpest: Floats  # (classes,): largest second difference of a jump
    farthest: Floats  # (classes,): largest distance of a jump from the data
    blocks: Ints  # (kernels,): numbered stretches of neighbours in time, for counting visits
    sizes: Floats  # (stretches,): kernels
    counts: Floats  # (classes,): kernels
    periods: Floats  # (classes,): frames
    cyclic: Bools  # (classes,)
    first_jumps: Ints  # (kernels + 1,): where a kernel's jumps begin in `goals`
    goals: Ints  # (jumps,): kernels
    likelihoods: Floats  # (jumps,): -2 log of their probabilities
    jump_rates: Floats  # (kernels,): probability of a jump, relative to `Rates.jump`
    away: Floats  # (classes,): fraction by which a pose may move away from another pose of its phase


class Rates(NamedTuple):
    """The settings of synthesis; times are in frames, `jump` is the probability of a jump per frame."""

    jump: float
    blend: float
    guard: float
    memory: float
    tempo: float
    class_stay: float
    novelty: float


class Following(NamedTuple):
    """The state that changes from frame to frame while runs are followed."""

    history: Floats  # (4, width): last frame, previous frame, offset, speed of the offset
    clock: Floats  # (fields,)
    credit: Floats  # (classes,): frames by which each class has been followed too little for its weight
    weights: Floats  # (classes,): the weights in the last frame
    visits: Floats  # (blocks + classes,): frames for which each block of kernels was followed; older frames count less


@compiled
def point_of(track: Track, history: Floats, out: Floats) -> None:
    """Fill in pose and velocity of the last frames in kernel widths (2 modes,)."""
    d = track.modes
    for k in range(d):
        out[k] = history[0, k] * track.scale[k]
        out[d + k] = (history[0, k] - history[1, k]) * track.scale[d + k]


@compiled
def excess(track: Track, visits: Floats, i: int) -> float:
    """Return the fraction by which kernel i's block was followed more than its share; 0: just its share, -1: never."""
    block, owner = track.blocks[i], track.owners[i]
    size = track.sizes[block]
    share = visits[len(track.sizes) + owner] * size / track.counts[owner]
    return min((visits[block] + size) / (share + size) - 1.0, 3.0)


@compiled
def visit(track: Track, visits: Floats, i: int) -> None:
    """Count that kernel i was followed for a frame; old visits count less."""
    blocks, owner = len(track.sizes), track.owners[i]
    visits[track.blocks[i]] += 1.0
    visits[blocks + owner] += 1.0
    if visits[blocks + owner] > MEMORY_ROUNDS * track.counts[owner]:
        visits[blocks + owner] *= 0.5
        for k in range(len(track.blocks)):
            if track.owners[k] == owner and (k == 0 or track.blocks[k] != track.blocks[k - 1]):
                visits[track.blocks[k]] *= 0.5


@compiled
def jump(track: Track, rates: Rates, state: Following, owner: int, forced: bool, chances: Floats) -> bool:
    """Change to a kernel of a class, drawn by its motion density at the present pose and velocity.

    Okwechime 2008, eq. 14, each class's density normalized.

    A jump that would be sharper than the data, or lead away from them, is drawn again. A `forced` jump is the mildest
    of more attempts if none is within the limits. Returns whether there was a jump.
    """
    history, clock = state.history, state.clock
    d, width = track.modes, history.shape[1]
    point, offset, best_offset = np.empty(2 * d), np.empty((2, width)), np.empty((2, width))
    point_of(track, history, point)
    near, squares = np.empty(len(track.owners), np.intp), np.empty(len(track.owners))
    here = int(clock[RUN])
    source = Place(clock[PLACE], track.firsts[here], track.lasts[here])
    current = track.owners[here]
    k = min(max(int(np.ceil(source.at)), source.first), source.last)
    count = track.first_jumps[k + 1] - track.first_jumps[k]
    listed = owner == current and count > 0
    if listed:
        for c in range(count):
            near[c] = track.goals[track.first_jumps[k] + c]
            squares[c] = track.likelihoods[track.first_jumps[k] + c]
    else:
        low, high = max(source.at - rates.guard, float(source.first)), min(source.at + rates.guard, float(source.last))
        count = near_kernels(track.lookup, point, owner, low, high, near, squares)
        for c in range(count):
            squares[c] += 2.0 * EVENNESS * excess(track, state.visits, near[c])
    if count == 0:
        return False
    sharp = max(track.sharpest[owner], track.sharpest[current])
    far = max(track.farthest[owner], track.farthest[current]) * (FARTHER if listed else 1.0)
    if owner != current:
        far = np.inf
    limits = Limits(sharp, far, rates.blend)
    mildest, chosen, duration, target = np.inf, -1, rates.blend, 0.0
    # A run that has ended must be left: 32 more kernels are tried, the likeliest first.
    for attempt in range(TRIES + 32 if forced else TRIES):
        if count == 0:
            break
        if attempt == TRIES and not listed:  # From here on, only nearness counts.
            for c in range(count):
                squares[c] -= 2.0 * EVENNESS * excess(track, state.visits, near[c])
        c = drawn(squares, count, chances[attempt]) if attempt < TRIES else int(np.argmin(squares[:count]))
        j = near[c]
        place = aligned_place(track.rows, d, history[0], j, track.firsts[j], track.lasts[j])
        goal = Place(place, track.firsts[j], track.lasts[j])
        strain, span = eased(track.rows, d, history, source, goal, clock[PACE], limits, offset)
        if strain < mildest:
            mildest, chosen, duration, target = strain, j, span, place
            best_offset[:] = offset
        if mildest <= 1.0:
            break
        count -= 1
        near[c], squares[c] = near[count], squares[count]
    if chosen < 0 or (mildest > 1.0 and not forced):
        return False
    history[2:] = best_offset
    clock[PLACE], clock[RUN], clock[AGE], clock[SPAN] = target, float(chosen), 0.0, duration
    return True


@compiled
def restart(track: Track, rates: Rates, history: Floats, clock: Floats, owner: int, chance: float) -> None:
    """Continue from the end of an acyclic run with the start of a random run of its class."""
    count = 0
    for start in track.starts:
        count += track.owners[start] == owner
    pick = int(chance * count)
    for start in track.starts:
        if track.owners[start] != owner:
            continue
        if pick == 0:
            span = LONGEST * max(rates.blend, 2.0)
            here = int(clock[RUN])
            source = Place(clock[PLACE], track.firsts[here], track.lasts[here])
            goal = Place(float(start), start, track.lasts[start])
            rehearse(track.rows, track.modes, history, Leap(source, goal, clock[PACE], span), history[2:])
            clock[PLACE], clock[RUN], clock[AGE], clock[SPAN] = float(start), float(start), 0.0, span
            return
        pick -= 1


def track_of(model: DensityModel) -> Track:
    """Return the kernels in the order of synthesis, with their search index."""
    extra = model.residuals if model.turning is None else model.turning.columns
    rows = np.concatenate([model.weights, model.rates, extra, model.foot_columns], axis=1)
    stops = model.run_stops
    lengths = np.diff(np.concatenate([[0], stops]))
    firsts, lasts = np.repeat(stops - lengths, lengths), np.repeat(stops - 1, lengths)
    d = model.modes
    steps = np.concatenate([arrivals(run) for name in model.classes for run in model.runs(name)])
    scale = compared_scale(model.widths, model.settings)
    places = np.concatenate([model.weights, steps], axis=1) * scale
    index = block_index(places, model.owners, model.allowed)
    # Stretches of at most STRETCH kernels are numbered, run by run.
    blocks, jumps = np.cumsum((np.arange(len(rows)) - firsts) % STRETCH == 0) - 1, model.jumps
    return Track(
        np.ascontiguousarray(rows), d, min(model.rates.shape[1], 3), model.owners, firsts, lasts, stops - lengths,
        index, scale, model.limits[:, 0].copy(), model.limits[:, 1].copy(), blocks,
        np.bincount(blocks).astype(np.float64),
        np.bincount(model.owners).astype(np.float64), model.limits[:, 2].copy(), np.array(model.cyclic),
        np.concatenate([[0], np.cumsum(jumps.counts)]), jumps.goals, -2.0 * np.log(np.maximum(jumps.chances, 1e-300)),
        jumps.jump_rates, _away(model),
    )  # fmt: skip


def compared_scale(widths: Floats, settings: Settings) -> Floats:
    """Return the factors by which poses and velocities are scaled to compare kernels of these widths, (2 modes,)."""
    scale: Floats = 1.0 / widths
    scale[len(scale) // 2 :] *= np.sqrt(settings.velocity_weight)
    return scale


def _away(model: DensityModel) -> Floats:
    """Return the fraction by which each class may be exaggerated at its fastest pace without exceeding `SHARPEST`.

    Moving away from another pose by a fraction increases second differences by that fraction, if those of the other
    pose are small.
    """
    fastest, out = (1.0 + model.settings.tempo * TEMPO_BOUND) ** 2, []
    for name, sharp in zip(model.classes, model.limits[:, 0].tolist(), strict=True):
        bends = [np.linalg.norm(np.diff(y, 2, axis=0), axis=1).max(initial=0.0) for y in model.runs(name)]
        out.append(max(SHARPEST / SHARP * sharp / max(sharp, fastest * float(max(bends))) - 1.0, 0.0))
    return np.array(out)
