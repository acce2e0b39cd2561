"""Pairs of clips as aligned rows: the target style in the source's time, and its timing (Hsu 2005, §4.1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.clip import Clip
from freshtake.motion.edit import take_frames
from freshtake.motion.features import Recipe, encode
from freshtake.numeric.arrays import Bools, Floats
from freshtake.style.alignment import Alignment
from freshtake.style.columns import column_of


class Pair(NamedTuple):
    """An aligned pair as rows: source (frames, DOFs), target (frames, DOFs + 1) in the source's time.

    In the target's rows the turn rate is replaced by the sway: target heading - source heading without its trend. The
    last DOF is log w, w = the target's frames per source frame.
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
    """How far the target's heading is from the source's at the same moment, trend removed: a bounded oscillation."""
    ours = np.concatenate([[0.0], np.cumsum(source_turn[1:])]) * frame_time
    theirs = np.concatenate([[0.0], np.cumsum(target_turn[1:])]) * frame_time
    apart = np.interp(places, np.arange(len(theirs)), theirs) - ours
    time = np.linspace(-1.0, 1.0, len(apart))
    slope = float(apart @ time / (time @ time)) if len(apart) > 1 else 0.0
    return np.asarray(apart - apart.mean() - slope * time)
