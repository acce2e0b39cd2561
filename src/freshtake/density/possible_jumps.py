"""The possible jumps of a synthesis, their strains, and the kernels that they connect; offline.

Synthesis stays in the largest strongly connected part: runs are cut to this part and left by jumps that stay in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from freshtake.density.examples import LEAST_FRAMES
from freshtake.density.jumps import FARTHER
from freshtake.density.runs import Limits, Place, aligned_place, eased, read_at
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.numeric.curves import runs as contiguous
from freshtake.numeric.graphs import nearest, strong_parts

LEAST_NEIGHBORS, MOST_NEIGHBORS = 16, 512  # neighbours examined per kernel
BEFORE = (0.0, 0.25, 0.75)  # frames before a kernel at which a synthesis may leave the kernel's run
LATE, EARLIEST = 0.25, 0.5  # last fraction of a run in which synthesis must leave it; larger if no jump there is mild
MARGIN = 2  # frames before a kernel that are read when a motion starts to follow it

Span = tuple[int, int]


class Jumps(NamedTuple):
    """From kernels `here` (jumps,) to kernels `there` (jumps,) of other moments."""

    here: Ints
    there: Ints
    squares: Floats  # squared distances in pose and velocity, in kernel widths
    strains: Floats  # second differences or distances from both runs, relative to the limits
    durations: Floats  # frames until the offset has decayed

    def where(self, mask: Bools) -> Jumps:
        """Return the jumps that a mask selects."""
        here, there, squares, strains, durations = self
        return Jumps(here[mask], there[mask], squares[mask], strains[mask], durations[mask])

    def landings(self, runs: list[Span]) -> Ints:
        """Return the kernels (jumps,) at which offsets have decayed, or the last kernels of their runs."""
        stops = np.array([stop for _, stop in runs])
        lasts = stops[np.searchsorted(stops, self.there, side="right")] - 1
        return np.asarray(np.minimum(self.there + np.ceil(self.durations).astype(np.intp), lasts))


NO_JUMPS = Jumps(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0), np.zeros(0), np.zeros(0))


class Bounds(NamedTuple):
    """Frames of a cycle, frames to either side that count as the same moment, and the limits of jumps."""

    period: float
    guard: float
    limits: Limits


def possible_jumps(weights: Floats, places: Floats, runs: list[Span], allowed: Bools, bounds: Bounds) -> Jumps:
    """Find jumps to the best frame of every passage near a kernel.

    `weights` are mode weights (kernels, modes), `places` poses and velocities in kernel widths; jumps lead to `allowed`
    kernels (kernels,) only.
    """
    here, there, squares = _nearest_moments(places, runs, bounds.guard)
    possible = allowed[there]
    here, there, squares = here[possible], there[possible], squares[possible]
    strains, durations = np.empty(len(here)), np.empty(len(here))
    jump_strains(np.ascontiguousarray(weights), np.array(runs), here, there, bounds.limits, strains, durations)
    return Jumps(here, there, squares, strains, durations)


def _nearest_moments(places: Floats, runs: list[Span], guard: float) -> tuple[Ints, Ints, Floats]:
    """Return kernels, their nearest others (local minima over time), and squared distances."""
    kernels = len(places)
    # About a million pairs are examined in all, which bounds time and memory for long takes.
    count = int(np.clip(1_000_000 // kernels, LEAST_NEIGHBORS, MOST_NEIGHBORS)) + int(2 * guard)
    distances, neighbors = nearest(places, places, min(count, kernels))
    here = np.repeat(np.arange(kernels), distances.size // kernels)
    there, squares = neighbors.ravel(), distances.ravel() ** 2
    order = np.lexsort((there, here))
    here, there, squares = here[order], there[order], squares[order]
    run = np.repeat(np.arange(len(runs)), [stop - start for start, stop in runs])
    best = (run[here] != run[there]) | (np.abs(here - there) > guard)
    adjacent = (here[1:] == here[:-1]) & (there[1:] == there[:-1] + 1) & (run[there[1:]] == run[there[:-1]])
    best[1:] &= ~(adjacent & (squares[:-1] <= squares[1:]))
    best[:-1] &= ~(adjacent & (squares[1:] < squares[:-1]))
    here, there, squares = here[best], there[best], squares[best]
    order = np.lexsort((squares, here))
    rank = np.empty(len(here), dtype=np.intp)
    rank[order] = np.arange(len(here)) - np.searchsorted(here, here)
    # Each kernel has jumps to the twelve nearest moments.
    near = rank < 12
    return here[near], there[near], squares[near]


@compiled
def jump_strains(
    weights: Floats, runs: Ints, here: Ints, there: Ints, limits: Limits, strains: Floats, durations: Floats
) -> None:
    """Fill in the strains of jumps from kernels to others (pairs,), relative to the limits, and their durations.

    A synthesis leaves the run, at the recorded pace, at a kernel or shortly before it: the harder case counts.
    `runs` (runs, 2) are start and stop.
    """
    modes = weights.shape[1]
    history, offset = np.zeros((4, modes)), np.empty((2, modes))
    for c in range(len(here)):
        i, j = here[c], there[c]
        a = int(np.searchsorted(runs[:, 1], i, side="right"))
        b = int(np.searchsorted(runs[:, 1], j, side="right"))
        first, last = runs[a, 0], runs[a, 1] - 1
        strains[c], durations[c] = 0.0, 0.0
        for early in BEFORE:
            at = max(i - early, float(first))
            read_at(weights, at, first, last, modes, history[0])
            read_at(weights, at - 1.0, first, last, modes, history[1])
            place = aligned_place(weights, modes, history[0], j, runs[b, 0], runs[b, 1] - 1)
            source, goal = Place(at, first, last), Place(place, runs[b, 0], runs[b, 1] - 1)
            strain, duration = eased(weights, modes, history, source, goal, 1.0, limits, offset)
            strains[c], durations[c] = max(strains[c], strain), max(durations[c], duration)


class Parts(NamedTuple):
    """The remaining pieces of one class, in order, and whether it is cyclic.

    `frames` (kernels,) are the remaining frames; `pieces`, `allowed` and `jumps` are numbered among them.
    """

    cyclic: bool
    frames: Ints
    pieces: list[Span]
    allowed: Bools  # (kernels,): may be jumped to
    jumps: Jumps


def parts_of(weights: Floats, places: Floats, lengths: Ints, bounds: Bounds, cyclic: bool | None) -> Parts:
    """Return the part of a class within which synthesis can cycle.

    `weights` are mode weights (frames, modes), `places` poses and velocities in kernel widths, `lengths` the numbers of
    frames of the runs.
    """
    runs = _runs(lengths)
    if cyclic is None:
        steps = np.concatenate([np.linalg.norm(np.diff(weights[a:b], axis=0), axis=1) for a, b in runs])
        gaps = [_return_gap(run, runs, weights, bounds.period) for run in runs]
        # A class whose runs end within seven usual steps of where they can continue is cyclic.
        cyclic = bool(np.median(gaps) <= 7.0 * np.median(steps))
    if not cyclic:
        allowed = _with_future(runs, bounds.period, len(weights))
        return Parts(False, np.arange(len(weights)), runs, allowed, NO_JUMPS)
    parts = _largest_part(weights, places, runs, bounds, quick=False)
    if len(parts.frames) >= 0.8 * len(weights):
        return parts
    # If less than 0.8 of a class is connected, jumps may be quick and lead farther away.
    limits = bounds.limits._replace(far=FARTHER * bounds.limits.far)
    larger = _largest_part(weights, places, runs, bounds._replace(limits=limits), quick=True)
    return max(parts, larger, key=lambda each: len(each.frames))


def closed_parts(weights: Floats, places: Floats, lengths: Ints, bounds: Bounds) -> Parts:
    """Keep single-cycle takes complete; kernels with some frames left before the end may be jumped to."""
    runs = _runs(lengths)
    allowed = _with_future(runs, bounds.period, len(weights))
    jumps = possible_jumps(weights, places, runs, allowed, bounds)
    return Parts(True, np.arange(len(weights)), runs, allowed, jumps.where(jumps.strains <= 1.0))


def _largest_part(weights: Floats, places: Floats, runs: list[Span], bounds: Bounds, *, quick: bool) -> Parts:
    """Return what remains when runs are cut until every kernel can be reached from every other.

    A cut also removes jumps to kernels with few frames left before it, so cutting is repeated. The strain of a jump
    does not change: the frames recorded after a cut still show how the motion might have continued. `quick` allows
    jumps that are evened out faster than usual.
    """
    allowed = _with_future(runs, bounds.period, len(weights))
    jumps = possible_jumps(weights, places, runs, allowed, bounds)
    jumps = jumps if quick else jumps.where(jumps.durations >= bounds.limits.blend)
    jumps = jumps.where(~np.isin(jumps.there, [start + k for start, _ in runs for k in range(MARGIN)]))
    pieces, ends = runs, {stop for _, stop in runs}
    while True:
        exits = [_exit(piece, jumps, bounds.period, piece[1] not in ends) for piece in pieces]
        usable = jumps.where(jumps.strains <= 1.0)
        connected = _connected(len(weights), pieces, exits, usable)
        # The remaining runs are cut at every kernel that is not connected.
        cut = [(start + a, start + b) for start, stop in pieces for a, b in contiguous(connected[start:stop])]
        shorter = [(a, b) for a, b in cut if b - a >= LEAST_FRAMES]
        if not shorter:  # Nothing leads back: synthesis stops at the end of a run.
            return Parts(True, np.zeros(0, dtype=np.intp), [], np.zeros(0, dtype=np.bool_), NO_JUMPS)
        if shorter == pieces:
            break
        pieces, allowed = shorter, _with_future(shorter, bounds.period, len(weights))
        jumps = jumps.where(connected[jumps.here] & allowed[jumps.there])
    pieces = _with_margins(pieces, runs)
    frames = np.concatenate([np.arange(a, b) for a, b in pieces])
    number = np.full(len(weights), -1)
    number[frames] = np.arange(len(frames))
    usable = usable.where((number[usable.here] >= 0) & (number[usable.there] >= 0))
    usable = usable._replace(here=number[usable.here], there=number[usable.there])
    return Parts(True, frames, _runs([b - a for a, b in pieces]), allowed[frames], usable)


def _with_margins(pieces: list[Span], runs: list[Span]) -> list[Span]:
    """Return pieces extended by the frames before them that are read on entry."""
    last, out = 0, []
    for start, stop in pieces:
        out.append((max(start - MARGIN, last, max(a for a, _ in runs if a <= start)), stop))
        last = stop
    return out


def _runs(lengths: Sequence[int] | Ints) -> list[Span]:
    """Return the starts and stops of runs of these lengths."""
    return list(pairwise([0, *np.cumsum(lengths).tolist()]))


def _with_future(runs: list[Span], period: float, frames: int) -> Bools:
    """Return kernels that have some frames left before their run ends."""
    out = np.zeros(frames, dtype=np.bool_)
    for start, stop in runs:
        # The target of a jump has half a cycle left, or a good part of a short run.
        need = min(0.5 * period, 0.4 * (stop - start))
        out[start : max(int(np.floor(stop - 1 - need)) + 1, start + 1)] = True
    return out


def _return_gap(run: Span, runs: list[Span], weights: Floats, period: float) -> float:
    """Return the distance from the end of a run to kernels with a cycle, or half of their run, left."""
    start, stop = run
    # The last twentieth of a run counts as its end.
    last = weights[max(start, stop - max(int(0.05 * (stop - start)), 2)) : stop]
    early = [weights[a : max(b - int(min(period, 0.5 * (b - a))), a + 1)] for a, b in runs]
    return float(nearest(np.concatenate(early), last)[0].min())


def _exit(piece: Span, jumps: Jumps, period: float, is_cut: bool) -> int:
    """Return the kernel near the end of a piece from which a jump is mildest.

    The last period is searched or, if no jump there is within the limits, the second half, since a take may end with
    something new. A piece that was cut before its run's end is left at the last kernel with a jump within the limits.
    """
    start, stop = piece
    for window in (min(period, LATE * (stop - start)), EARLIEST * (stop - start)):
        low = max(stop - int(window), start + 1)
        late = jumps.where((jumps.here >= low) & (jumps.here < stop) & ~((jumps.there >= low) & (jumps.there < stop)))
        mild = late.where(late.strains <= 1.0)
        if len(mild.here):
            early = (stop - 1 - mild.here) / max(window, 1.0)
            # A later exit wastes less of the run than an equally mild one before it.
            return int(mild.here[mild.here.argmax() if is_cut else np.argmin(mild.strains * (1.0 + 0.15 * early))])
    return int(late.here[late.strains.argmin()]) if len(late.here) else stop - 1


def _connected(kernels: int, runs: list[Span], exits: list[int], jumps: Jumps) -> Bools:
    """Return the largest set of kernels that can all be reached from each other, by following runs and by jumps.

    A jump leads to the kernel where its offset has decayed, since no other jump begins earlier. The kernels that it
    passes are connected too.
    """
    landings = jumps.landings(runs)
    following = [np.arange(start, leave) for (start, _), leave in zip(runs, exits, strict=True)]
    sources = np.concatenate([jumps.here, *following])
    goals = np.concatenate([landings, *(frames + 1 for frames in following)])
    label = strong_parts(sources, goals, kernels)
    skipped = np.zeros(kernels, dtype=np.bool_)
    for (_, stop), leave in zip(runs, exits, strict=True):
        skipped[leave + 1 : stop] = True
    largest = int(np.bincount(label[~skipped], minlength=int(label.max()) + 1).argmax())
    connected = (label == largest) & ~skipped
    inside = connected[jumps.here] & connected[landings]
    passed = np.zeros(kernels + 1, dtype=np.intp)
    np.add.at(passed, jumps.there[inside], 1)
    np.subtract.at(passed, landings[inside], 1)
    return np.asarray(connected | (np.cumsum(passed)[:kernels] > 0))
