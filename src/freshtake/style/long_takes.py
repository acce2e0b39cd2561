"""One pair of long takes as several pairs: both are cut into stretches of a few cycles, which pair by content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.roles import leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.cycles.cycles import find_cycles
from freshtake.motion.edit import take_frames
from freshtake.motion.features.ground import ground_of
from freshtake.numeric.arrays import Floats
from freshtake.style.warping.correspondence import LIMIT, STANDING, Content, content, content_distances

CYCLES = 2  # of a stretch: one alone has no beginning that recurs, which tells what led up to it
SLOWER = 0.7  # of a take's usual speed: slower cycles are those of setting off and of stopping
SETTING_OFF = 0.5  # seconds: about a step, over which speeds are taken
STOOD = 0.25  # of a take's usual speed: below it a body stands
LOOSE = 2.0 * LIMIT  # two takes hold what they hold: stretches farther apart than clips of two folders may be partners


class Pieces(NamedTuple):
    """Pairs of stretches, the contents of each, how far those are apart, and a sentence on what was done."""

    pairs: tuple[tuple[Clip, Clip], ...]
    contents: tuple[tuple[Content, Content], ...]
    apart: tuple[float, ...]
    what: str
    are_cut: bool  # False where nothing recurs: whole takes


def cut_and_paired(source: Clip, target: Clip) -> Pieces:
    """Stretches of both takes that go as fast, each in its own style, and turn as much; without cycles, whole takes."""
    cuts = [stretches(source)]
    cuts.append(stretches(target, cuts[0][0]) if cuts[0] else [])
    are_cut = bool(cuts[0] and cuts[1])
    if not are_cut:
        cuts = [[source], [target]]
    contents = [[content(clip) for clip in clips] for clips in cuts]
    distances = content_distances(contents[0], contents[1])
    chosen = _nearest(distances)
    pairs = tuple((cuts[0][i], cuts[1][j]) for i, j in chosen)
    both = tuple((contents[0][i], contents[1][j]) for i, j in chosen)
    what = "one pair of takes in which nothing recurs: it is learned from as it is, and tried on nothing else"
    if are_cut:
        names = source.name or "the source", target.name or "the target"
        what = (
            f"one pair of takes: stretches of a few cycles were cut, {len(cuts[0])} from {names[0]} and {len(cuts[1])} "
            f"from {names[1]}; those that go and turn most alike are learned from: {_counted(len(pairs), 'pair')}"
        )
    return Pieces(pairs, both, tuple(float(distances[i, j]) for i, j in chosen), what, are_cut)


def moving_part(clip: Clip) -> tuple[int, int]:
    """Return the first frame of a take that sets off, and the one after which it has come to a stop."""
    ground = ground_of(clip.root, clip.up) / leg_length(clip.skeleton)
    width = max(1, round(SETTING_OFF / clip.frame_time))
    if len(clip) < 4 * width:
        return 0, len(clip)
    ahead = np.abs(ground[width:] - ground[:-width]) / (width * clip.frame_time)  # speed from each frame on
    usual = float(np.percentile(ahead, 75.0))
    going = np.flatnonzero(ahead >= STOOD * usual)
    return (int(going[0]), min(int(going[-1]) + width + 1, len(clip))) if usual >= STANDING else (0, len(clip))


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def stretches(clip: Clip, phase: str | Clip = "auto") -> list[Clip]:
    """Consecutive stretches of a few cycles at the take's usual speed; none where nothing recurs.

    Standing before and after them is no part of any.
    """
    first, stop = moving_part(clip)
    try:
        spans = find_cycles(take_frames(clip, first, stop), phase).spans
    except UsageError:
        return []
    spans = tuple((a + first, b + first) for a, b in spans)
    speeds = np.array([content(take_frames(clip, a, b + 1)).speed for a, b in spans])
    usual = [span for span, speed in zip(spans, speeds, strict=True) if speed >= SLOWER * np.percentile(speeds, 75)]
    groups = _grouped(usual, CYCLES)
    if len(groups) < 2:
        groups = _grouped(usual, 1)
    name = clip.name or "take"
    return [take_frames(clip, a, b).changed(name=f"{name} {a}:{b}") for a, b in groups]


def _grouped(spans: Sequence[tuple[int, int]], step: int) -> list[tuple[int, int]]:
    """First frame and frame after the last of stretches that begin `step` cycles apart, all of as many cycles.

    The last one ends where the cycles do, and may share some with the one before it.
    """
    found = []
    for run in _runs(spans):
        last = len(run) - CYCLES
        starts = {*range(0, last + 1, step), last} if last >= 0 else set()
        found += [(run[k][0], run[k + CYCLES - 1][1] + 1) for k in sorted(starts)]
    return found


def _runs(spans: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Cycles that follow each other without a gap."""
    runs: list[list[tuple[int, int]]] = []
    for span in spans:
        if runs and runs[-1][-1][1] == span[0]:
            runs[-1].append(span)
        else:
            runs.append([span])
    return runs


def _nearest(distances: Floats) -> list[tuple[int, int]]:
    """Every row with its nearest column and every column with its nearest row, within limits; at least one pair."""
    chosen = {(i, int(row.argmin())) for i, row in enumerate(distances) if row.min() <= LOOSE}
    chosen |= {(int(column.argmin()), j) for j, column in enumerate(distances.T) if column.min() <= LOOSE}
    i, j = divmod(int(distances.argmin()), distances.shape[1])
    return sorted(chosen | {(i, j)})
