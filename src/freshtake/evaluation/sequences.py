"""Measure clips in sequence: steps at the joins, and how soon an observer can tell that they repeat."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation.novelty import EXACT
from freshtake.evaluation.tracks import foot_joints
from freshtake.motion import Clip
from freshtake.motion.body.orientation import body_poses, usual_facing
from freshtake.motion.cycles.looping import loop_frames, played
from freshtake.motion.cycles.seams import steps_of
from freshtake.motion.edit import resample
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled
from freshtake.numeric.rotations import about_axis, multiply, twist_angle


class Pace(NamedTuple):
    """How fast clips are: the 99th percentile of the mean step of joints, the largest foot speed and acceleration.

    As figures of loops and of joins they are shares of the inputs'.
    """

    step: float
    foot_speed: float
    acceleration: float

    def over(self, other: Pace) -> Pace:
        """Return each figure as a share of another's."""
        return Pace(*(value / max(other_value, 1e-12) for value, other_value in zip(self, other, strict=True)))


def pace_of(clips: Sequence[Clip]) -> Pace:
    """Return the pace of some clips together."""
    steps = np.concatenate([steps_of(clip).step for clip in clips])
    quickest = [_quickest(clip.positions(), clip) for clip in clips]
    return Pace(float(np.percentile(steps, 99.0)), *(max(part) for part in zip(*quickest, strict=True)))


def _quickest(places: Floats, clip: Clip) -> tuple[float, float]:
    """Return the largest speed of a foot, and the largest acceleration of any joint, in places (frames, joints, 3)."""
    speeds = np.diff(places, axis=0) / clip.frame_time
    feet = list(foot_joints(clip.skeleton)) or list(clip.skeleton.body())
    bends = np.diff(speeds, axis=0)[:, clip.skeleton.body()] / clip.frame_time
    return float(_length(speeds[:, feet]).max(initial=0.0)), float(_length(bends).max(initial=0.0))


def _length(vectors: Floats) -> Floats:
    return np.asarray(np.linalg.norm(vectors, axis=-1))


def loop_pace(loop: Clip, inputs: Pace) -> Pace:
    """Return the pace of a loop including its seam; the step is that of the seam."""
    frames = loop_frames(loop)
    around = played(loop, frames + 3, -1)
    seam = float(steps_of(played(loop, 2, frames - 1)).step[0])
    return Pace(seam, *_quickest(around.positions(), loop)).over(inputs)


def join_pace(loops: Sequence[Clip], inputs: Pace) -> Pace:
    """Return the largest step, foot speed and acceleration where any of the loops follows any other or itself."""
    ends = [_ends(loop) for loop in loops]
    before, after = np.stack([end[:2] for end in ends]), np.stack([end[2:] for end in ends])
    first, body = loops[0], list(loops[0].skeleton.body())
    feet = list(foot_joints(first.skeleton)) or body
    step = foot = bend = 0.0
    for leaving in before:
        places = np.concatenate([np.broadcast_to(leaving, (len(loops), *leaving.shape)), after], axis=1)
        speeds = np.diff(places, axis=1) / first.frame_time
        step = max(step, float(_length(speeds[:, 1][:, body]).mean(axis=1).max()) * first.frame_time)
        foot = max(foot, float(_length(speeds[:, :, feet]).max()))
        bend = max(bend, float(_length(np.diff(speeds, axis=1)[:, :, body]).max()) / first.frame_time)
    return Pace(step, foot, bend).over(inputs)


def _ends(loop: Clip) -> Floats:
    """Return (4, joints, 3): the last two and the first two frames, from the place on the ground at the seam."""
    frames = loop_frames(loop)
    out = []
    for clip, seam in ((played(loop, 3, frames - 2), 2), (played(loop, 2), 0)):
        place = clip.root[seam].copy()
        place[clip.up_index] = 0.0
        out.append(clip.positions()[:2] - place)
    return np.concatenate(out)


def copied_share(clip: Clip, inputs: Sequence[Clip]) -> float:
    """Return the share of frames that equal a frame of the inputs in every joint except for the heading."""
    turns = _turns(clip)
    nearest = np.zeros(len(clip))
    for other in inputs:
        input_turns = _turns(other)
        alike = np.ones((len(clip), len(other)))
        for joint in range(turns.shape[1]):
            np.minimum(alike, np.abs(turns[:, joint] @ input_turns[:, joint].T), out=alike)
        nearest = np.maximum(nearest, alike.max(axis=1))
    return float((2.0 * np.arccos(np.minimum(nearest, 1.0)) <= EXACT).mean())


def _turns(clip: Clip) -> Floats:
    """Return (frames, joints, 4): rotations of the joints below the root, and the root's without heading."""
    up = clip.up_index
    turns = clip.rotations.copy()
    turns[:, 0] = multiply(about_axis(np.eye(3)[up], -twist_angle(turns[:, 0], up)), turns[:, 0])
    return turns


RATE = 60.0
STEP = 2  # frames between those that are compared
WINDOW = 0.5  # seconds


class Repetition(NamedTuple):
    """When a repeat is first noticed (seconds; inf: never), the share of half seconds that repeat, and the closest."""

    noticed: float
    share: float
    closest: float
    duration: float


def views(clips: Sequence[Clip]) -> list[Floats]:
    """Return what the observer sees of each clip: (frames, numbers), 60 a second; distances are RMS over joints.

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


def frames_in_window(window: float = WINDOW) -> int:
    """Return the number of frames of a window at the observer's rate."""
    return max(2, round(window * RATE))


def nearest_earlier(view: Floats, window: int) -> Floats:
    """Return for every second frame how near the window from there is to one that ends before it; inf where none does.

    The distance of two windows is the root mean square over every second frame of them. The past is kept at all frames,
    so that a repeat is found wherever it begins.
    """
    best = np.full(len(range(0, len(view) - window + 1, STEP)), np.inf)
    _closest(np.ascontiguousarray(view), window, STEP, best)
    return np.asarray(np.sqrt(np.maximum(best / len(range(0, window, STEP)), 0.0)))


@compiled
def _closest(view: Floats, window: int, step: int, best: Floats) -> None:
    """Find the least squared difference of each window and an earlier one: for every lag a running sum."""
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
    """Return for every second frame of a how near the window that begins there is to the nearest window of b."""
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
    """Return the smallest distance between windows of different takes: nothing but a repeat is below it."""
    if len(takes) < 2:
        raise UsageError("the observer's acuity is set by two different takes or more")
    return float(min(nearest_other(a, b, window).min() for a, b in combinations(takes, 2)))


def watched(view: Floats, limit: float, window: int) -> Repetition:
    """Return when and how often an observer of this acuity notices repeats, each at the end of its window."""
    distances = nearest_earlier(view, window)
    seen = np.flatnonzero(distances < limit)
    noticed = float((STEP * seen[0] + window) / RATE) if len(seen) else float("inf")
    share = float((distances < limit).mean()) if len(distances) else 0.0
    return Repetition(noticed, share, float(distances.min(initial=np.inf)), len(view) / RATE)


def noticed_at(distances: Floats, limits: Sequence[float], window: int) -> Floats:
    """Return seconds until a repeat is noticed, for observers of several acuities, from `nearest_earlier`."""
    # The running minimum never rises, so the first moment below a limit is found by bisection.
    sofar = np.minimum.accumulate(distances) if len(distances) else distances
    first = [int(np.searchsorted(-sofar, -limit, side="right")) for limit in limits]
    return np.array([(STEP * k + window) / RATE if k < len(distances) else np.inf for k in first])
