"""From repetitions to the warp in normal time: the curve, its smooth version and its inverse (Hsu 2005, §3.4)."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats, Ints

STANDING = 0.01  # frames: what a frame lasts at least, where dynamic time warping stands still


def differential(repeats: Ints, slope: int) -> Floats:
    """w = diag(WᵀW) / s: how many frames of the second motion each frame of the first one lasts."""
    out: Floats = repeats / float(slope)
    return out


def smooth_warp(w: Floats, deviation: float, least: float = 0.0) -> tuple[Floats, Floats]:
    """The curve (frames,) from frame 0 to the last one and its positive steps, smoothed by a bell of some frames.

    w takes few levels, and the mean of its logarithm is biased (durations shrink by several percent); the smooth
    steps are what a model should learn. They sum to the frames of the second motion and none is below `least`.
    """
    frames, rows = len(w), float(w.sum())
    if frames == 1:
        return np.zeros(1), w.copy()
    pace = rows / frames
    bent = np.concatenate([[0.0], np.cumsum(w - pace)])  # at the frames' edges; zero at both ends
    steps = pace + np.diff(_bell(bent, deviation)) if deviation > 0.0 else w.copy()
    steps = np.maximum(steps, max(least, STANDING) * min(pace, 1.0))
    steps *= rows / steps.sum()
    curve = np.cumsum(steps) - 0.5 * steps
    curve = (curve - curve[0]) * ((rows - 1.0) / (curve[-1] - curve[0]))
    curve[-1] = rows - 1.0
    return curve, steps


def _bell(bent: Floats, deviation: float) -> Floats:
    """Gaussian smoothing that keeps both ends where they are (odd continuation)."""
    from freshtake.numeric.gaussian import gaussian_filter1d

    count = len(bent)
    reach = min(count - 1, int(4.0 * deviation) + 1)
    longer = np.concatenate([-bent[reach:0:-1], bent, -bent[-2 : -reach - 2 : -1]])
    out: Floats = gaussian_filter1d(longer, deviation, mode="nearest")[reach : reach + count]
    return out


def inverse(curve: Floats, rows: int) -> Floats:
    """For each of `rows` frames of the second motion the fractional frame of the first one."""
    out: Floats = np.interp(np.arange(rows), curve, np.arange(len(curve), dtype=np.float64))
    return out


def read_rows(rows: Floats, at: Floats) -> Floats:
    """Rows at fractional frames, by linear interpolation."""
    low = np.clip(at.astype(np.intp), 0, max(len(rows) - 2, 0))
    share = (at - low)[:, None]
    high = rows[np.minimum(low + 1, len(rows) - 1)]
    out: Floats = rows[low] + share * (high - rows[low])
    return out
