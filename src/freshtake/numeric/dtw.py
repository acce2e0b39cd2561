"""Dynamic time warping of two series of rows, by dynamic programming; all such recursions are here.

A cell of the cost matrix counts `straight` times if the path steps along both axes, as at its first cell, and
1 + `still` times if it steps along one axis. The plain form (1, 1) has a small penalty on pauses (still = 0.1);
the symmetric form of Sakoe and Chiba (1978) is straight = 2, still = 0, whose sum divided by n + m is a mean distance.

Also dynamic time warping under the local constraints of Rabiner and Juang 1993, as a baseline for motion warping.
"""

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled

TYPES = {
    1: ((1, 1), (1, 0), (0, 1)),  # Type I: any pace, including pauses
    3: ((1, 1), (2, 1), (1, 2)),  # Type III: between half and double pace
}


@compiled
def costs(a: Floats, b: Floats) -> Floats:
    """Return squared Euclidean distances (rows of a, rows of b)."""
    out = np.empty((a.shape[0], b.shape[0]))
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            total = 0.0
            for d in range(a.shape[1]):
                difference = a[i, d] - b[j, d]
                total += difference * difference
            out[i, j] = total
    return out


@compiled
def accumulate(cost: Floats, still: float, straight: float = 1.0) -> Floats:
    """Compute the cheapest sums to every cell from the first one; a step along one axis costs (1 + still) cells."""
    n, m = cost.shape
    total = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            c = cost[i, j]
            # The first cell counts as a straight step, so that swapping the series changes nothing.
            if i == 0 and j == 0:
                total[i, j] = straight * c
                continue
            best = np.inf
            if i > 0 and j > 0:
                best = total[i - 1, j - 1] + straight * c
            if i > 0:
                best = min(best, total[i - 1, j] + (1.0 + still) * c)
            if j > 0:
                best = min(best, total[i, j - 1] + (1.0 + still) * c)
            total[i, j] = best
    return total


@compiled
def backtrack(cost: Floats, total: Floats, still: float, straight: float = 1.0) -> Ints:
    """Return the cheapest path (steps, 2) from the first cell to the last."""
    steps = np.array([[1, 1], [1, 0], [0, 1]], dtype=np.intp)
    return _cheapest_path(cost, total, steps, np.array([straight, 1.0 + still, 1.0 + still]))


@compiled
def cheapest(cost: Floats, still: float, straight: float) -> float:
    """Return the last of the sums of `accumulate`, with memory for two rows only."""
    n, m = cost.shape
    before, total = np.full(m, np.inf), np.full(m, np.inf)
    for i in range(n):
        # Two rows are enough for the sum alone; the path would need all of them.
        before, total = total, before
        for j in range(m):
            c = cost[i, j]
            if i == 0 and j == 0:
                total[j] = straight * c
                continue
            best = before[j] + (1.0 + still) * c
            if j > 0:
                best = min(best, before[j - 1] + straight * c, total[j - 1] + (1.0 + still) * c)
            total[j] = best
    return total[m - 1]


@compiled
def open_ends(cost: Floats, penalty: float) -> tuple[Floats, Ints]:
    """Return for every column the cheapest sum of a warp of all rows that ends there, and the column where it starts.

    D[i, j] = c[i, j] + min(D[i-1, j-1], D[i-1, j-2] + p, D[i-2, j-1] + c[i-1, j] + p), free to start at any column;
    p = penalty * c[i, j] keeps the tempo even, which lies between a half and two. Infinite where no such warp ends.
    """
    rows, columns = cost.shape
    total, start = cost[0].copy(), np.arange(columns)
    before, start_before = np.full(columns, np.inf), np.arange(columns)
    for i in range(1, rows):
        fresh, fresh_start = np.full(columns, np.inf), np.zeros(columns, dtype=np.intp)
        for j in range(1, columns):
            # Each change of tempo is penalized, or still frames could be stretched for free.
            p = penalty * cost[i, j]
            best, origin = total[j - 1], start[j - 1]
            if j > 1 and total[j - 2] + p < best:
                best, origin = total[j - 2] + p, start[j - 2]
            if before[j - 1] + cost[i - 1, j] + p < best:
                best, origin = before[j - 1] + cost[i - 1, j] + p, start_before[j - 1]
            fresh[j], fresh_start[j] = best + cost[i, j], origin
        before, total = total, fresh
        start_before, start = start, fresh_start
    return total, start


def warp_path(a: Floats, b: Floats, still: float = 0.1) -> tuple[Ints, float]:
    """Return the cheapest path between two series and its cost per step."""
    cost = costs(np.ascontiguousarray(a), np.ascontiguousarray(b))
    total = accumulate(cost, still)
    path = backtrack(cost, total, still)
    return path, float(total[-1, -1]) / len(path)


def constrained_path(cost: Floats, kind: int) -> tuple[Ints, float]:
    """Return the cheapest path (steps, 2) from the first cell to the last by steps of type I or III, and its cost.

    Every cell is weighted by the length of the step into it, rows plus columns, so that no path gains by being shorter.
    """
    steps = np.array(TYPES[kind], dtype=np.intp)
    total = _accumulate(np.ascontiguousarray(cost), steps)
    path = _cheapest_path(cost, total, steps, steps.sum(axis=1).astype(np.float64))
    return path, float(total[-1, -1])


@compiled
def _accumulate(cost: Floats, steps: Ints) -> Floats:
    n, m = cost.shape
    total = np.full((n, m), np.inf)
    # The first cell counts as a diagonal step, a row and a column.
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


@compiled
def _cheapest_path(cost: Floats, total: Floats, steps: Ints, prices: Floats) -> Ints:
    """Trace the path back from the last cell, taking the first of equal steps; empty if no path reaches that cell.

    A step's price is the factor by which the cost of its last cell is multiplied.
    """
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
                sum_here = total[before, left] + prices[k] * cost[i, j]
                if sum_here < best:
                    best, at = sum_here, k
        # Steps of these types cannot reach every cell: series whose lengths differ too much have no path.
        if best == np.inf:
            return path[:0]
        i, j = i - steps[at, 0], j - steps[at, 1]
    return path[:length][::-1].copy()
