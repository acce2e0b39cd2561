"""Where runs can be left and which kernels a synthesis can stay in: the largest strongly connected part."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.density.runs import Limits, Place, aligned_place, eased, read_at
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.compiled import compiled

NEIGHBORS, FEWER = 64, 16  # looked at per kernel; fewer where there are MANY
MANY = 20_000
ROUND_TRIP = 7.0  # usual steps from a run's end to a place where it can go on: nearer is cyclic
FUTURE = 0.5  # periods that a kernel has to have before it, to be jumped to
LEAST_FUTURE = 0.4  # share of the run, where runs are shorter
END = 0.05  # share of a run that counts as its end
LATE, EARLIEST = 0.25, 0.5  # share of a run in which it may be left for good; where no way leads on, more
PENALTY = 0.15  # how much an exit at the very start of the last period is put behind one at its end
BEFORE = (0.0, 0.25, 0.75)  # frames before a kernel at which a run that ends there may be left
CONNECTED = 2.0  # usual nearest-neighbour distances that a jump may span for two kernels to count as connected


class Parts(NamedTuple):
    """Per class: whether it is cyclic, which kernels stay, and which may be jumped to (both over all its frames)."""

    cyclic: bool
    kept: Bools
    allowed: Bools


class Bounds(NamedTuple):
    """Frames of a cycle, frames to either side that are no other moment, and what jumps keep to."""

    period: float
    guard: float
    limits: Limits


def parts_of(weights: Floats, places: Floats, lengths: Ints, bounds: Bounds, cyclic: bool | None) -> Parts:
    """The part of a class that synthesis can go round in, as (frames,) masks.

    `weights` are mode weights (frames, modes), `places` poses and velocities in kernel widths, `lengths` of the runs.
    """
    period = bounds.period
    runs = _runs(lengths)
    pairs = _pairs(places, runs, bounds.guard)
    allowed = _with_future(runs, period)
    exits = [_exit(run, pairs, weights, (allowed, runs), bounds) for run in runs]
    steps = np.concatenate([np.linalg.norm(np.diff(weights[a:b], axis=0), axis=1) for a, b in runs])
    gaps = [_way_back(run, runs, weights, period) for run in runs]
    goes_round = cyclic if cyclic is not None else bool(np.median(gaps) <= ROUND_TRIP * np.median(steps))
    if not goes_round:
        return Parts(False, np.ones(len(weights), dtype=np.bool_), allowed)
    kept = _connected(weights, runs, exits, pairs, bounds.limits.far)
    kept = _left_in_time(kept, exits, pairs, weights, (allowed & kept, runs), bounds)
    ends = _run_ends(kept, runs)
    reachable = kept & _with_future(ends, period, len(weights))
    return Parts(True, kept, reachable if reachable.any() else kept)


def closed_parts(lengths: Ints, period: float) -> Parts:
    """Of takes that are one cycle each: all of them, and all that has some way to go may be jumped to."""
    allowed = _with_future(_runs(lengths), period)
    return Parts(True, np.ones(len(allowed), dtype=np.bool_), allowed)


def _runs(lengths: Ints) -> list[tuple[int, int]]:
    """Where runs of these lengths start and stop."""
    stops = np.cumsum(lengths)
    return [(int(stop - length), int(stop)) for stop, length in zip(stops, lengths, strict=True)]


def _pairs(places: Floats, runs: list[tuple[int, int]], guard: float) -> tuple[Ints, Ints]:
    """Kernels (k,) and others (k,) near them that do not lie just beside them in the same run, nearest first."""
    from scipy.spatial import cKDTree

    count = min((NEIGHBORS if len(places) < MANY else FEWER) + int(2 * guard), len(places))
    near = np.asarray(cKDTree(places).query(places, k=count)[1]).reshape(len(places), count)
    run = np.concatenate([np.full(b - a, k) for k, (a, b) in enumerate(runs)])
    here = np.repeat(np.arange(len(places)), count)
    there = near.ravel()
    good = (run[here] != run[there]) | (np.abs(here - there) > guard)
    return here[good], there[good]


def _with_future(runs: list[tuple[int, int]], period: float, frames: int | None = None) -> Bools:
    """Kernels that have some way to go before their run ends."""
    out = np.zeros(frames if frames is not None else runs[-1][1], dtype=np.bool_)
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


Exit = tuple[int, int, float]
Goals = tuple[Bools, list[tuple[int, int]]]


def _exit(
    run: tuple[int, int], pairs: tuple[Ints, Ints], weights: Floats, goals: Goals, bounds: Bounds
) -> Exit:  # fmt: skip
    """The kernel of a run's last period from which a jump on is mildest, where it leads, and how hard it is.

    A take may end with something that it never did before: where no jump keeps to the limits (1), it is left earlier.
    """
    start, stop = run
    window = min(bounds.period, LATE * (stop - start))
    best = _exit_within(run, pairs, weights, goals, bounds.limits, int(window))
    while best[2] > 1.0 and window < EARLIEST * (stop - start):
        window = min(1.5 * window + 1.0, EARLIEST * (stop - start))
        found = _exit_within(run, pairs, weights, goals, bounds.limits, int(window))
        best = min(best, found, key=lambda one: one[2])
    return best


def _exit_within(
    run: tuple[int, int], pairs: tuple[Ints, Ints], weights: Floats, goals: Goals, limits: Limits, window: int
) -> Exit:
    """The kernel of the run's last `window` frames from which a jump on is mildest, as `_exit`."""
    start, stop = run
    allowed, runs = goals
    low = max(stop - window, start + 1)
    here, there = pairs
    mine = (here >= low) & (here < stop) & allowed[there] & ~((there >= low) & (there < stop))
    if not mine.any():
        return stop - 1, start, float(np.linalg.norm(weights[stop - 1] - weights[start])) / limits.far
    a, b = here[mine], there[mine]
    strain = np.empty(len(a))
    jump_strains(np.ascontiguousarray(weights), np.array(runs), a, b, limits, strain)
    late = (stop - 1 - a) / max(window, 1)
    best = int(np.argmin(strain * (1.0 + PENALTY * late)))
    return int(a[best]), int(b[best]), float(strain[best])


