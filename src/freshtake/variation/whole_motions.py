"""Whole motions for crowds: drawn at once instead of block after block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from freshtake.variation.live import Block
from freshtake.variation.synthesis.amount import Amount
from freshtake.variation.synthesis.frame_kernels import Knots
from freshtake.variation.synthesis.traits import TRAITS
from freshtake.variation.synthesis.whole_drawing import NOISE, TRAITS_WANTED, Pace, Progress, draw_blocks
from freshtake.variation.synthesize import (
    BLOCK,
    MEMORY,
    SHARE_KNOTS,
    TRAIT_KNOTS,
    begin,
    knots_missing,
    tied_traits,
)

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel


def whole_motion(model: VariationModel, rng: np.random.Generator, amount: float | Amount, frames: int) -> Block:
    """What `model.made` gives, bit for bit, for a generator that nobody draws from afterwards: more is drawn than used.

    So blocks need not go back to Python for their random numbers.
    """
    if model.kernel is not None:
        return model.made(rng, amount=amount, frames=frames)
    sampler = model.sampler(amount)
    tables, nodes = sampler.tables, len(sampler.dynamics.noise)
    state = begin(sampler, rng)
    examples, length = len(state.chosen), len(tables.mean) - 1.0
    trait_spacing, share_spacing = TRAIT_KNOTS * length, SHARE_KNOTS * length
    farthest = (frames + BLOCK) * sampler.reach.fastest + sampler.reach.ahead
    rest, shares = (
        np.empty((int(farthest / spacing) + MEMORY + 1, width))
        for spacing, width in ((tables.spacing, nodes), (share_spacing, examples))
    )
    rest[:2], shares[:MEMORY] = state.rest, state.shares
    traits, size = state.traits, len(TRAITS) * nodes
    counts = np.array([0, 0, 2, MEMORY], np.intp)
    progress = Progress(counts, np.zeros(2), state.places)
    rows, phases = np.empty((frames, tables.detail.shape[2])), np.empty(frames)
    usual = frames * sampler.amounts.rate / float(tables.pace.mean()) + BLOCK * sampler.reach.fastest
    chunk = round((usual + sampler.reach.ahead) * (nodes / tables.spacing + size / trait_spacing)) + MEMORY * size
    noise = rng.standard_normal(chunk)
    while True:
        knots = Knots(rest, traits, shares, 0, 0, 0, trait_spacing, share_spacing)
        wanted = draw_blocks(
            rows, phases, progress, noise, sampler.dynamics.packed, tables, knots, sampler.amounts, state.chosen,
            sampler.reach, Pace(BLOCK, MEMORY),
        )  # fmt: skip
        if wanted == TRAITS_WANTED:
            last = float(progress.clock[0]) + BLOCK * sampler.reach.fastest + sampler.reach.ahead
            missing = knots_missing(last, trait_spacing, len(traits))
            used = int(counts[1])
            if used + missing * size <= len(noise):
                drawn = noise[used : used + missing * size].reshape(missing, len(TRAITS), nodes)
                traits = np.concatenate([traits, tied_traits(sampler, drawn)])
                counts[1] += missing * size
                continue
        elif wanted != NOISE:
            return Block(rows[: counts[0]], phases[: counts[0]])
        noise = np.concatenate([noise[counts[1] :], rng.standard_normal(chunk)])
        counts[1] = 0
