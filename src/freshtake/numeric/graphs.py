"""Nearest points, strongly connected parts of a graph, and pairings of minimum total cost."""

import numpy as np

from freshtake.numeric.arrays import Floats, Ints

AT_ONCE = 4_000_000  # distances in memory at a time
HALF_BLOCK = ((0, 0), (0, 1), (1, -1), (1, 0), (1, 1))  # so that every pair of neighbouring cells occurs once
BLOCK = (*HALF_BLOCK, (0, -1), (-1, 1), (-1, 0), (-1, -1))


def nearest(points: Floats, places: Floats, count: int = 1) -> tuple[Floats, Ints]:
    """Find the points (points, dimensions) nearest to each position (places, dimensions), by comparing all with all.

    Return distances and numbers of the points, both (places, count), nearest first, ties by number. `count` is at most
    the number of points.
    """
    center = points.mean(axis=0)
    points, places = points - center, places - center
    size = np.einsum("ij,ij->i", points, points)
    distances, numbers = np.empty((len(places), count)), np.empty((len(places), count), dtype=np.intp)
    for start in range(0, len(places), step := max(1, AT_ONCE // len(points))):
        some = places[start : start + step]
        # |p|² - 2 p·q ranks points as their distances do, and is one product of matrices.
        ranks = size - 2.0 * (some @ points.T)
        few = np.argpartition(ranks, count - 1, axis=1)[:, :count] if count < len(points) else np.argsort(ranks, axis=1)
        few.sort(axis=1)
        # The product's rounding errors are as large as small distances, so the chosen few are computed exactly.
        exact = np.linalg.norm(points[few] - some[:, None], axis=2)
        order = np.argsort(exact, axis=1, kind="stable")
        distances[start : start + step] = np.take_along_axis(exact, order, axis=1)
        numbers[start : start + step] = np.take_along_axis(few, order, axis=1)
    return distances, numbers


def pairs_within(points: Floats, reach: float) -> Ints:
    """Find all pairs of points (points, 2) that are at most `reach` apart.

    Return (pairs, 2): the numbers of two points, the smaller first; in order.
    """
    pairs = _in_blocks(points, np.arange(len(points)), reach, HALF_BLOCK)
    pairs = np.sort(pairs[np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1) <= reach], axis=1)
    # A cell contains the point itself, and pairs occur from both sides.
    return np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)


def nearest_others(points: Floats, who: Ints, count: int, reach: float) -> tuple[Floats, Ints]:
    """Find the nearest other points for some points of a plane, at most `reach` away; `who` (k,) are their numbers.

    Return distances and numbers, both (k, count), nearest first, ties by number; infinity and 0 for missing points.
    """
    distances, numbers = np.full((len(who), count), np.inf), np.zeros((len(who), count), dtype=np.intp)
    extent = float(np.prod(np.ptp(points, axis=0))) if len(points) else 0.0
    # Cells contain three points on average: fewer would make many cells, more would make many comparisons.
    cell = min(reach, max(np.sqrt(3.0 * extent / max(len(points), 1)), 1e-3 * reach))
    pending = np.arange(len(who))
    while len(pending):
        first, second = _in_blocks(points, who[pending], cell, BLOCK).T
        apart = np.linalg.norm(points[who[pending][first]] - points[second], axis=1)
        # Within the size of a cell the block contains all neighbours; farther away, some may be missing.
        sure = (apart <= cell) & (second != who[pending][first])
        first, second, apart = first[sure], second[sure], apart[sure]
        order = np.lexsort((second, apart, first))
        first, second, apart = first[order], second[order], apart[order]
        rank = np.arange(len(first)) - np.searchsorted(first, first)
        chosen = rank < count
        distances[pending[first[chosen]], rank[chosen]] = apart[chosen]
        numbers[pending[first[chosen]], rank[chosen]] = second[chosen]
        pending = pending[np.isinf(distances[pending, -1])] if cell < reach else pending[:0]
        cell = min(2.0 * cell, reach)
    return distances, numbers


