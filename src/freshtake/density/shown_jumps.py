"""Jumps as they are shown: modes do not tell how limbs turn, so the first frames of every jump are decoded, offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from freshtake.density.even_jumps import JumpTable
from freshtake.density.jumps import FARTHER, SHARP, SHARPEST, Track
from freshtake.density.possible_jumps import BEFORE
from freshtake.density.runs import Limits, Place, aligned_place, eased, fading, read_at
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.compiled import compiled

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel

FRAMES = 4  # two before a jump and two of it: a limb that is made to whip does so at once


def without_whips(model: DensityModel) -> JumpTable:
    """The model's jumps without those that are sharper than wanted once limbs are turned as the rows say.

    Such a jump stays only where a kernel has no other one and its run ends.
    """
    table = model.jumps
    if model.turning is None or not len(table.goals):
        return table
    here = np.repeat(np.arange(len(table.counts)), table.counts)
    bends = _shown_bends(model, here)
    sharp = bends > SHARPEST / SHARP * model.limits[model.owners[here], 0]
    return _without(table, here, sharp)


def _without(table: JumpTable, here: Ints, sharp: Bools) -> JumpTable:
    kernels = len(table.counts)
    chances = np.where(sharp, 0.0, table.chances)
    left = np.bincount(here, chances, minlength=kernels)
    kept = left[here] > 0.0
    return table._replace(
        chances=np.where(kept, chances / np.where(kept, left[here], 1.0), table.chances), haste=table.haste * left
    )


def _shown_bends(model: DensityModel, here: Ints) -> Floats:
    """The largest second difference, in modes, of the first frames of every jump as they are decoded (jumps,)."""
    largest, rows = np.zeros(len(here)), np.empty((len(here), FRAMES, model.track.rows.shape[1]))
    for early in BEFORE:
        first_frames(model.track, here, model.jumps.goals, early, model.controls.blend, rows)
        shown = model.encode(model.decode(rows.reshape(-1, rows.shape[2]))).reshape(len(here), FRAMES, -1)
        largest = np.maximum(largest, np.linalg.norm(np.diff(shown, 2, axis=1), axis=2).max(axis=1))
    return largest


@compiled
def first_frames(track: Track, here: Ints, there: Ints, early: float, blend: float, out: Floats) -> None:
    """Rows (jumps, FRAMES, width): the last two frames before each jump and its first ones.

    A jump begins `early` frames before the kernel that it is noted at.
    """
    width = out.shape[2]
    held, offset = np.zeros((4, width)), np.empty((2, width))
    for c in range(len(here)):
        i, j = here[c], there[c]
        source = Place(max(i - early, float(track.firsts[i])), track.firsts[i], track.lasts[i])
        for k in range(2):
            read_at(track.rows, source.at - k, source.first, source.last, width, held[k])
            out[c, 1 - k] = held[k]
        place = aligned_place(track.rows, track.modes, held[0], j, track.firsts[j], track.lasts[j])
        goal = Place(place, track.firsts[j], track.lasts[j])
        owner = track.owners[i]
        limits = Limits(track.sharpest[owner], FARTHER * track.farthest[owner], blend)
        _, span = eased(track.rows, track.modes, held, source, goal, 1.0, limits, offset)
        for t in range(1, FRAMES - 1):
            read_at(track.rows, place + t, goal.first, goal.last, width, out[c, t + 1])
            keep, push = fading(float(t), span)
            for k in range(width):
                out[c, t + 1, k] += keep * offset[0, k] + push * offset[1, k]
