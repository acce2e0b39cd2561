"""Which part of a clip makes the best loop: a given number of cycles, cut where their ends agree best."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.ndimage import maximum_filter1d

from freshtake.errors import UsageError
from freshtake.motion.body.pose_space import pose_points, principal, usual_facing
from freshtake.motion.body.roles import leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.cycles.cycles import CYCLIC_STEPS, find_cycles, first_to_last
from freshtake.motion.edit import heading
from freshtake.numeric.arrays import Bools

SLACK = 0.1  # of a cycle: how much longer or shorter than usual a loop may be, and reach beyond the cycles found
TURN = 0.5  # leg lengths that a turn of one radian within the loop counts as
LOUD = 1.0  # squared leg lengths: a seam does not lie in an impact where it can lie elsewhere


class Span(NamedTuple):
    """Frames start to stop - 1 are the loop, frame `stop` is about where it begins again."""

    start: int
    stop: int
    cycles: int


def best_loop(clip: Clip, cycles: int = 1) -> Span:
    """The part whose two ends are most alike in pose, speed and height, and which turns least."""
    if cycles < 1:
        raise UsageError(f"a loop has 1 cycle or more, not {cycles}")
    name = clip.name or "the clip"
    try:
        clip_cycles = find_cycles(clip)
    except UsageError:
        if first_to_last(clip) < CYCLIC_STEPS:  # the whole clip is one cycle
            if cycles > 1:
                raise UsageError(f"{name} is one cycle, not {cycles}: ask for one") from None
            return Span(0, len(clip) - 1, 1)
        raise UsageError(
            f"{name} has no cycle to loop: no pose recurs within its {len(clip)} frames, and it does not end as it "
            "begins; give a clip of a movement that repeats, or use --whole if the clip is exactly one cycle"
        ) from None
    runs = _runs(clip_cycles.spans)
    longest = max(count for _, _, count in runs)
    if longest < cycles:
        raise UsageError(f"{name} has {longest} cycles in a row, not {cycles}: ask for fewer")
    points = principal(pose_points(clip))
    height = clip.root[:, clip.up_index] / leg_length(clip.skeleton)
    turning = heading(clip, usual_facing(clip))
    loud = _loud(clip)
    reach = round(SLACK * clip_cycles.period)
    best, chosen = np.inf, Span(*runs[0])
    for first, last, count in runs:
        low, high = max(first - reach, 0), min(last + reach, len(clip) - 1)
        usual = cycles * (last - first) / count
        for frames in range(max(2, round(usual - reach)), min(round(usual + reach), high - low) + 1):
            ends = slice(low, high - frames + 1), slice(low + frames, high + 1)
            cost = ((points[ends[1]] - points[ends[0]]) ** 2).sum(axis=1) + (height[ends[1]] - height[ends[0]]) ** 2
            turn = turning[ends[1]] - turning[ends[0]]
            cost += (TURN * (turn - 2.0 * np.pi * np.round(turn / (2.0 * np.pi)))) ** 2
            cost += LOUD * (loud[ends[0]] | loud[ends[1]])
            if cost.min() < best:
                best, start = float(cost.min()), low + int(cost.argmin())
                chosen = Span(start, start + frames, cycles)
    return chosen


def _loud(clip: Clip) -> Bools:
    """(frames,): where the body, now or in a frame beside, changes its speed more than three quarters of the time."""
    speed = np.diff(clip.positions()[:, clip.skeleton.body()], axis=0)
    bend = np.linalg.norm(np.diff(speed, axis=0), axis=2).mean(axis=1)
    return np.asarray(maximum_filter1d(np.pad(bend, 1, mode="edge"), 3) > np.percentile(bend, 75.0))


def _runs(spans: tuple[tuple[int, int], ...]) -> list[tuple[int, int, int]]:
    """Cycles that follow one another without a gap: first frame, last frame, how many."""
    breaks = [0, *(k + 1 for k, (a, b) in enumerate(pairwise(spans)) if a[1] != b[0]), len(spans)]
    return [(spans[a][0], spans[b - 1][1], b - a) for a, b in pairwise(breaks)]
