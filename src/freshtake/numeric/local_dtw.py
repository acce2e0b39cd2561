"""Dynamic time warping under local constraints of Rabiner and Juang 1993: the peers of iterative motion warping."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import kernel

TYPES = {
    1: ((1, 1), (1, 0), (0, 1)),  # Type I: any pace, standing still included
    3: ((1, 1), (2, 1), (1, 2)),  # Type III: between half and double pace
}


def constrained_path(cost: Floats, kind: int) -> tuple[Ints, float]:
    """The cheapest path (steps, 2) from the first cell to the last by steps of type I or III, and its cost.

    Every cell counts by the length of the step into it, rows plus columns, so that no path gains by being shorter.
    """
    steps = np.array(TYPES[kind], dtype=np.intp)
    total = _accumulate(np.ascontiguousarray(cost), steps)
    return _backtrack(cost, total, steps), float(total[-1, -1])


@kernel
def _accumulate(cost: Floats, steps: Ints) -> Floats:
    n, m = cost.shape
    total = np.full((n, m), np.inf)
    total[0, 0] = 2.0 * cost[0, 0]
    for i in range(n):
        for j in range(m):
            best = total[i, j]
            for k in range(len(steps)):
                before, left = i - steps[k, 0], j - steps[k, 1]
                if before >= 0 and left >= 0:
                    best = min(best, total[before, left] + (steps[k, 0] + steps[k, 1]) * cost[i, j])
            total[i, j] = best
    return total


@kernel
def _backtrack(cost: Floats, total: Floats, steps: Ints) -> Ints:
    i, j = cost.shape[0] - 1, cost.shape[1] - 1
    path = np.empty((i + j + 1, 2), dtype=np.intp)
    length = 0
    while True:
        path[length, 0], path[length, 1] = i, j
        length += 1
        if i == 0 and j == 0:
            break
        best, at = np.inf, 0
        for k in range(len(steps)):
            before, left = i - steps[k, 0], j - steps[k, 1]
            if before >= 0 and left >= 0:
                sum_here = total[before, left] + (steps[k, 0] + steps[k, 1]) * cost[i, j]
                if sum_here < best:
                    best, at = sum_here, k
        if best == np.inf:
            return path[:0]
        i, j = i - steps[at, 0], j - steps[at, 1]
    return path[:length][::-1].copy()
