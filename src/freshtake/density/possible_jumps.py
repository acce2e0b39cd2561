"""Jumps from one recorded moment to another that synthesis could make, and how hard each would be: offline."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.density.runs import Limits, Place, aligned_place, eased, read_at
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.compiled import compiled

MOST_PAIRS = 1_000_000  # looked at in all
LEAST_NEIGHBORS, MOST_NEIGHBORS = 16, 512  # looked at per kernel
MOST_JUMPS = 12  # of one kernel: the nearest
BEFORE = (0.0, 0.25, 0.75)  # frames before a kernel at which a run that ends there may be left

Span = tuple[int, int]


class Jumps(NamedTuple):
    """From kernels `here` (jumps,) to kernels `there` (jumps,) of other moments."""

    here: Ints
    there: Ints
    squares: Floats  # squared distance in pose and velocity, in kernel widths
    strains: Floats  # second difference or distance from both runs, over what is allowed
    durations: Floats  # frames until the offset is gone

    def where(self, mask: Bools) -> Jumps:
        """Some of them."""
        here, there, squares, strains, durations = self
        return Jumps(here[mask], there[mask], squares[mask], strains[mask], durations[mask])

    def landings(self, runs: list[Span]) -> Ints:
        """The kernels (jumps,) at which offsets are gone, or the last ones of their runs."""
        stops = np.array([stop for _, stop in runs])
        lasts = stops[np.searchsorted(stops, self.there, side="right")] - 1
        return np.asarray(np.minimum(self.there + np.ceil(self.durations).astype(np.intp), lasts))


NO_JUMPS = Jumps(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0), np.zeros(0), np.zeros(0))


def possible_jumps(
    weights: Floats, places: Floats, runs: list[Span], allowed: Bools, guard: float, limits: Limits
) -> Jumps:
    """To the best moment of every passage near a kernel.

    `weights` are mode weights (kernels, modes), `places` poses and velocities in kernel widths, `allowed` (kernels,)
    what may be jumped to, `guard` the frames to either side that are no other moment.
    """
    here, there, squares = _nearest_moments(places, runs, guard)
    open_to = allowed[there]
    here, there, squares = here[open_to], there[open_to], squares[open_to]
    strains, durations = np.empty(len(here)), np.empty(len(here))
    jump_strains(np.ascontiguousarray(weights), np.array(runs), here, there, limits, strains, durations)
    return Jumps(here, there, squares, strains, durations)


def _nearest_moments(places: Floats, runs: list[Span], guard: float) -> tuple[Ints, Ints, Floats]:
    """Kernels, the nearest others whose neighbours in time are farther away from them, and squared distances."""
    from scipy.spatial import cKDTree

    kernels = len(places)
    count = int(np.clip(MOST_PAIRS // kernels, LEAST_NEIGHBORS, MOST_NEIGHBORS)) + int(2 * guard)
    distances, neighbors = map(np.asarray, cKDTree(places).query(places, k=min(count, kernels)))
    here = np.repeat(np.arange(kernels), distances.size // kernels)
    there, squares = neighbors.ravel(), distances.ravel() ** 2
    order = np.lexsort((there, here))
    here, there, squares = here[order], there[order], squares[order]
    run = np.repeat(np.arange(len(runs)), [stop - start for start, stop in runs])
    best = (run[here] != run[there]) | (np.abs(here - there) > guard)
    beside = (here[1:] == here[:-1]) & (there[1:] == there[:-1] + 1) & (run[there[1:]] == run[there[:-1]])
    best[1:] &= ~(beside & (squares[:-1] <= squares[1:]))
    best[:-1] &= ~(beside & (squares[1:] < squares[:-1]))
    here, there, squares = here[best], there[best], squares[best]
    order = np.lexsort((squares, here))
    rank = np.empty(len(here), dtype=np.intp)
    rank[order] = np.arange(len(here)) - np.searchsorted(here, here)
    near = rank < MOST_JUMPS
    return here[near], there[near], squares[near]


@compiled
def jump_strains(
    weights: Floats, runs: Ints, here: Ints, there: Ints, limits: Limits, strains: Floats, durations: Floats
) -> None:
    """How hard jumps from kernels to others (pairs,) would be, over what is allowed, and how long they would take.

    What a synthesis would do that follows the run at its own pace, at a kernel or shortly before it: the harder one.
    `runs` (runs, 2) are start and stop.
    """
    modes = weights.shape[1]
    held, offset = np.zeros((4, modes)), np.empty((2, modes))
    for c in range(len(here)):
        i, j = here[c], there[c]
        a = int(np.searchsorted(runs[:, 1], i, side="right"))
        b = int(np.searchsorted(runs[:, 1], j, side="right"))
        first, last = runs[a, 0], runs[a, 1] - 1
        strains[c], durations[c] = 0.0, 0.0
        for early in BEFORE:
            at = max(i - early, float(first))
            read_at(weights, at, first, last, modes, held[0])
            read_at(weights, at - 1.0, first, last, modes, held[1])
            place = aligned_place(weights, modes, held[0], j, runs[b, 0], runs[b, 1] - 1)
            source, goal = Place(at, first, last), Place(place, runs[b, 0], runs[b, 1] - 1)
            strain, duration = eased(weights, modes, held, source, goal, 1.0, limits, offset)
            strains[c], durations[c] = max(strains[c], strain), max(durations[c], duration)
