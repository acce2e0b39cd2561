"""Backward extrapolation: what may have come before the first frame (Hsu 2005, §4.4)."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats

LOOK = 0.25  # seconds of the beginning that must recur for the motion to count as repeating
LIKE = 0.35  # mean squared difference, in variances, up to which they count as recurring
SHORTEST = 0.4  # seconds, of a period


def past_of(rows: Floats, frames: int, fps: float, weights: Floats | None = None) -> Floats:
    """`frames` rows that lead up to the first one.

    Where the beginning recurs, the rows before that recurrence; a motion that never does stands still in its first
    pose. `weights` (DOFs,) say how much one unit of each DOF counts in the comparison.
    """
    if frames == 0 or len(rows) == 0:
        return np.zeros((frames, rows.shape[1]))
    period = recurrence(rows if weights is None else rows * weights, fps)
    if period is None:
        return np.repeat(rows[:1], frames, axis=0)
    back = np.arange(-frames, 0)
    return np.asarray(rows[back % period])


def recurrence(rows: Floats, fps: float) -> int | None:
    """The first lag after which the beginning comes again, or None."""
    look, least = max(2, round(LOOK * fps)), max(2, round(SHORTEST * fps))
    last = len(rows) - look
    if last < least:
        return None
    scale = rows.var(axis=0).sum()
    if scale <= 1e-12:
        return None
    lags = np.arange(least, last + 1)
    away = rows - rows[:look].mean(axis=0)  # so that squares stay small against their differences
    squares = np.sum(away**2, axis=1)
    apart = np.zeros(len(lags))
    for k, products in enumerate(away[:look] @ away.T):  # |a - b|² = |a|² + |b|² - 2 a b
        apart += (squares[k] + squares[lags + k] - 2.0 * products[lags + k]) / (look * scale)
    inner = np.flatnonzero((apart[1:-1] <= apart[:-2]) & (apart[1:-1] <= apart[2:])) + 1
    good = [k for k in inner if apart[k] < LIKE]
    if not good:
        return None
    best = min(apart[k] for k in good)
    return int(next(lags[k] for k in good if apart[k] <= 1.5 * best + 0.02))
