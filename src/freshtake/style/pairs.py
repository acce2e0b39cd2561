"""Prepare pairs of clips to learn from, cut them from long takes, and convert them to aligned rows (Hsu 2005, §4.1).

Standing is trimmed, single cycles are repeated, and long takes are cut into stretches with equal numbers of cycles.
"""

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
from freshtake.style.columns import TURN
from freshtake.style.warping.alignment import Alignment
from freshtake.style.warping.correspondence import LIMIT, Content, content, content_distances
from freshtake.style.warping.warps import read_rows

CYCLES = 2  # cycles per stretch: the past can be extrapolated only if the beginning recurs
REPEATED = CYCLES + 1  # repetitions of a single cycle: two remain wherever the other style's cycle begins
SLOWER = 0.7  # fraction of a take's usual speed: slower cycles are part of starting and stopping
LOOSE = 2.0 * LIMIT  # two takes offer few partners, so these may be farther apart than clips of two folders


class Pieces(NamedTuple):
    """Pairs of stretches, their contents and distances, and a sentence that describes the cuts."""

    pairs: tuple[tuple[Clip, Clip], ...]
    contents: tuple[tuple[Content, Content], ...]
    apart: tuple[float, ...]
    what: str
    are_cut: bool  # False if nothing recurs, so that the complete takes are used


def fit_to_learn(pairs: Sequence[tuple[Clip, Clip]]) -> list[tuple[Clip, Clip]]:
    """Trim standing from the ends of clips that travel, and repeat clips that are a single gait cycle.

    Two single cycles may begin with different feet. After repetition they have phases in common, at which both are cut.
    """
    fit = {id(clip): _fit(clip) for pair in pairs for clip in pair}
    return [(fit[id(source)], fit[id(target)]) for source, target in pairs]


def _fit(clip: Clip) -> Clip:
    """Return the moving part of a gait, or its only cycle repeated; other clips are unchanged."""
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
    """Cut both takes into stretches with equal numbers of cycles, and pair stretches of similar content.

    Speed is compared relative to the style. Takes without cycles are one pair.
    """
    ours = stretches(source)
    theirs = stretches(target, ours[0]) if ours else []
    are_cut = bool(theirs)
    what = "one pair of takes in which nothing repeats: it is used unchanged, and nothing is left for a test"
    if not are_cut:
        ours, theirs = [source], [target]
    contents = [[content(clip) for clip in clips] for clips in (ours, theirs)]
    distances = content_distances(*contents)
    chosen = _nearest(distances)
    if are_cut:
        what = (
            f"one pair of takes: stretches of a few cycles were cut, {len(ours)} from {source.name or 'the source'} "
            f"and {len(theirs)} from {target.name or 'the target'}; the most similar in speed and turning are used: "
            f"{len(chosen)} pair{'' if len(chosen) == 1 else 's'}"
        )
    return Pieces(
        tuple((ours[i], theirs[j]) for i, j in chosen), tuple((contents[0][i], contents[1][j]) for i, j in chosen),
        tuple(float(distances[i, j]) for i, j in chosen), what, are_cut,
    )  # fmt: skip


