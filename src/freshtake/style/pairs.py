"""Pairs of clips as aligned rows: the target style in the source's time, and its timing (Hsu 2005, §4.1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.clip import Clip
from freshtake.motion.edit import take_frames
from freshtake.motion.features import Recipe, encode
from freshtake.numeric.arrays import Bools, Floats
from freshtake.style.columns import column_of
from freshtake.style.warping.alignment import Alignment


class Pair(NamedTuple):
    """An aligned pair as rows: source (frames, DOFs), target (frames, DOFs + 1) in the source's time.

    In the target's rows the turn rate is replaced by the sway: target heading - source heading, each about its own
    course. The last DOF is log w, w = the target's frames per source frame.
    """

    source: Floats
    target: Floats
    alignment: Alignment


def pair_rows(recipe: Recipe, source: Clip, target: Clip, alignment: Alignment) -> Pair:
    """Rows of an aligned pair; speeds are those of the target's own time."""
    ours = encode(recipe, take_frames(source, *alignment.first), strict=False).values
    rows = encode(recipe, take_frames(target, *alignment.second), strict=False).values
    theirs = sampled(rows, alignment.path)
    turn = column_of(recipe, "turn")
    if turn is not None:
        theirs[:, turn] = _sway(ours[:, turn], rows[:, turn], alignment.path, recipe.frame_time)
    return Pair(ours, np.column_stack([theirs, np.log(alignment.steps)]), alignment)


def sampled(rows: Floats, places: Floats) -> Floats:
    """Rows at fractional frame numbers, linearly between neighbours."""
    below = np.clip(np.floor(places).astype(np.intp), 0, max(len(rows) - 2, 0))
    share = (places - below)[:, None]
    above = np.minimum(below + 1, len(rows) - 1)
    out: Floats = rows[below] * (1.0 - share) + rows[above] * share
    return out


def sampled_mask(mask: Bools, places: Floats) -> Bools:
    """The labels of the nearest frames."""
    return np.asarray(mask[np.clip(np.round(places).astype(np.intp), 0, len(mask) - 1)])


def _sway(source_turn: Floats, target_turn: Floats, places: Floats, frame_time: float) -> Floats:
    """How the target sways about its own course, less how the source does at the same moment: a bounded oscillation.

    A course is the heading averaged over one cycle, so that neither a turn nor a cycle is left in the sway.
    """
    ours, theirs = (_about_course(turn, frame_time) for turn in (source_turn, target_turn))
    difference = np.interp(places, np.arange(len(theirs)), theirs) - ours
    return np.asarray(difference - difference.mean())


def _about_course(turn: Floats, frame_time: float) -> Floats:
    """The heading without its running mean over one cycle; a heading that does not oscillate has none."""
    heading = np.concatenate([[0.0], np.cumsum(turn[1:])]) * frame_time
    width = min(round(_swaying(turn, frame_time) / frame_time), len(heading))
    ahead = width // 2
    ends = 2.0 * heading[0] - heading[ahead:0:-1], 2.0 * heading[-1] - heading[-2 : -2 - (width - 1 - ahead) : -1]
    smooth = np.convolve(np.concatenate([ends[0], heading, ends[1]]), np.full(width, 1.0 / width), mode="valid")
    return np.asarray(heading - smooth)


def _swaying(turn: Floats, frame_time: float) -> float:
    """Seconds of one cycle of the turn rate: the strongest frequency of a gait; otherwise one second."""
    fastest, slowest = 2.5, 0.4  # cycles per second
    spectrum = np.abs(np.fft.rfft((turn - turn.mean()) * np.hanning(len(turn)), 8 * len(turn)))
    rates = np.fft.rfftfreq(8 * len(turn), frame_time)
    gait = (rates >= slowest) & (rates <= fastest)
    if len(turn) * frame_time * slowest < 1.0 or not gait.any() or spectrum[gait].max() < 1e-9:
        return 1.0
    return float(1.0 / rates[gait][spectrum[gait].argmax()])
