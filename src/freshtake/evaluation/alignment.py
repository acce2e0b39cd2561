"""Dynamic time warping as the figures use it: mean distances of many pairs of tracks, and one laid on another.

The recursion is the symmetric one of Sakoe and Chiba (1978): D[i, j] = min(D[i-1, j] + c, D[i, j-1] + c,
D[i-1, j-1] + 2 c) with c the distance of frames i and j, started at D[0, 0] = 2 c. Divided by n + m it is a
mean distance per frame, equal in both directions and 0 for a track against itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.motion.pose_space import distances
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