def moving_part(clip: Clip) -> tuple[int, int]:
    """Return the frames at which a take starts moving and at which it has stopped."""
    ground = ground_of(clip.root, clip.up) / leg_length(clip.skeleton)
    # Measure speeds over half a second, about a step.
    width = max(1, round(0.5 / clip.frame_time))
    if len(clip) < 4 * width:
        return 0, len(clip)
    ahead = np.abs(ground[width:] - ground[:-width]) / (width * clip.frame_time)  # speed after each frame
    usual = float(np.percentile(ahead, 75.0))
    # A body below a quarter of its usual speed counts as standing.
    moving = np.flatnonzero(ahead >= 0.25 * usual)
    return (int(moving[0]), min(int(moving[-1]) + width + 1, len(clip))) if usual >= STANDING else (0, len(clip))


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

    The last stretch ends with the last cycle, and may share cycles with the previous one.
    """
    runs: list[list[tuple[int, int]]] = []
    for span in spans:
        # Cycles that follow each other without a gap are one run.
        if runs and runs[-1][-1][1] == span[0]:
            runs[-1].append(span)
        else:
            runs.append([span])
    bounds = []
    for run in runs:
        last = len(run) - CYCLES
        starts = {*range(0, last + 1, step), last} if last >= 0 else set()
        bounds += [(run[k][0], run[k + CYCLES - 1][1] + 1) for k in sorted(starts)]
    return bounds


def _nearest(distances: Floats) -> list[tuple[int, int]]:
    """Pair each row with its nearest column and each column with its nearest row, within limits; at least one pair."""
    chosen = {(i, int(row.argmin())) for i, row in enumerate(distances) if row.min() <= LOOSE}
    chosen |= {(int(column.argmin()), j) for j, column in enumerate(distances.T) if column.min() <= LOOSE}
    i, j = divmod(int(distances.argmin()), distances.shape[1])
    return sorted(chosen | {(i, j)})


class Pair(NamedTuple):
    """An aligned pair as rows: source (frames, DOFs), target (frames, DOFs + 1) on the source's clock.

    In the target's rows the turn rate is replaced by the sway: target heading - source heading, each about its mean
    over a cycle. The last DOF is log w, with w the number of the target's frames per source frame.
    """

    source: Floats
    target: Floats
    alignment: Alignment


def pair_rows(recipe: Recipe, source: Clip, target: Clip, alignment: Alignment) -> Pair:
    """Return the rows of an aligned pair; the target's speeds are in its original timing."""
    ours = encode(recipe, take_frames(source, *alignment.first), strict=False).values
    rows = encode(recipe, take_frames(target, *alignment.second), strict=False).values
    theirs = read_rows(rows, alignment.path)
    theirs[:, TURN] = _sway(ours[:, TURN], rows[:, TURN], alignment.path, recipe.frame_time)
    return Pair(ours, np.column_stack([theirs, np.log(alignment.steps)]), alignment)


def sampled_mask(mask: Bools, places: Floats) -> Bools:
    """Return the mask at the nearest frames."""
    return np.asarray(mask[np.clip(np.round(places).astype(np.intp), 0, len(mask) - 1)])


def _sway(source_turn: Floats, target_turn: Floats, places: Floats, frame_time: float) -> Floats:
    """Return the target's sway minus the source's at the same moment: a bounded oscillation without turns."""
    ours, theirs = (_oscillation(turn, frame_time) for turn in (source_turn, target_turn))
    difference = np.interp(places, np.arange(len(theirs)), theirs) - ours
    return np.asarray(difference - difference.mean())


def _oscillation(turn: Floats, frame_time: float) -> Floats:
    """Return the heading minus its running mean over one cycle."""
    heading = np.concatenate([[0.0], np.cumsum(turn[1:])]) * frame_time
    width = min(round(_swaying(turn, frame_time) / frame_time), len(heading))
    ahead = width // 2
    ends = 2.0 * heading[0] - heading[ahead:0:-1], 2.0 * heading[-1] - heading[-2 : -2 - (width - 1 - ahead) : -1]
    smooth = np.convolve(np.concatenate([ends[0], heading, ends[1]]), np.full(width, 1.0 / width), mode="valid")
    return np.asarray(heading - smooth)


def _swaying(turn: Floats, frame_time: float) -> float:
    """Find the cycle of the turn rate in seconds, by its strongest frequency; one second if there is no gait."""
    fastest, slowest = 2.5, 0.4  # cycles per second
    spectrum = np.abs(np.fft.rfft((turn - turn.mean()) * np.hanning(len(turn)), 8 * len(turn)))
    rates = np.fft.rfftfreq(8 * len(turn), frame_time)
    gait = (rates >= slowest) & (rates <= fastest)
    if len(turn) * frame_time * slowest < 1.0 or not gait.any() or spectrum[gait].max() < 1e-9:
        return 1.0
    return float(1.0 / rates[gait][spectrum[gait].argmax()])
