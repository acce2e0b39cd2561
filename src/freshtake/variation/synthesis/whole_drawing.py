"""A whole motion drawn at once: the same numbers as block after block, without going back to Python between blocks."""

from __future__ import annotations

from typing import NamedTuple

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.variation.synthesis.dynamics import PackedEdges
from freshtake.variation.synthesis.frame_kernels import Amounts, Knots, Tables, draw_slices, make_frames
from freshtake.variation.synthesis.swing_following import SwingTables
from freshtake.variation.synthesis.trait_kernels import tie_traits


class Reach(NamedTuple):
    """Which knots a block may need: the most phases per frame, and how far feet look back and ahead."""

    fastest: float
    back: float
    ahead: float


class Drawing(NamedTuple):
    """What knots are drawn with."""

    edges: PackedEdges
    trait_columns: Floats  # see Dynamics
    swings: SwingTables
    reach: Reach
    block: int  # frames
    memory: int  # knots that a moment of a smooth process depends on


class Drawn(NamedTuple):
    """How far a motion has come."""

    counts: Ints  # (5,): frames made, noise used; frames of the network, traits and shares of the detail drawn
    clock: Floats  # see make_frames
    places: Floats


@compiled
def draw_blocks(
    rows: Floats,  # out (frames, DOFs)
    phases: Floats,  # out (frames,)
    drawn: Drawn,
    noise: Floats,  # standard normal values, in the order in which blocks use them
    drawing: Drawing,
    tables: Tables,
    knots: Knots,  # from the first on, with room for those to come
    amounts: Amounts,
    chosen: Ints,
) -> bool:
    """Go on until the motion is whole; False where more noise is wanted first."""
    counts, clock, places = drawn
    edges, trait_columns, swings, reach, block, memory = drawing
    (traits, nodes), examples = knots.traits.shape[1:], knots.shares.shape[1]
    while counts[0] < rows.shape[0]:
        last = clock[0] + block * reach.fastest + reach.ahead
        slices = max(int(last / tables.spacing) + memory - counts[2], 0)
        trait_knots = max(int(last / knots.traits_spacing) + memory - counts[3], 0)
        shares = max(int(last / knots.shares_spacing) + memory - counts[4], 0)
        begin = counts[1]
        middle = begin + slices * nodes
        end = middle + trait_knots * traits * nodes
        if end + shares * examples > noise.shape[0]:
            return False
        draw_slices(edges, noise[begin:middle].reshape(slices, nodes), knots.rest[counts[2] - 2 : counts[2] + slices])
        tie_traits(
            trait_columns, swings, noise[middle:end].reshape(trait_knots, traits, nodes),
            knots.traits[counts[3] : counts[3] + trait_knots],
        )  # fmt: skip
        for k in range(shares):
            for e in range(examples):
                knots.shares[counts[4] + k, e] = noise[end + k * examples + e]
        counts[1] = end + shares * examples
        counts[2] += slices
        counts[3] += trait_knots
        counts[4] += shares
        first, stop = counts[0], min(counts[0] + block, rows.shape[0])
        made = make_frames(rows[first:stop], phases[first:stop], clock, places, tables, knots, amounts, chosen)
        counts[0] += made
        if made < stop - first:
            break
    return True
