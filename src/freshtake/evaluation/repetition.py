"""How soon an observer can tell that a long sequence repeats itself: a stand-in for experiment B of Lau 2009, §8.

The observer sees poses, travel and heading removed, 30 a second, and remembers all that has passed. Each half second
is compared with every earlier one; where the nearest is closer than the observer's acuity, it is called a repeat. The
acuity is set by real takes: as fine as it has to be so that two different takes are never called a repeat.
This models a memory without limits, not a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.body.pose_space import body_poses, usual_facing
from freshtake.motion.edit import resample
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled

RATE = 60.0
STEP = 2  # frames from one that is compared to the next
WINDOW = 0.5  # seconds
DIMENSIONS = 32
SAME_RATE = 0.01


class Repetition(NamedTuple):
    """When a repeat is first noticed (seconds; inf: never), the share of half seconds that are, and the closest."""

    noticed: float
    share: float
    closest: float
    duration: float


def views(clips: Sequence[Clip]) -> list[Floats]:
    """What the observer sees of each clip: (frames, numbers), 60 a second; distances are root mean squares over joints.

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
    directions = np.linalg.eigh((rows - center).T @ (rows - center))[1][:, ::-1][:, :DIMENSIONS]
    return [(one - center) @ directions for one in flat]


def _at_rate(clip: Clip) -> Clip:
    return clip if abs(clip.fps / RATE - 1.0) < SAME_RATE else resample(clip, RATE)


def frames_in_window(window: float = WINDOW) -> int:
    """Frames of a window at the observer's rate."""
    return max(2, round(window * RATE))


def nearest_earlier(view: Floats, window: int) -> Floats:
    """For every second frame: how near the window that begins there is to one that ends before it; inf: none does.

    The distance of two windows is the root mean square over every second frame of them. Memory is kept frame by frame,
    so that a repeat is found wherever it begins.
    """
    best = np.full(len(range(0, len(view) - window + 1, STEP)), np.inf)
    _closest(np.ascontiguousarray(view), window, STEP, best)
    return np.asarray(np.sqrt(np.maximum(best / len(range(0, window, STEP)), 0.0)))


@compiled
def _closest(view: Floats, window: int, step: int, best: Floats) -> None:
    """Smallest sums of squared differences of a window and an earlier one: for every lag a sum that runs along."""
    frames, columns = view.shape
    width = (window + step - 1) // step
    ring = np.empty(width)
    for lag in range(window, frames - window + 1):
        first = lag + (-lag) % step  # the present is at every step-th frame, the past where it is
        total = 0.0
        ring[:] = 0.0
        for k in range((frames - first + step - 1) // step):
            now = first + k * step
            squared = 0.0
            for c in range(columns):
                difference = view[now, c] - view[now - lag, c]
                squared += difference * difference
            total += squared - ring[k % width]
            ring[k % width] = squared
            start = first // step + k - width + 1
            if k >= width - 1 and start < best.shape[0] and total < best[start]:
                best[start] = total


def nearest_other(a: Floats, b: Floats, window: int) -> Floats:
    """For every second frame of a: how near the window that begins there is to the nearest window of b."""
    rows, columns = len(a) - window + 1, len(b) - window + 1
    if rows < 1 or columns < 1:
        raise UsageError(f"clips of {min(len(a), len(b))} frames are shorter than the observer's window of {window}")
    squared = (a * a).sum(1)[:, None] + (b * b).sum(1)[None] - 2.0 * (a @ b.T)
    total = np.zeros((len(range(0, rows, STEP)), columns))
    for k in range(0, window, STEP):
        total += squared[k : k + rows : STEP, k : k + columns]
    return np.asarray(np.sqrt(np.maximum(total.min(axis=1) / len(range(0, window, STEP)), 0.0)))


def acuity(takes: Sequence[Floats], window: int) -> float:
    """The smallest distance of two windows of different takes: below it, nothing but a repeat is found in them."""
    if len(takes) < 2:
        raise UsageError("the observer's acuity is set by two different takes or more")
    return float(min(nearest_other(a, b, window).min() for a, b in combinations(takes, 2)))


def watched(view: Floats, limit: float, window: int) -> Repetition:
    """What an observer of this acuity makes of a sequence; a repeat is noticed when its window is over."""
    distances = nearest_earlier(view, window)
    seen = np.flatnonzero(distances < limit)
    noticed = float((STEP * seen[0] + window) / RATE) if len(seen) else float("inf")
    share = float((distances < limit).mean()) if len(distances) else 0.0
    return Repetition(noticed, share, float(distances.min(initial=np.inf)), len(view) / RATE)


def noticed_at(distances: Floats, limits: Sequence[float], window: int) -> Floats:
    """Seconds until a repeat is noticed, for observers of several acuities, from `nearest_earlier`."""
    sofar = np.minimum.accumulate(distances) if len(distances) else distances
    first = [int(np.searchsorted(-sofar, -limit, side="right")) for limit in limits]
    return np.array([(STEP * k + window) / RATE if k < len(distances) else np.inf for k in first])