@compiled
def jump_strains(weights: Floats, runs: Ints, here: Ints, there: Ints, limits: Limits, out: Floats) -> None:
    """How hard jumps from kernels to others (pairs,) would be, over what is allowed; `runs` (runs, 2) start and stop.

    What a synthesis would do that follows the run at its own pace, at a kernel or shortly before it: the harder one.
    """
    modes = weights.shape[1]
    held, offset = np.zeros((4, modes)), np.empty((2, modes))
    for c in range(len(here)):
        i, j = here[c], there[c]
        a = int(np.searchsorted(runs[:, 1], i, side="right"))
        b = int(np.searchsorted(runs[:, 1], j, side="right"))
        first, last = runs[a, 0], runs[a, 1] - 1
        out[c] = 0.0
        for early in BEFORE:
            at = max(i - early, float(first))
            read_at(weights, at, first, last, modes, held[0])
            read_at(weights, at - 1.0, first, last, modes, held[1])
            place = aligned_place(weights, modes, held[0], j, runs[b, 0], runs[b, 1] - 1)
            source, goal = Place(at, first, last), Place(place, runs[b, 0], runs[b, 1] - 1)
            strain, _ = eased(weights, modes, held, source, goal, 1.0, limits, offset)
            out[c] = max(out[c], strain)


def _connected(
    weights: Floats, runs: list[tuple[int, int]], exits: list[Exit], pairs: tuple[Ints, Ints],
    near: float,
) -> Bools:  # fmt: skip
    """The largest set of kernels in which each can be reached from each, by following and by short jumps."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    here, there = pairs
    short = np.linalg.norm(weights[here] - weights[there], axis=1) <= CONNECTED * near
    sources, goals = [here[short]], [there[short]]
    for (start, _), (leave, goal, _) in zip(runs, exits, strict=True):
        sources += [np.arange(start, leave), np.array([leave])]
        goals += [np.arange(start + 1, leave + 1), np.array([goal])]
    a, b = np.concatenate(sources), np.concatenate(goals)
    graph = coo_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(len(weights), len(weights)))
    _, label = connected_components(graph.tocsr(), directed=True, connection="strong")
    past = np.zeros(len(weights), dtype=np.bool_)
    for (_, stop), (leave, _, _) in zip(runs, exits, strict=True):
        past[leave + 1 : stop] = True
    counts = np.bincount(label[~past], minlength=int(label.max()) + 1)
    return np.asarray((label == int(counts.argmax())) & ~past)


def _left_in_time(
    kept: Bools, exits: list[Exit], pairs: tuple[Ints, Ints], weights: Floats, goals: Goals, bounds: Bounds
) -> Bools:
    """Without what comes after the mildest jump on, of every piece that was cut before its run's exit."""
    out, leaves = kept.copy(), {leave for leave, _, _ in exits}
    for start, stop in _run_ends(kept, goals[1]):
        if stop - 1 not in leaves:
            leave, _, _ = _exit((start, stop), pairs, weights, goals, bounds)
            out[leave + 1 : stop] = False
    return out


def _run_ends(kept: Bools, runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The runs that are left, cut at every kernel that is not kept."""
    from freshtake.motion.planting.contacts import runs as runs_of

    return [(start + a, start + b) for start, stop in runs for a, b in runs_of(kept[start:stop])]
