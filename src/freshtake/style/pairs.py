"""Prepare pairs of clips to learn from, cut them from long takes, and make aligned rows of them (Hsu 2005, §4.1).

Standing is trimmed, single cycles are repeated, long takes are cut into stretches with equal numbers of cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.roles import leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.cycles.cycles import closing_of, find_cycles
from freshtake.motion.cycles.recurrence import find_recurrence
from freshtake.motion.cycles.seams import join
from freshtake.motion.edit import take_frames
from freshtake.motion.features import Recipe, encode
from freshtake.motion.features.angles import ground_of
from freshtake.motion.gait import STANDING
from freshtake.numeric.arrays import Bools, Floats
from freshtake.style.columns import column_of
from freshtake.style.warping.alignment import Alignment
from freshtake.style.warping.correspondence import LIMIT, Content, content, content_distances
from freshtake.style.warping.warps import read_rows

CYCLES = 2  # per stretch: in a single one the beginning does not recur, which extrapolating its past requires
REPEATED = CYCLES + 1  # how often a single cycle is repeated: two remain wherever the other style's cycle begins
SLOWER = 0.7  # fraction of a take's usual speed: slower cycles are part of starting and stopping
LOOSE = 2.0 * LIMIT  # two takes leave no choice: partners may be farther apart than clips of two folders


class Pieces(NamedTuple):
    """Pairs of stretches, the content of each, their distances, and a sentence on what was done."""

    pairs: tuple[tuple[Clip, Clip], ...]
    contents: tuple[tuple[Content, Content], ...]
    apart: tuple[float, ...]
    what: str
    are_cut: bool  # False if nothing recurs: the complete takes are used


def fit_to_learn(pairs: Sequence[tuple[Clip, Clip]]) -> list[tuple[Clip, Clip]]:
    """Trim standing off the ends of clips that travel, and repeat clips that are a single gait cycle.

    Two single cycles may begin with different feet; repeated, they contain the same phases, where both are cut.
    """
    fit = {id(clip): _fit(clip) for pair in pairs for clip in pair}
    return [(fit[id(source)], fit[id(target)]) for source, target in pairs]


def _fit(clip: Clip) -> Clip:
    """Return the moving part of a gait, or its only cycle repeated; leave other clips as they are."""
    if content(clip).speed == 0.0:
        return clip
    first, stop = moving_part(clip)
    moving = clip if (first, stop) == (0, len(clip)) else take_frames(clip, first, stop)
    if find_recurrence(moving) is not None:
        return moving
    if clip.joint_translations is None and closing_of([clip]).cyclic:
        return join([clip] * REPEATED).changed(name=clip.name)
    return clip


def cut_and_paired(source: Clip, target: Clip) -> Pieces:
    """Cut both takes into stretches of equally many cycles, and pair those with similar speed, relative to their style,
    and turning; takes without cycles are one pair.
    """
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
    what = "one pair of takes in which nothing repeats: it is learned from as it is, and tested on nothing else"
    if are_cut:
        names = source.name or "the source", target.name or "the target"
        count = f"{len(pairs)} pair{'' if len(pairs) == 1 else 's'}"
        what = (
            f"one pair of takes: stretches of a few cycles were cut, {len(cuts[0])} from {names[0]} and {len(cuts[1])} "
            f"from {names[1]}; the most similar in speed and turning are used: {count}"
        )
    return Pieces(pairs, both, tuple(float(distances[i, j]) for i, j in chosen), what, are_cut)


def moving_part(clip: Clip) -> tuple[int, int]:
    """Return the frame at which a take starts moving, and the one at which it has stopped."""
    ground = ground_of(clip.root, clip.up) / leg_length(clip.skeleton)
    # Measure speeds over half a second, about a step.
    width = max(1, round(0.5 / clip.frame_time))
    if len(clip) < 4 * width:
        return 0, len(clip)
    ahead = np.abs(ground[width:] - ground[:-width]) / (width * clip.frame_time)  # speed after each frame
    usual = float(np.percentile(ahead, 75.0))
    # Below a quarter of its usual speed a body counts as standing.
    going = np.flatnonzero(ahead >= 0.25 * usual)
    return (int(going[0]), min(int(going[-1]) + width + 1, len(clip))) if usual >= STANDING else (0, len(clip))


def stretches(clip: Clip, like: Clip | None = None) -> list[Clip]:
    """Return consecutive stretches of a few cycles at the take's usual speed; none if nothing recurs.

    Standing before and after is omitted.
    """
    first, stop = moving_part(clip)
    try:
        spans = [(a + first, b + first) for a, b in find_cycles(take_frames(clip, first, stop), like).spans]
    except UsageError:
        return []
    speeds = np.array([content(take_frames(clip, a, b + 1)).speed for a, b in spans])
    usual = [span for span, speed in zip(spans, speeds, strict=True) if speed >= SLOWER * np.percentile(speeds, 75)]
    groups = _grouped(usual, CYCLES)
    if len(groups) < 2:
        groups = _grouped(usual, 1)
    name = clip.name or "take"
    return [take_frames(clip, a, b).changed(name=f"{name} {a}:{b}") for a, b in groups]


def _grouped(spans: Sequence[tuple[int, int]], step: int) -> list[tuple[int, int]]:
    """Return the stretches of `CYCLES` cycles, `step` cycles apart, as first frame and frame after the last.

    The last one ends with the cycles, and may share some with the previous one.
    """
    bounds = []
    for run in _runs(spans):
        last = len(run) - CYCLES
        starts = {*range(0, last + 1, step), last} if last >= 0 else set()
        bounds += [(run[k][0], run[k + CYCLES - 1][1] + 1) for k in sorted(starts)]
    return bounds


def _runs(spans: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Group cycles that follow each other without a gap."""
    runs: list[list[tuple[int, int]]] = []
    for span in spans:
        if runs and runs[-1][-1][1] == span[0]:
            runs[-1].append(span)
        else:
            runs.append([span])
    return runs


