"""A whole motion drawn at once: the same numbers as block after block, without going back to Python between blocks."""

from __future__ import annotations

from typing import NamedTuple

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.variation.synthesis.dynamics import PackedEdges
from freshtake.variation.synthesis.frame_kernels import Amounts, Knots, Tables, draw_slices, make_frames

DONE, NOISE, TRAITS_WANTED = 0, 1, 2  # what ends a run: the motion is whole, or normal values or traits are wanted


class Reach(NamedTuple):
    """Which knots a block may need: the most phases per frame, and how far feet look back and ahead."""

    fastest: float
    back: float
    ahead: float


class Progress(NamedTuple):
    """How far a motion has come."""

    counts: Ints  # (4,): frames made, noise used, frames of the network and shares of the detail drawn
    clock: Floats  # see make_frames
    places: Floats


class Pace(NamedTuple):
    """Frames in a block, and knots that a moment of a smooth process depends on."""

    block: int
    memory: int


@compiled
def draw_blocks(
    rows: Floats,  # out (frames, DOFs)
    phases: Floats,  # out (frames,)
    progress: Progress,
    noise: Floats,  # standard normal values, in the order in which blocks use them
    edges: PackedEdges,
    tables: Tables,
    knots: Knots,  # from the first on; `rest` and `shares` with room for those to come
    amounts: Amounts,
    chosen: Ints,
    reach: Reach,
    pace: Pace,
) -> int:
    """Go on until the motion is whole, or until something is missing that the caller has to draw: see DONE."""
    counts, clock, places = progress
    nodes, examples = knots.rest.shape[1], knots.shares.shape[1]
    while counts[0] < rows.shape[0]:
        last = clock[0] + pace.block * reach.fastest + reach.ahead
        missing = int(last / tables.spacing) + pace.memory - counts[2]
        if missing > 0:
            if counts[1] + missing * nodes > noise.shape[0]:
                return NOISE
            drawn = noise[counts[1] : counts[1] + missing * nodes].reshape(missing, nodes)
            draw_slices(edges, drawn, knots.rest[counts[2] - 2 : counts[2] + missing])
            counts[1] += missing * nodes
            counts[2] += missing
        if int(last / knots.traits_spacing) + pace.memory > knots.traits.shape[0]:
            return TRAITS_WANTED
        missing = int(last / knots.shares_spacing) + pace.memory - counts[3]
        if missing > 0:
            if counts[1] + missing * examples > noise.shape[0]:
                return NOISE
            for k in range(missing):
                for e in range(examples):
                    knots.shares[counts[3] + k, e] = noise[counts[1] + k * examples + e]
            counts[1] += missing * examples
            counts[3] += missing
        begin, end = counts[0], min(counts[0] + pace.block, rows.shape[0])
        made = make_frames(rows[begin:end], phases[begin:end], clock, places, tables, knots, amounts, chosen)
        counts[0] += made
        if made < end - begin:
            break
    return DONE
