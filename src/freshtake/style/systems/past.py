"""A past before the first frame of a motion (Hsu 2005, §4.4)."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats

LOOK = 0.25  # seconds of the beginning that must recur for the motion to count as repeating
LIKE = 0.35  # mean squared difference, in variances, up to which they count as recurring
SHORTEST = 0.4  # seconds, of a period


def past_of(rows: Floats, frames: int, fps: float, weights: Floats | None = None) -> Floats:
    """Return `frames` rows that lead up to the first one.

    Where the beginning recurs, the rows before its recurrence; a single cycle, which ends as it begins, is repeated;
    otherwise the first pose is held. `weights` (DOFs,) say how much one unit of each DOF
    counts in the comparison.
    """
    if frames == 0 or len(rows) == 0:
        return np.zeros((frames, rows.shape[1]))
    weighed = rows if weights is None else rows * weights
    period = recurrence(weighed, fps) or _closing(weighed, fps)
    if period is None:
        return np.repeat(rows[:1], frames, axis=0)
    back = np.arange(-frames, 0)
    return np.asarray(rows[back % period])


def _closing(rows: Floats, fps: float) -> int | None:
    """Find where a motion that is one cycle returns to its first row in the same direction; None for any other."""
    look, least = max(2, round(LOOK * fps)), max(2, round(SHORTEST * fps))
    if len(rows) < least + look:
        return None
    steps = np.diff(rows, axis=0)
    usual = float(np.linalg.norm(steps, axis=1).mean())
    apart = np.linalg.norm(rows[-look:] - rows[0], axis=1)
    end = len(rows) - look + int(apart.argmin())
    # Nearer than one usual frame in pose and in speed: a step that ends with the other foot is far off in pose, an arm
    # that was raised and lowered passes the first pose in the other direction.
    turned = float(np.linalg.norm(steps[end - 1] - steps[0]))
    return end if usual > 0.0 and apart.min() <= usual and turned <= usual else None


def recurrence(rows: Floats, fps: float) -> int | None:
    """Find the first lag after which the beginning recurs, or None."""
    look, least = max(2, round(LOOK * fps)), max(2, round(SHORTEST * fps))
    last = len(rows) - look
    if last < least:
        return None
    scale = rows.var(axis=0).sum()
    if scale <= 1e-12:
        return None
    lags = np.arange(least, last + 1)
    away = rows - rows[:look].mean(axis=0)  # so that squares do not dwarf their differences
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
