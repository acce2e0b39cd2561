"""Follow recorded runs at fractional frames, and even out jumps between them; compiled."""

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled
from freshtake.numeric.smooth_path import cubic_weights

LONGEST = 3.0  # longest time to even out a jump, relative to the usual duration
SHORTEST = 0.25  # shortest time to even out a jump, relative to the usual duration
GROWTH = 1.5  # factor between the durations that are tried
SLIP = 2  # frames by which a jump may be ahead of the runs that it connects


@compiled
def read_at(rows: Floats, place: float, first: int, last: int, width: int, out: Floats) -> None:
    """Read the run first..last of rows at a fractional frame, by a cubic through four frames; straight at its ends."""
    i = min(max(int(np.floor(place)), first), max(last - 1, first))
    j = min(i + 1, last)
    a, b, c, d = cubic_weights(place - i)
    for k in range(width):
        here, there = rows[i, k], rows[j, k]
        before = rows[i - 1, k] if i > first else 2.0 * here - there
        after = rows[j + 1, k] if j < last else 2.0 * there - here
        out[k] = a * before + b * here + c * there + d * after


@compiled
def fading(time: float, duration: float) -> tuple[float, float]:
    """Return factors of an offset and of its speed after a jump: curves of degree five, at rest after `duration`."""
    if time >= duration:
        return 0.0, 0.0
    u = time / duration
    remaining = 1.0 - u
    cube = remaining * remaining * remaining
    return cube * (1.0 + 3.0 * u + 6.0 * u * u), cube * (u + 3.0 * u * u) * duration


class Place(NamedTuple):
    """A fractional frame of the run first..last."""

    at: float
    first: int
    last: int


class Leap(NamedTuple):
    """A jump that could be made."""

    source: Place
    target: Place
    pace: float
    duration: float  # frames until its offset has decayed


@compiled
def aligned_place(rows: Floats, modes: int, pose: Floats, j: int, first: int, last: int) -> float:
    """Return the place in the run first..last that is nearest to a pose, at most a frame from j.

    A jump to this place neither repeats nor skips any time.
    """
    a, b = max(j - 1, first), min(j + 1, last)
    along, size = 0.0, 0.0
    for k in range(modes):
        step = (rows[b, k] - rows[a, k]) / (b - a)
        along += (pose[k] - rows[j, k]) * step
        size += step * step
    shift = min(max(along / size, -1.0), 1.0) if size > 0.0 else 0.0
    return min(max(j + shift, float(first)), float(last))


class Limits(NamedTuple):
    """The limits of a jump, and the usual time to even it out."""

    sharp: float  # second difference
    far: float  # distance from both runs
    blend: float  # frames


@compiled
def eased(
    rows: Floats, modes: int, history: Floats, source: Place, goal: Place, pace: float, limits: Limits, offset: Floats
) -> tuple[float, float]:
    """Return the strain of a jump at its best duration, relative to the limits, and that duration.

    A jump that is too sharp is evened out for longer, at most to the end of the run. A jump that leads too far away is
    evened out for a shorter time, as long as it does not become too sharp, since the two runs may be near for a moment
    only. `offset` is as in `rehearse`.
    """
    least, chosen, span, growth = np.inf, limits.blend, max(limits.blend, 2.0), 0.0
    shortest = max(SHORTEST * limits.blend, 2.0)
    longest = min(LONGEST * limits.blend + 2.0, max((goal.last - goal.at) / pace, span))
    while shortest <= span <= longest:
        bend, away = rehearse(rows, modes, history, Leap(source, goal, pace, span), offset)
        strain = max(bend / limits.sharp, away / limits.far)
        if 0.0 < growth < 1.0 and bend > limits.sharp:
            break
        if strain < least:
            least, chosen = strain, span
        if strain <= 1.0:
            break
        if growth == 0.0:
            growth = GROWTH if bend > limits.sharp else 1.0 / GROWTH
        span *= growth
    return least, chosen


@compiled
def squared_gap(pose: Floats, curve: Floats, t: int) -> float:
    """Return the squared distance of a pose from a polyline (frames, modes), at most `SLIP` frames from frame t."""
    nearest = np.inf
    for s in range(max(t - SLIP, 0), min(t + SLIP, len(curve) - 1)):
        square, along, size = 0.0, 0.0, 0.0
        for k in range(len(pose)):
            gap, step = pose[k] - curve[s, k], curve[s + 1, k] - curve[s, k]
            square += gap * gap
            along += gap * step
            size += step * step
        share = min(max(along / size, 0.0), 1.0) if size > 0.0 else 0.0
        nearest = min(nearest, square - 2.0 * share * along + share * share * size)
    return nearest


@compiled
def rehearse(rows: Floats, modes: int, history: Floats, leap: Leap, offset: Floats) -> tuple[float, float]:
    """Return the largest second difference of a jump, and its largest distance from both runs.

    `history` (4, width) contains the last two frames. The initial offset of the jump and its speed are written to
    `offset` (2, width).
    """
    old, old_first, old_last = leap.source
    at, first, last = leap.target
    pace, duration = leap.pace, leap.duration
    gap, speed = offset[0], offset[1]
    width = history.shape[1]
    now, frames = np.empty(width), int(duration) + 2
    new_run, old_run = np.empty((frames + SLIP, modes)), np.empty((frames + SLIP, modes))
    read_at(rows, at, first, last, width, now)
    read_at(rows, at - pace, first, last, width, gap)
    for k in range(width):
        speed[k] = history[0, k] - history[1, k] - (now[k] - gap[k])
        gap[k] = history[0, k] - now[k]
    for t in range(frames + SLIP):
        read_at(rows, at + t * pace, first, last, modes, new_run[t])
        read_at(rows, min(old + t * pace, float(old_last)), old_first, old_last, modes, old_run[t])
    y, y1, y2 = np.empty(modes), history[0, :modes].copy(), history[1, :modes].copy()
    sharpest, farthest = 0.0, 0.0
    for t in range(1, frames):
        keep, push = fading(float(t), duration)
        bend = 0.0
        for k in range(modes):
            y[k] = new_run[t, k] + keep * gap[k] + push * speed[k]
            bend += (y[k] - 2.0 * y1[k] + y2[k]) ** 2
            y2[k], y1[k] = y1[k], y[k]
        sharpest = max(sharpest, bend)
        farthest = max(farthest, min(squared_gap(y, new_run, t), squared_gap(y, old_run, t)))
    return np.sqrt(sharpest), np.sqrt(farthest)