def _nearest(distances: Floats) -> list[tuple[int, int]]:
    """Pair each row with its nearest column and each column with its nearest row, within limits; at least one pair."""
    chosen = {(i, int(row.argmin())) for i, row in enumerate(distances) if row.min() <= LOOSE}
    chosen |= {(int(column.argmin()), j) for j, column in enumerate(distances.T) if column.min() <= LOOSE}
    i, j = divmod(int(distances.argmin()), distances.shape[1])
    return sorted(chosen | {(i, j)})


class Pair(NamedTuple):
    """An aligned pair as rows: source (frames, DOFs), target (frames, DOFs + 1) on the source's clock.

    In the target's rows the turn rate is replaced by the sway: target heading - source heading, each about its
    course. The last DOF is log w, w = the target's frames per source frame.
    """

    source: Floats
    target: Floats
    alignment: Alignment


def pair_rows(recipe: Recipe, source: Clip, target: Clip, alignment: Alignment) -> Pair:
    """Return the rows of an aligned pair; the target's speeds are in its original timing."""
    ours = encode(recipe, take_frames(source, *alignment.first), strict=False).values
    rows = encode(recipe, take_frames(target, *alignment.second), strict=False).values
    theirs = read_rows(rows, alignment.path)
    turn = column_of(recipe, "turn")
    if turn is not None:
        theirs[:, turn] = _sway(ours[:, turn], rows[:, turn], alignment.path, recipe.frame_time)
    return Pair(ours, np.column_stack([theirs, np.log(alignment.steps)]), alignment)


def sampled_mask(mask: Bools, places: Floats) -> Bools:
    """Return the mask at the nearest frames."""
    return np.asarray(mask[np.clip(np.round(places).astype(np.intp), 0, len(mask) - 1)])


def _sway(source_turn: Floats, target_turn: Floats, places: Floats, frame_time: float) -> Floats:
    """Return the target's sway about its course minus the source's at the same moment: a bounded oscillation.

    A course is the heading averaged over one cycle, so the sway contains no turns.
    """
    ours, theirs = (_about_course(turn, frame_time) for turn in (source_turn, target_turn))
    difference = np.interp(places, np.arange(len(theirs)), theirs) - ours
    return np.asarray(difference - difference.mean())


def _about_course(turn: Floats, frame_time: float) -> Floats:
    """Return the heading minus its running mean over one cycle."""
    heading = np.concatenate([[0.0], np.cumsum(turn[1:])]) * frame_time
    width = min(round(_swaying(turn, frame_time) / frame_time), len(heading))
    ahead = width // 2
    ends = 2.0 * heading[0] - heading[ahead:0:-1], 2.0 * heading[-1] - heading[-2 : -2 - (width - 1 - ahead) : -1]
    smooth = np.convolve(np.concatenate([ends[0], heading, ends[1]]), np.full(width, 1.0 / width), mode="valid")
    return np.asarray(heading - smooth)


def _swaying(turn: Floats, frame_time: float) -> float:
    """Find the cycle of the turn rate, in seconds: that of the strongest frequency of a gait, otherwise one second."""
    fastest, slowest = 2.5, 0.4  # cycles per second
    spectrum = np.abs(np.fft.rfft((turn - turn.mean()) * np.hanning(len(turn)), 8 * len(turn)))
    rates = np.fft.rfftfreq(8 * len(turn), frame_time)
    gait = (rates >= slowest) & (rates <= fastest)
    if len(turn) * frame_time * slowest < 1.0 or not gait.any() or spectrum[gait].max() < 1e-9:
        return 1.0
    return float(1.0 / rates[gait][spectrum[gait].argmax()])
