"""The time-warp stage of iterative motion warping: how often each frame is repeated (Hsu 2005, §3.1)."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled


def repetition_range(slope: int) -> tuple[int, int]:
    """Least and most repetitions, 1 and k = s², of a frame against the s-fold lengthened other motion (§3.1)."""
    return 1, slope * slope


def feasible(first: int, second: int, slope: int) -> bool:
    """Whether a warp with slopes between 1/s and s leads from `first` frames to `second`."""
    least, most = repetition_range(slope)
    return first * least <= second * slope <= first * most


def cheapest_repetitions(p: Floats, q: Floats, slope: int) -> Ints:
    """The repetition vector r (frames of p,) that minimizes |R p - q|² with q lengthened s-fold (Hsu 2005, eq. 2-3).

    The edit of eq. 2 has as its cost c the squared norm of the frame difference, coupled over all DOFs (§3.3).
    Every r lies in 1..s², their sum is s times the frames of q. Among equals the one nearest to s, an unchanged pace,
    is taken.
    """
    least, most = repetition_range(slope)
    order = np.array(sorted(range(least, most + 1), key=lambda r: (abs(r - slope), r)), dtype=np.intp)
    return _repetitions(np.ascontiguousarray(p), np.ascontiguousarray(q.T), slope, order)


@compiled
def _covered(frame: int, frames: int, rows: int, least: int, most: int) -> tuple[int, int]:
    """Fewest and most rows of the lengthened q that can be covered before a frame of p."""
    return max(frame * least, rows - (frames - frame) * most), min(frame * most, rows - (frames - frame) * least)


@compiled
def _frame_costs(frame: Floats, others: Floats, first: int, out: Floats) -> None:
    """Squared norms of a frame (DOFs,) less some of the others (DOFs, frames), from the first on."""
    out[:] = 0.0
    for d in range(len(frame)):
        x, row = frame[d], others[d, first : first + len(out)]
        for j in range(len(out)):
            away = x - row[j]
            out[j] += away * away


@compiled
def _least(total: Floats, other: Floats) -> None:
    """total = min(total, other), in place."""
    for j in range(len(total)):
        total[j] = min(total[j], other[j])


@compiled
def _repetitions(p: Floats, q: Floats, slope: int, order: Ints) -> Ints:
    """Dynamic programming over (frame of p, rows of the lengthened q covered so far); q is (DOFs, frames)."""
    frames, rows = p.shape[0], q.shape[1] * slope
    least, most = order.min(), order.max()
    cost = np.empty(q.shape[1])
    total = np.full(rows + 1, np.inf)
    total[0] = 0.0
    summed = np.empty(rows + 1)  # cost of the rows from the first that this frame can cover
    before = np.full((frames, rows + 1), np.inf)  # total before the frame less the sum up to there
    for i in range(frames):
        low, high = _covered(i, frames, rows, least, most)
        start, stop = _covered(i + 1, frames, rows, least, most)
        first, last = low // slope, (stop - 1) // slope + 1
        _frame_costs(p[i], q, first, cost[first:last])
        running = 0.0
        for frame in range(first, last):
            for row in range(max(frame * slope, low), min(frame * slope + slope, stop)):
                summed[row] = running
                running += cost[frame]
        summed[stop] = running
        before[i, low : high + 1] = total[low : high + 1] - summed[low : high + 1]
        total[start : stop + 1] = np.inf
        for r in order:
            left, right = max(start, low + r), min(stop, high + r) + 1
            if right > left:
                _least(total[left:right], before[i, left - r : right - r])
        total[start : stop + 1] += summed[start : stop + 1]
    return _backtrack(before, order)


@compiled
def _backtrack(before: Floats, order: Ints) -> Ints:
    """From the last row back, the repetitions through which each total came about."""
    frames, at = before.shape[0], before.shape[1] - 1
    out = np.empty(frames, dtype=np.intp)
    for i in range(frames - 1, -1, -1):
        best, chosen = np.inf, order[0]
        for r in order:
            if r <= at and before[i, at - r] < best:
                best, chosen = before[i, at - r], r
        out[i] = chosen
        at -= chosen
    return out
