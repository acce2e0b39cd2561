"""Dynamic time warping as the figures use it: mean distances of many pairs of tracks, and one laid on another.

The recursion is the symmetric one of Sakoe and Chiba (1978): D[i, j] = min(D[i-1, j] + c, D[i, j-1] + c,
D[i-1, j-1] + 2 c) with c the distance of frames i and j, started at D[0, 0] = 2 c. Divided by n + m it is a
mean distance per frame, equal in both directions and 0 for a track against itself.

Costs of laying a window of one track on a window of another.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.motion.body.pose_space import distances
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.dtw import accumulate, backtrack, cheapest

STILL, STRAIGHT = 0.0, 2.0  # the symmetric form


def dtw_distances(pairs: Sequence[tuple[Floats, Floats]]) -> Floats:
    """The distance of every pair of row sequences."""
    return np.array([cheapest(distances(a, b), STILL, STRAIGHT) / (len(a) + len(b)) for a, b in pairs])


def dtw_path(a: Floats, b: Floats) -> Ints:
    """(steps, 2): matched frame numbers of a and b, from the first pair to the last."""
    cost = distances(a, b)
    return backtrack(cost, accumulate(cost, STILL, STRAIGHT), STILL, STRAIGHT)


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
