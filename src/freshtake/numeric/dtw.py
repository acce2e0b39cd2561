"""Dynamic time warping of two series of rows, by dynamic programming with a small price on standing still."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import kernel


@kernel
def costs(a: Floats, b: Floats) -> Floats:
    """Squared Euclidean distances (rows of a, rows of b)."""
    out = np.empty((a.shape[0], b.shape[0]))
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            total = 0.0
            for d in range(a.shape[1]):
                difference = a[i, d] - b[j, d]
                total += difference * difference
            out[i, j] = total
    return out


@kernel
def accumulate(cost: Floats, still: float) -> Floats:
    """Cheapest sums to every cell from the first one; a step along one axis only costs (1 + still) times the cell."""
    n, m = cost.shape
    total = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            c = cost[i, j]
            if i == 0 and j == 0:
                total[i, j] = c
                continue
            best = np.inf
            if i > 0 and j > 0:
                best = total[i - 1, j - 1] + c
            if i > 0:
                best = min(best, total[i - 1, j] + (1.0 + still) * c)
            if j > 0:
                best = min(best, total[i, j - 1] + (1.0 + still) * c)
            total[i, j] = best
    return total


@kernel
def backtrack(cost: Floats, total: Floats, still: float) -> Ints:
    """The cheapest path (steps, 2) from the first cell to the last."""
    i, j = cost.shape[0] - 1, cost.shape[1] - 1
    path = np.empty((i + j + 1, 2), dtype=np.intp)
    length = 0
    while True:
        path[length, 0], path[length, 1] = i, j
        length += 1
        if i == 0 and j == 0:
            break
        c = cost[i, j]
        diagonal = total[i - 1, j - 1] + c if i > 0 and j > 0 else np.inf
        upward = total[i - 1, j] + (1.0 + still) * c if i > 0 else np.inf
        sideways = total[i, j - 1] + (1.0 + still) * c if j > 0 else np.inf
        if diagonal <= upward and diagonal <= sideways:
            i, j = i - 1, j - 1
        elif upward <= sideways:
            i -= 1
        else:
            j -= 1
    return path[:length][::-1]


def warp_path(a: Floats, b: Floats, still: float = 0.1) -> tuple[Ints, float]:
    """The cheapest path between two series and its cost per step."""
    cost = costs(np.ascontiguousarray(a), np.ascontiguousarray(b))
    total = accumulate(cost, still)
    path = backtrack(cost, total, still)
    return path, float(total[-1, -1]) / len(path)


def distance(a: Floats, b: Floats, still: float = 0.0) -> float:
    """Root of the mean squared distance along the cheapest path."""
    cost = costs(np.ascontiguousarray(a), np.ascontiguousarray(b))
    path = backtrack(cost, accumulate(cost, still), still)
    return float(np.sqrt(cost[path[:, 0], path[:, 1]].mean()))
