"""What belongs together: strongly connected parts of a graph, and partners of least total cost."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats, Ints


def strong_parts(sources: Ints, goals: Ints, count: int) -> Ints:
    """Find the parts of a graph in which each node can be reached from each other (Tarjan 1972).

    Args:
        sources: (edges,): the node from which each edge leads, below `count`.
        goals: (edges,): the node to which it leads.
        count: how many nodes there are.

    Returns:
        (count,): the number of each node's part.
    """
    order = np.argsort(sources, kind="stable")
    ends = np.searchsorted(sources[order], np.arange(count), side="right").tolist()
    following, edge = goals[order].tolist(), [0, *ends[:-1]]  # edge: the next one of each node to look at
    met, part = [0] * count, [-1] * count
    waiting: list[int] = []  # nodes whose part is not known yet
    firsts: list[int] = []  # the first node of each part that may still grow
    nodes_met = parts = 0
    for root in range(count):
        # The path from the root is kept by hand, because takes are longer than calls may be nested.
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
                    # The path has come back to this node: all that was met since belongs to its part.
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
    """Pair rows with columns, as many as there are of the fewer, so that the sum of costs is least (Kuhn 1955).

    Args:
        costs: (rows, columns), finite.

    Returns:
        Rows in their order and their columns, both (pairs,).
    """
    if costs.shape[0] > costs.shape[1]:
        columns, rows = best_partners(costs.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    count, width = costs.shape
    # Prices of rows and columns: no pair costs less than both together, and chosen pairs cost exactly that.
    of_rows, of_columns = np.zeros(count), np.zeros(width)
    owner = np.full(width + 1, -1)  # of each column; the last one stands for the row that looks for a partner
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
