"""Where runs can be left and which kernels a synthesis can stay in: the largest strongly connected part."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.density.examples import LEAST_FRAMES
from freshtake.density.jumps import FARTHER
from freshtake.density.possible_jumps import NO_JUMPS, Jumps, Span, possible_jumps
from freshtake.density.runs import Limits
from freshtake.numeric.arrays import Bools, Floats, Ints

ROUND_TRIP = 7.0  # usual steps from a run's end to a place where it can go on: nearer is cyclic
FUTURE = 0.5  # periods that a kernel has to have before it, to be jumped to
LEAST_FUTURE = 0.4  # share of the run, where runs are shorter
END = 0.05  # share of a run that counts as its end
LATE, EARLIEST = 0.25, 0.5  # share of a run in which it may be left for good; where no way leads on, more
PENALTY = 0.15  # how much an exit at the very start of the last period is put behind one at its end
ENOUGH = 0.8  # share of a class to be connected: where less is, jumps may be quick and lead farther away
MARGIN = 2  # frames before a kernel that are read where a motion begins to follow it
LEAST_PART = 0.5  # of a class: where less is left, runs are left even if no jump keeps to the limits


class Parts(NamedTuple):
    """Of one class: whether it is cyclic, and which pieces of its runs stay, one after the other.

    `frames` (kernels,) are those that stay; `pieces`, `allowed` and `jumps` count among them.
    """

    cyclic: bool
    frames: Ints
    pieces: list[Span]
    allowed: Bools  # (kernels,): may be jumped to
    jumps: Jumps


class Bounds(NamedTuple):
    """Frames of a cycle, frames to either side that are no other moment, and what jumps keep to."""

    period: float
    guard: float
    limits: Limits


def parts_of(weights: Floats, places: Floats, lengths: Ints, bounds: Bounds, cyclic: bool | None) -> Parts:
    """The part of a class that synthesis can go round in.

    `weights` are mode weights (frames, modes), `places` poses and velocities in kernel widths, `lengths` of the runs.
    """
    runs = _runs(lengths)
    steps = np.concatenate([np.linalg.norm(np.diff(weights[a:b], axis=0), axis=1) for a, b in runs])
    gaps = [_way_back(run, runs, weights, bounds.period) for run in runs]
    goes_round = cyclic if cyclic is not None else bool(np.median(gaps) <= ROUND_TRIP * np.median(steps))
    everything = np.arange(len(weights))
    if not goes_round:
        return Parts(False, everything, runs, _with_future(runs, bounds.period, len(weights)), NO_JUMPS)
    tried = []
    for farther, quick in ((1.0, False), (FARTHER, True)):
        limits = bounds.limits._replace(far=farther * bounds.limits.far)
        tried.append(_largest_part(weights, places, runs, bounds._replace(limits=limits), quick=quick))
        if len(tried[-1].frames) >= ENOUGH * len(weights):
            break
    best = max(tried, key=lambda parts: len(parts.frames))
    if len(best.frames) < min(bounds.period, LEAST_PART * len(weights)):
        best = _largest_part(weights, places, runs, bounds, quick=True, forced=True)
    return best


def closed_parts(weights: Floats, places: Floats, lengths: Ints, bounds: Bounds) -> Parts:
    """Of takes that are one cycle each: all of them, and all that has some way to go may be jumped to."""
    runs = _runs(lengths)
    allowed = _with_future(runs, bounds.period, len(weights))
    jumps = possible_jumps(weights, places, runs, allowed, bounds.guard, bounds.limits)
    return Parts(True, np.arange(len(weights)), runs, allowed, jumps.where(jumps.strains <= 1.0))


def _largest_part(
    weights: Floats, places: Floats, runs: list[Span], bounds: Bounds, *, quick: bool, forced: bool = False
) -> Parts:
    """What is left when runs are cut until each kernel can be reached from each.

    A cut takes jumps away, those to what has little way to go before it among them: so it is repeated. How hard a jump
    is does not change by it: what was recorded after a cut still is how the motion might have gone on. `quick` allows
    jumps that are evened out faster than usual. With `forced`, runs are left by the mildest jump even where it does not
    keep to the limits.
    """
    allowed = _with_future(runs, bounds.period, len(weights))
    jumps = possible_jumps(weights, places, runs, allowed, bounds.guard, bounds.limits)
    jumps = jumps if quick else jumps.where(jumps.durations >= bounds.limits.blend)
    jumps = jumps.where(~np.isin(jumps.there, [start + k for start, _ in runs for k in range(MARGIN)]))
    pieces, ends = runs, {stop for _, stop in runs}
    while True:
        exits = [_exit(piece, jumps, bounds.period, piece[1] not in ends) for piece in pieces]
        usable = jumps.where((jumps.strains <= 1.0) | (forced & _are_exits(jumps, exits)))
        kept = _connected(len(weights), pieces, exits, usable)
        shorter = [(a, b) for a, b in _pieces(kept, pieces) if b - a >= LEAST_FRAMES]
        if not shorter and not forced:  # no way leads back anywhere: a run that is followed to its end stays there
            return Parts(True, np.zeros(0, dtype=np.intp), [], np.zeros(0, dtype=np.bool_), NO_JUMPS)
        if not shorter or shorter == pieces:
            break
        pieces, allowed = shorter, _with_future(shorter, bounds.period, len(weights))
        jumps = jumps.where(kept[jumps.here] & allowed[jumps.there])
    pieces = _with_margins(pieces, runs)
    frames = np.concatenate([np.arange(a, b) for a, b in pieces])
    number = np.full(len(weights), -1)
    number[frames] = np.arange(len(frames))
    usable = usable.where((number[usable.here] >= 0) & (number[usable.there] >= 0))
    usable = usable._replace(here=number[usable.here], there=number[usable.there])
    return Parts(True, frames, _runs(np.array([b - a for a, b in pieces])), allowed[frames], usable)


def _with_margins(pieces: list[Span], runs: list[Span]) -> list[Span]:
    """Pieces with the frames before them, where they were cut, that are read where they are entered."""
    starts, last, out = {start for start, _ in runs}, 0, []
    for start, stop in pieces:
        early = start if start in starts else max(start - MARGIN, last, max(a for a in starts if a <= start))
        out.append((early, stop))
        last = stop
    return out


def _runs(lengths: Ints) -> list[tuple[int, int]]:
    """Where runs of these lengths start and stop."""
    stops = np.cumsum(lengths)
    return [(int(stop - length), int(stop)) for stop, length in zip(stops, lengths, strict=True)]


def _with_future(runs: list[Span], period: float, frames: int) -> Bools:
    """Kernels that have some way to go before their run ends."""
    out = np.zeros(frames, dtype=np.bool_)
    for start, stop in runs:
        need = min(FUTURE * period, LEAST_FUTURE * (stop - start))
        out[start : max(int(np.floor(stop - 1 - need)) + 1, start + 1)] = True
    return out


def _way_back(run: tuple[int, int], runs: list[tuple[int, int]], weights: Floats, period: float) -> float:
    """How far the end of a run is from kernels that still have a cycle, or half of their run, before them."""
    start, stop = run
    last = weights[max(start, stop - max(int(END * (stop - start)), 2)) : stop]
    early = [weights[a : max(b - int(min(period, 0.5 * (b - a))), a + 1)] for a, b in runs]
    return float(np.linalg.norm(last[:, None] - np.concatenate(early)[None, :: _stride(early)], axis=2).min())


def _stride(parts: list[Floats]) -> int:
    """Every kernel of some thousands, fewer of more."""
    return max(sum(map(len, parts)) // 4000, 1)


Exit = tuple[int, int]


def _exit(piece: Span, jumps: Jumps, period: float, is_cut: bool) -> Exit:
    """The kernel near a run's end from which a jump on is mildest, and where it leads.

    It is looked for in the last period; a take may end with something that it never did before: where no jump keeps to
    the limits, as far back as its middle. Of a piece that was cut before its run's end, the last one that does.
    """
    start, stop = piece
    for window in (min(period, LATE * (stop - start)), EARLIEST * (stop - start)):
        low = max(stop - int(window), start + 1)
        late = jumps.where((jumps.here >= low) & (jumps.here < stop) & ~((jumps.there >= low) & (jumps.there < stop)))
        mild = late.where(late.strains <= 1.0)
        if len(mild.here):
            early = (stop - 1 - mild.here) / max(window, 1.0)
            best = int(mild.here.argmax() if is_cut else np.argmin(mild.strains * (1.0 + PENALTY * early)))
            return int(mild.here[best]), int(mild.there[best])
    if not len(late.here):
        return stop - 1, start
    best = int(late.strains.argmin())
    return int(late.here[best]), int(late.there[best])


def _are_exits(jumps: Jumps, exits: list[Exit]) -> Bools:
    """Which jumps are those by which runs are left."""
    goals = dict(exits)
    return np.array([goals.get(a) == b for a, b in zip(jumps.here.tolist(), jumps.there.tolist(), strict=True)], bool)


def _connected(kernels: int, runs: list[Span], exits: list[Exit], jumps: Jumps) -> Bools:
    """The largest set of kernels in which each can be reached from each, by following and by jumps.

    A jump leads to where its offset is gone, since there is no other before; what it passes until then belongs to it.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    landings = jumps.landings(runs)
    following = [np.arange(start, leave) for (start, _), (leave, _) in zip(runs, exits, strict=True)]
    sources = np.concatenate([jumps.here, *following])
    goals = np.concatenate([landings, *(frames + 1 for frames in following)])
    graph = coo_array((np.ones(len(sources), dtype=np.int8), (sources, goals)), shape=(kernels, kernels))
    _, label = connected_components(graph.tocsr(), directed=True, connection="strong")
    left = np.zeros(kernels, dtype=np.bool_)
    for (_, stop), (leave, _) in zip(runs, exits, strict=True):
        left[leave + 1 : stop] = True
    largest = int(np.bincount(label[~left], minlength=int(label.max()) + 1).argmax())
    connected = (label == largest) & ~left
    inside = connected[jumps.here] & connected[landings]
    passed = np.zeros(kernels + 1, dtype=np.intp)
    np.add.at(passed, jumps.there[inside], 1)
    np.subtract.at(passed, landings[inside], 1)
    return np.asarray(connected | (np.cumsum(passed)[:kernels] > 0))


def _pieces(kept: Bools, runs: list[Span]) -> list[Span]:
    """The runs that are left, cut at every kernel that is not kept."""
    from freshtake.motion.planting.contacts import runs as runs_of

    return [(start + a, start + b) for start, stop in runs for a, b in runs_of(kept[start:stop])]