def _in_blocks(points: Floats, who: Ints, cell: float, block: tuple[tuple[int, int], ...]) -> Ints:
    """Pair positions in `who` (k,) with the points in cells of a grid around theirs: (pairs, 2)."""
    cells = np.floor((points - points.min(axis=0, initial=0.0)) / cell).astype(np.int64) + 1
    width = int(cells[:, 1].max(initial=0)) + 2
    keys = cells[:, 0] * width + cells[:, 1]
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    pairs = []
    for across, along in block:
        searched = keys[who] + across * width + along
        start = np.searchsorted(ordered, searched)
        counts = np.searchsorted(ordered, searched, side="right") - start
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        pairs.append(np.stack([np.repeat(np.arange(len(who)), counts), order[np.repeat(start, counts) + within]], 1))
    return np.concatenate(pairs)


def strong_parts(sources: Ints, goals: Ints, count: int) -> Ints:
    """Find the parts of a graph in which every node can be reached from every other (Tarjan 1972).

    Edges lead from `sources` (edges,) to `goals` (edges,), numbers below `count`. Return (count,): each node's part.
    """
    order = np.argsort(sources, kind="stable")
    ends = np.searchsorted(sources[order], np.arange(count), side="right").tolist()
    following, edge = goals[order].tolist(), [0, *ends[:-1]]  # each node's next edge to look at
    met, part = [0] * count, [-1] * count
    waiting: list[int] = []  # nodes whose part is not known yet
    firsts: list[int] = []  # the first node of each part that may still grow
    nodes_met = parts = 0
    for root in range(count):
        # The path from the root is an explicit stack, because takes are longer than the recursion limit.
        path = [] if met[root] else [root]
        while path:
            node = path[-1]
            if not met[node]:
                nodes_met += 1
                met[node] = nodes_met
                waiting.append(node)
                firsts.append(node)
            if edge[node] < ends[node]:
                goal = following[edge[node]]
                edge[node] += 1
                if not met[goal]:
                    path.append(goal)
                elif part[goal] < 0:
                    # The path has returned to this node: all nodes visited since belong to its part.
                    while met[firsts[-1]] > met[goal]:
                        firsts.pop()
                continue
            path.pop()
            if firsts[-1] == node:
                firsts.pop()
                while part[node] < 0:
                    part[waiting.pop()] = parts
                parts += 1
    return np.array(part, dtype=np.intp)


def best_partners(costs: Floats) -> tuple[Ints, Ints]:
    """Pair all rows with columns, or all columns with rows, minimizing the sum of finite costs (Kuhn 1955).

    Return rows in order and their columns, both (pairs,).
    """
    if costs.shape[0] > costs.shape[1]:
        columns, rows = best_partners(costs.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    count, width = costs.shape
    # Prices of rows and columns: no pair costs less than the sum of its prices, and chosen pairs cost exactly this sum.
    of_rows, of_columns = np.zeros(count), np.zeros(width)
    owner = np.full(width + 1, -1)  # each column's row; the last entry is for the row being paired
    for row in range(count):
        least, before = np.full(width, np.inf), np.full(width, width)
        reached = np.zeros(width, dtype=bool)
        column, owner[width] = width, row
        visited: list[int] = []
        while column == width or owner[column] >= 0:
            visited.append(column)
            if column < width:
                reached[column] = True
            here = owner[column]
            spare = costs[here] - of_rows[here] - of_columns
            better = ~reached & (spare < least)
            least[better], before[better] = spare[better], column
            column = int(np.where(reached, np.inf, least).argmin())
            step = least[column]
            of_rows[owner[visited]] += step
            of_columns[reached] -= step
            least[~reached] -= step
        while column != width:
            owner[column] = owner[before[column]]
            column = int(before[column])
    chosen = np.flatnonzero(owner[:width] >= 0)
    order = np.argsort(owner[chosen])
    return owner[chosen][order], chosen[order]
