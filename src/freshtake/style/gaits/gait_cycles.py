"""Single gait cycles as vectors on one common clock, and looped walks from such vectors (Hsu 2005, §5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.possible import possible
from freshtake.methods.progress import Progress, Report
from freshtake.motion.clip import Clip
from freshtake.motion.cycles.cycles import first_to_last
from freshtake.motion.edit import take_frames
from freshtake.motion.features import Recipe, decode, encode, recipe
from freshtake.numeric.arrays import Floats
from freshtake.style.warping.alignment import align
from freshtake.style.warping.equal_phase import best_shift, gait_of
from freshtake.style.warping.warp_curve import read_rows
from freshtake.style.warping.warp_inputs import clip_rows
from freshtake.style.warping.warp_settings import WarpSettings

FARTHEST = 3.0  # logarithm of the pace against the reference's: twenty times faster or slower is no gait
SLACK = 0.04  # of a cycle: how much may be missing at a clip's ends


@dataclass(frozen=True, eq=False)
class GaitCode:
    """How a cycle is coded: the recipe of its rows and the frames of the common clock (the first is not repeated)."""

    recipe: Recipe
    frames: int

    def __len__(self) -> int:
        return self.frames


def gait_code(clips: Sequence[Clip], reference: int, settings: WarpSettings, tell: Report) -> tuple[GaitCode, Floats]:
    """The vectors (clips, numbers) of one cycle of each clip, on the clock of the reference's cycle."""
    origin = one_cycle(clips[reference])
    cycles = [origin if k == reference else one_cycle(clip, origin) for k, clip in enumerate(clips)]
    coded = recipe(cycles, angles="expmap", root="heading", scale="none", drop_constant=False)
    whole = replace(settings, cut="never")
    vectors = []
    for number, cycle in enumerate(cycles):
        tell(Progress(0.9 * number / len(cycles), f"aligning {cycle.name or f'cycle {number + 1}'}"))
        found = align(origin, cycle, whole)
        rows = closed(read_rows(encode(coded, cycle).values, found.path))
        pace = closed(np.log(found.steps)[:, None])[:, 0]
        pace += np.log((len(cycle) - 1) / np.exp(pace).sum())  # the duration is the cycle's own
        vectors.append(np.concatenate([rows.ravel(), pace]))
    return GaitCode(coded, len(origin) - 1), np.stack(vectors)


def one_cycle(clip: Clip, like: Clip | None = None) -> Clip:
    """The cycle whose end is most like its start, first frame included at both ends.

    With `like` it begins at the phase of that cycle. A clip that does not recur is taken to be one cycle itself.
    """
    rows = clip_rows(clip, like or clip)[0]
    gait = gait_of(clip, rows)
    if gait is None:
        return clip
    start = 0.0 if like is None else _phase_of(like, clip, gait.mean)
    first = np.ceil(gait.cycles[0] - start - SLACK)
    count = int(np.floor(gait.cycles[-1] - start - first + SLACK))
    marks = np.interp(start + first + np.arange(count + 1), gait.cycles, np.arange(len(clip)))
    bounds = np.rint(marks).astype(int).tolist()
    pieces = [take_frames(clip, low, high + 1) for low, high in pairwise(bounds) if high > low]
    if not pieces:
        raise UsageError(f"{clip.name or 'a clip'} holds no whole cycle of the reference's phase: give a longer take")
    return min(pieces, key=first_to_last)


def _phase_of(like: Clip, clip: Clip, mean: Floats) -> float:
    """The phase of the clip at which the other, one cycle long, begins."""
    rows = clip_rows(like, clip)[0][:-1]
    bins = len(mean)
    at = np.linspace(0.0, len(rows), bins, endpoint=False)
    one = read_rows(np.concatenate([rows, rows[:1]]), at)
    return -best_shift(one, mean)


def closed(rows: Floats) -> Floats:
    """All rows but the last, with the gap from the last to the first spread evenly, so that they repeat smoothly."""
    count = len(rows) - 1
    ramp = np.arange(count)[:, None] / count - 0.5
    out: Floats = rows[:-1] - ramp * (rows[-1] - rows[0])
    return out


def looped(code: GaitCode, vector: Floats, cycles: int, name: str) -> Clip:
    """A clip of some cycles, at the recipe's rate; the first frame is repeated at the end."""
    if cycles < 1:
        raise UsageError(f"at least one cycle is made, not {cycles}")
    rows, log_pace = vector[: -code.frames].reshape(code.frames, -1), vector[-code.frames :]
    if np.abs(log_pace).max() > FARTHEST:
        raise UsageError("this style and speed lie too far beyond the examples: give weights nearer to 0 and 1")
    pace = np.exp(log_pace)
    ends = np.concatenate([[0.0], np.cumsum(0.5 * (pace + np.roll(pace, -1)))])  # time of each phase, in frames
    count = max(2, round(ends[-1]))
    time = np.arange(cycles * count + 1) % count * (ends[-1] / count)
    phase = np.interp(time, ends, np.arange(code.frames + 1, dtype=np.float64))
    made = decode(code.recipe, read_rows(np.concatenate([rows, rows[:1]]), phase), name=name)
    assert isinstance(made, Clip)
    return possible(made)
