"""Costs of laying a window of one track on a window of another."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats


def window_costs(costs: Floats, width: int) -> Floats:
    """From frame costs C (n, m) the sums W[i, k] = C[i, k] + C[i+1, k+1] + ... over `width` frames.

    The shape is (n - width + 1, m - width + 1), empty where a track is shorter than the window.
    """
    rows, columns = costs.shape[0] - width + 1, costs.shape[1] - width + 1
    if rows <= 0 or columns <= 0:
        return np.zeros((max(rows, 0), max(columns, 0)))
    total = np.zeros((costs.shape[0] + 1, costs.shape[1] + 1))
    for i, row in enumerate(costs):
        total[i + 1, 1:] = total[i, :-1] + row
    return total[width:, width:] - total[:rows, :columns]


def cheapest_windows(all_costs: list[Floats], width: int) -> Floats:
    """Per window of the rows the lowest cost over all windows of all columns; infinite where none is long enough."""
    rows = max(all_costs[0].shape[0] - width + 1, 0)
    best = np.full(rows, np.inf)
    for costs in all_costs:
        sums = window_costs(costs, width)
        if sums.size:
            best = np.minimum(best, sums.min(axis=1))
    return best
