"""Dynamic time warping: the cheapest monotone matching of two tracks, many pairs at a time.

The recursion is the symmetric one of Sakoe and Chiba (1978): D[i, j] = min(D[i-1, j] + c, D[i, j-1] + c,
D[i-1, j-1] + 2 c) with c the distance of frames i and j, started at D[0, 0] = 2 c. Divided by n + m it is a
mean distance per frame, equal in both directions and 0 for a track against itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.motion.pose_space import distances
from freshtake.numeric.arrays import Floats, Ints

BLOCK = 6_000_000  # numbers of all cost matrices held at a time


def dtw_distances(pairs: Sequence[tuple[Floats, Floats]]) -> Floats:
    """The distance of every pair of row sequences."""
    found = np.zeros(len(pairs))
    start = 0
    while start < len(pairs):
        stop, room = start, 0
        while stop < len(pairs) and (stop == start or room + len(pairs[stop][0]) * len(pairs[stop][1]) <= BLOCK):
            room += len(pairs[stop][0]) * len(pairs[stop][1])
            stop += 1
        costs = [distances(a, b) for a, b in pairs[start:stop]]
        for number, (cost, total) in enumerate(zip(costs, _totals(costs), strict=True)):
            found[start + number] = total / sum(cost.shape)
        start = stop
    return found


def _totals(costs: list[Floats]) -> Floats:
    """The last D of every cost matrix; all run side by side along their anti-diagonals."""
    rows, columns = max(c.shape[0] for c in costs), max(c.shape[1] for c in costs)
    ends = np.array([c.shape[0] + c.shape[1] - 2 for c in costs])
    last_row = np.array([c.shape[0] - 1 for c in costs])
    padded = np.full((len(costs), rows, columns), np.inf)
    for number, cost in enumerate(costs):
        padded[number, : cost.shape[0], : cost.shape[1]] = cost
    before = np.full((len(costs), rows), np.inf)
    current = np.full((len(costs), rows), np.inf)
    current[:, 0] = 2.0 * padded[:, 0, 0]
    totals = np.where(ends == 0, current[:, 0], 0.0)
    for diagonal in range(1, rows + columns - 1):
        low, high = max(0, diagonal - columns + 1), min(rows - 1, diagonal)
        i = np.arange(low, high + 1)
        cost = padded[:, i, diagonal - i]
        fresh = np.full_like(current, np.inf)
        left = current[:, i]  # from (i, j - 1)
        above = np.where(i > 0, current[:, i - 1], np.inf)  # from (i - 1, j)
        across = np.where(i > 0, before[:, i - 1], np.inf)  # from (i - 1, j - 1)
        fresh[:, i] = np.minimum(np.minimum(left, above) + cost, across + 2.0 * cost)
        before, current = current, fresh
        done = np.flatnonzero(ends == diagonal)
        totals[done] = current[done, last_row[done]]
    return totals


def dtw_table(cost: Floats) -> Floats:
    """D of one cost matrix in full, row by row and entry by entry: what backtracking needs."""
    rows, columns = cost.shape
    table = np.full((rows + 1, columns + 1), np.inf)
    table[0, 0] = 0.0
    for diagonal in range(rows + columns - 1):
        i = np.arange(max(0, diagonal - columns + 1), min(rows - 1, diagonal) + 1)
        j = diagonal - i
        c = cost[i, j]
        table[i + 1, j + 1] = np.minimum(np.minimum(table[i, j + 1], table[i + 1, j]) + c, table[i, j] + 2.0 * c)
    return table[1:, 1:]


def dtw_path(a: Floats, b: Floats) -> Ints:
    """(steps, 2): matched frame numbers of a and b, from the first pair to the last."""
    cost = distances(a, b)
    table = dtw_table(cost)
    i, j = len(a) - 1, len(b) - 1
    path = [(i, j)]
    while i > 0 or j > 0:
        options = []
        if i > 0 and j > 0:
            options.append((table[i - 1, j - 1] + 2.0 * cost[i, j], i - 1, j - 1))
        if i > 0:
            options.append((table[i - 1, j] + cost[i, j], i - 1, j))
        if j > 0:
            options.append((table[i, j - 1] + cost[i, j], i, j - 1))
        _, i, j = min(options, key=lambda option: option[0])
        path.append((i, j))
    return np.array(path[::-1], dtype=np.intp)


def laid_on(template: Floats, rows: Floats) -> Floats:
    """The rows read at the times of the template: per template frame the mean place of those matched to it.

    Those places form a staircase; it is smoothed by a short moving average (its ends kept), so that time runs evenly.
    """
    path = dtw_path(template, rows)
    sums = np.bincount(path[:, 0], weights=path[:, 1], minlength=len(template))
    places = sums / np.bincount(path[:, 0], minlength=len(template))
    reach = min(3, (len(places) - 1) // 2)
    if reach > 0:
        before, after = 2 * places[0] - places[reach:0:-1], 2 * places[-1] - places[-2 : -reach - 2 : -1]
        padded = np.concatenate([before, places, after])
        places = np.convolve(padded, np.full(2 * reach + 1, 1.0 / (2 * reach + 1)), mode="valid")
    places = np.clip(np.maximum.accumulate(places), 0, len(rows) - 1)
    low = np.minimum(places.astype(np.intp), max(len(rows) - 2, 0))
    share = (places - low)[:, None]
    high = np.minimum(low + 1, len(rows) - 1)
    return np.asarray(rows[low] * (1.0 - share) + rows[high] * share)
