"""Whole motions for crowds: drawn at once instead of block after block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.variation.live import Block
from freshtake.variation.synthesis.amount import Amount
from freshtake.variation.synthesis.frame_kernels import Knots
from freshtake.variation.synthesis.whole_drawing import Drawing, Drawn, draw_blocks
from freshtake.variation.synthesize import BLOCK, MEMORY, SHARE_KNOTS, TRAIT_KNOTS, Sampler, begin

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel

SPARE = 1.05  # times the phases of a motion of usual pace, for which noise is drawn at once


def whole_motion(model: VariationModel, rng: np.random.Generator, amount: float | Amount, frames: int) -> Block:
    """What `model.made` gives, bit for bit, for a generator that nobody draws from afterwards: more is drawn than used.

    So blocks need not go back to Python for their random numbers.
    """
    if model.kernel is not None:
        return model.made(rng, amount=amount, frames=frames)
    sampler = model.sampler(amount)
    dynamics, tables, reach = sampler.dynamics, sampler.tables, sampler.reach
    state = begin(sampler, rng)
    length = len(tables.mean) - 1.0
    spacings = (tables.spacing, TRAIT_KNOTS * length, SHARE_KNOTS * length)
    first = (state.rest, state.traits, state.shares)
    farthest = (frames + BLOCK) * reach.fastest + reach.ahead
    rest, traits, shares = (
        _with_room(known, int(farthest / spacing) + MEMORY) for known, spacing in zip(first, spacings, strict=True)
    )
    knots = Knots(rest, traits, shares, 0, 0, 0, *spacings[1:])
    counts = np.array([0, 0, *map(len, first)], np.intp)
    drawing = Drawing(dynamics.packed, dynamics.trait_columns, sampler.swings, reach, BLOCK, MEMORY)
    rows, phases = np.empty((frames, tables.detail.shape[2])), np.empty(frames)
    drawn = Drawn(counts, np.zeros(2), state.places)
    noise = rng.standard_normal(_usual_noise(sampler, frames, knots))
    while not draw_blocks(rows, phases, drawn, noise, drawing, tables, knots, sampler.amounts, state.chosen):
        noise = np.concatenate([noise[counts[1] :], rng.standard_normal(len(noise))])
        counts[1] = 0
    return Block(rows[: counts[0]], phases[: counts[0]])


def _with_room(known: Floats, most: int) -> Floats:
    out = np.empty((max(most, len(known)), *known.shape[1:]))
    out[: len(known)] = known
    return out


def _usual_noise(sampler: Sampler, frames: int, knots: Knots) -> int:
    """How many normal values most motions need."""
    tables, reach = sampler.tables, sampler.reach
    usual = frames * sampler.amounts.rate / float(tables.pace.mean())
    last = SPARE * usual + BLOCK * reach.fastest + reach.ahead
    processes = (
        (knots.rest, tables.spacing),
        (knots.traits, knots.traits_spacing),
        (knots.shares, knots.shares_spacing),
    )
    return sum((int(last / spacing) + MEMORY) * values[0].size for values, spacing in processes)
