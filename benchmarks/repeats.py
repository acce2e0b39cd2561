"""Find repeats: the time until an observer, with an acuity set by real takes, notices that a motion recurs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.body.orientation import body_poses, usual_facing
from freshtake.motion.edit import resample
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled

RATE = 60.0
STEP = 2  # frames from one compared frame to the next
WINDOW = 30  # frames in which the observer recognizes a movement: half a second


def views(clips: Sequence[Clip]) -> list[Floats]:
    """Return the observer's view of each clip: (frames, numbers), 60 per second; distances are RMS over joints.

    In leg lengths; the headings of all clips are measured from the first one's mean facing. Numbers are principal
    components of all clips' joint positions.
    """
    if not clips:
        raise UsageError("an observer needs clips to watch: give at least one")
    reference = usual_facing(clips[0])
    poses = [body_poses(_at_rate(clip), reference) for clip in clips]
    flat = [p.reshape(len(p), -1) / np.sqrt(p.shape[1]) for p in poses]
    rows = np.concatenate(flat)
    center = rows.mean(axis=0)
    # Distances are computed in the leading directions only, which bounds the cost.
    directions = np.linalg.eigh((rows - center).T @ (rows - center))[1][:, ::-1][:, :32]
    return [(one - center) @ directions for one in flat]


def _at_rate(clip: Clip) -> Clip:
    return clip if abs(clip.fps / RATE - 1.0) < 0.01 else resample(clip, RATE)


def nearest_earlier(view: Floats, window: int) -> Floats:
    """Return for every second frame the distance of its window to the nearest earlier window; inf if there is none.

    The distance of two windows is the root mean square over every second frame of them. The past is kept at all frames,
    so a repeat is found wherever it begins.
    """
    best = np.full(len(range(0, len(view) - window + 1, STEP)), np.inf)
    _closest(np.ascontiguousarray(view), window, STEP, best)
    return np.asarray(np.sqrt(np.maximum(best / len(range(0, window, STEP)), 0.0)))


@compiled
def _closest(view: Floats, window: int, step: int, best: Floats) -> None:
    """Find the smallest squared difference between each window and an earlier one: a running sum for every lag."""
    frames, columns = view.shape
    width = (window + step - 1) // step
    ring = np.empty(width)
    # A window that overlaps itself would always look like a repeat: lags begin at its length.
    for lag in range(window, frames - window + 1):
        first = lag + (-lag) % step  # the present is at every step-th frame, the past at any
        total = 0.0
        ring[:] = 0.0
        for k in range((frames - first + step - 1) // step):
            now = first + k * step
            squared = 0.0
            for c in range(columns):
                difference = view[now, c] - view[now - lag, c]
                squared += difference * difference
            # A running sum: the newest frame is added, the one before the window removed.
            total += squared - ring[k % width]
            ring[k % width] = squared
            start = first // step + k - width + 1
            if k >= width - 1 and start < best.shape[0] and total < best[start]:
                best[start] = total


def nearest_other(a: Floats, b: Floats, window: int) -> Floats:
    """Return for every second frame of a the distance of its window to the nearest window of b."""
    rows, columns = len(a) - window + 1, len(b) - window + 1
    if rows < 1 or columns < 1:
        raise UsageError(f"clips of {min(len(a), len(b))} frames are shorter than the observer's window of {window}")
    # |a - b|^2 by one matrix product instead of all differences.
    squared = (a * a).sum(1)[:, None] + (b * b).sum(1)[None] - 2.0 * (a @ b.T)
    total = np.zeros((len(range(0, rows, STEP)), columns))
    for k in range(0, window, STEP):
        total += squared[k : k + rows : STEP, k : k + columns]
    return np.asarray(np.sqrt(np.maximum(total.min(axis=1) / len(range(0, window, STEP)), 0.0)))


def acuity(takes: Sequence[Floats], window: int) -> float:
    """Return the smallest distance between windows of different takes: only repeats are closer."""
    if len(takes) < 2:
        raise UsageError("the observer's acuity is set by two different takes or more")
    return float(min(nearest_other(a, b, window).min() for a, b in combinations(takes, 2)))


def noticed_at(distances: Floats, limits: Sequence[float], window: int) -> Floats:
    """Return seconds until a repeat is noticed, for observers of several acuities, from `nearest_earlier`."""
    # The running minimum never rises, so the first moment below a limit is found by bisection.
    sofar = np.minimum.accumulate(distances) if len(distances) else distances
    first = [int(np.searchsorted(-sofar, -limit, side="right")) for limit in limits]
    return np.array([(STEP * k + window) / RATE if k < len(distances) else np.inf for k in first])
