"""Draw variants as blocks of rows, steer them, and stream one-frame motions with planted feet.

Turn rates integrate to a slow drift of the heading, so a long stream can be given a heading or a path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.features import Start, where_it_ends
from freshtake.motion.features.angles import AT_ORIGIN
from freshtake.motion.pins import Pin
from freshtake.motion.planting import Planted, Planter, PlantSettings, StreamFrame, settings_for
from freshtake.motion.planting import plant as plant_feet
from freshtake.numeric.arrays import Floats
from freshtake.variation.amount import Amount
from freshtake.variation.sampling import BLOCK, Variant, advance, begin, draw_variant
from freshtake.variation.steering import Steering, SteeringState, steered

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel

MOST_CHANGE = 0.1  # change of an amount per block: a faster change would look like a jerk
LET_GO = 1e-9  # radians per second: below this, an added turn rate has faded out


def steered_blocks(
    model: VariationModel, rng: np.random.Generator, amount: float | Amount, rate: float, steer: Steering | None
) -> Iterator[Variant]:
    """Yield rows (frames, DOFs) and their phases, block by block; endless for a cyclic model."""
    blocks = _blocks(model, rng, amount, rate)
    return blocks if steer is None else _steered(model, steer, blocks)


def steered_rows(model: VariationModel, steer: Steering, variant: Variant) -> Floats:
    """Return rows of a variant whose turn rates keep a heading or follow a path."""
    return np.concatenate([block.rows for block in _steered(model, steer, iter([variant]))])


def _steered(model: VariationModel, steer: Steering, blocks: Iterator[Variant]) -> Iterator[Variant]:
    state, recipe, travel = SteeringState(Start()), model.material.recipe, model.travel
    assert recipe is not None
    for block in blocks:
        for first in range(0, len(block.rows), BLOCK):
            part = slice(first, first + BLOCK)
            rows, state = steered(steer, recipe, travel, block.rows[part], state)
            yield Variant(rows, block.phases[part], followed=block.followed)


def _blocks(model: VariationModel, rng: np.random.Generator, amount: float | Amount, rate: float) -> Iterator[Variant]:
    sampler = model.sampler(amount, rate=rate)
    if not model.cyclic:
        yield draw_variant(sampler, rng)
        return
    state = begin(rng)
    while True:
        state, rows = advance(state, sampler)
        assert state.phases is not None
        yield Variant(rows, state.phases, state.start)


@dataclass(frozen=True)
class LiveControl:
    """Controls that may change during a stream: the amount of variation and a heading (radians, initially 0)."""

    amount: float | Amount = 1.0
    heading: float | None = None


def controlled_blocks(
    model: VariationModel, rng: np.random.Generator, control: Callable[[], LiveControl]
) -> Iterator[Variant]:
    """Yield blocks like `steered_blocks`, with `control` called before every block."""
    recipe, state = model.material.recipe, SteeringState(Start())
    turns = recipe is not None and "turn" in recipe.units
    for block in _changing_blocks(model, rng, control):
        heading, rows = control().heading, block.rows
        if not turns or len(rows) == 0:
            yield block
            continue
        assert recipe is not None
        if heading is None and abs(state.correction) <= LET_GO:
            state = state._replace(start=_after(model, rows, state.start, state.resume), resume=True)
        else:
            steer = Steering(limit=LET_GO) if heading is None else Steering(heading)
            rows, state = steered(steer, recipe, model.travel, rows, state)
        yield block._replace(rows=rows)


def _changing_blocks(
    model: VariationModel, rng: np.random.Generator, control: Callable[[], LiveControl]
) -> Iterator[Variant]:
    """Yield short blocks, so controls act soon; a new amount is reached over several blocks."""
    amount = control().amount
    if not model.cyclic:
        yield from _blocks(model, rng, amount, 1.0)
        return
    # controls act between blocks, so blocks are short: 0.05 s
    frames = max(1, round(0.05 / model.frame_time))
    sampler, state = model.sampler(amount), begin(rng)
    while True:
        target = _nearer(amount, control().amount)
        after, rows = advance(state, sampler, frames)
        if target != amount:
            # draw both amounts from the same state: random numbers depend only on the phase, so everything else is
            # equal
            amount, sampler, before = target, model.sampler(target), rows
            after, rows = advance(state, sampler, frames)
            share = (np.arange(1, frames + 1) / frames)[:, None]
            rows = (1.0 - share) * before + share * rows
        state = after
        assert state.phases is not None
        yield Variant(rows, state.phases, state.start)


def _nearer(now: float | Amount, requested: float | Amount) -> float | Amount:
    """Return an amount nearer to the requested one: a number changes stepwise, amounts of parts at once."""
    if isinstance(now, Amount) or isinstance(requested, Amount):
        return requested
    return requested if abs(requested - now) <= MOST_CHANGE else now + float(np.sign(requested - now)) * MOST_CHANGE


def cut_from(
    model: VariationModel, blocks: Iterator[Variant], frames: int | None, last: float, first: float = 0.0
) -> Variant:
    """Return a stretch of an endless motion that begins at phase `first`: `frames` long, or up to phase `last`."""
    recipe = model.material.recipe
    rows: list[Floats] = []
    phases: list[Floats] = []
    start, resume, count = None, False, 0
    for block in blocks:
        start = block.start if start is None else start
        begun = block.phases >= first
        if not begun.all() and recipe is not None:  # earlier frames are dropped, but move the body
            start, resume = where_it_ends(recipe, block.rows[~begun], start=start, resume=resume), True
        rows.append(block.rows[begun])
        phases.append(block.phases[begun])
        if frames is None and block.phases[-1] >= last:
            frames = count + 1 + int(np.argmax(phases[-1] >= last))
        count += len(rows[-1])
        if frames is not None and count >= frames:
            break
    return Variant(np.concatenate(rows)[:frames], np.concatenate(phases)[:frames], start or AT_ORIGIN)


def decoded_stream(model: VariationModel, blocks: Iterator[Variant], plant: bool | str) -> Iterator[Any]:
    """Yield one-frame motions, each placed where the previous one ended; with `plant`, standing feet are kept still."""
    if plant and model.planting_model is not None:
        planter, clip = Planter.learn(model.planting_model, variant_settings(plant)), None
        state = planter.start()
        for clip, phases in _posed(model, blocks):
            # planting looks ahead, so frames are delayed by a constant number
            state, ready = planter.feed(state, clip.root, clip.rotations, model.standing(phases))
            yield from _frames(clip, ready)
        if clip is not None:
            yield from _frames(clip, planter.finish(state))
        return
    recipe = model.material.recipe
    if recipe is not None and recipe.motion_type is Clip:
        for posed, _ in _posed(model, blocks):
            yield from posed.single_frames()
        return
    rows = (block._replace(rows=row[None]) for block in blocks for row in block.rows)
    yield from (frame for frame, _ in _posed(model, rows))


def _frames(like: Clip, ready: StreamFrame) -> Iterator[Clip]:
    for root, rotations in zip(ready.root, ready.rotations, strict=True):
        yield like.changed(root=root[None], rotations=rotations[None])


def _posed(model: VariationModel, blocks: Iterator[Variant]) -> Iterator[tuple[Any, Floats]]:
    """Yield blocks as motions with their phases (frames,), each placed where the previous one ended."""
    start, resume = AT_ORIGIN, False
    for block in blocks:
        if len(block.rows):
            start = start if resume else block.start
            yield model.decode(block.rows, start=start, resume=resume), block.phases
            start, resume = _after(model, block.rows, start, resume), True


def _after(model: VariationModel, rows: Floats, start: Start, resume: bool) -> Start:
    recipe = model.material.recipe
    return start if recipe is None else where_it_ends(recipe, rows, start=start, resume=resume)


def variant_settings(plant: bool | str) -> PlantSettings:
    """Return the planting settings of variants: hips stay at the drawn height.

    Sinking hips keep standing feet 2 % stiller, but shake when legs are straight.
    """
    return replace(settings_for(plant), sink=0.0)


def planted_at(
    model: VariationModel, clip: Clip, phases: Floats, plant: bool | str, pins: Sequence[Pin] = ()
) -> Planted:
    """Plant the feet of a clip where the takes' feet stand at its phases (frames,), and reach pinned positions."""
    assert model.planting_model is not None
    stand, settings = model.standing(phases), variant_settings(plant)
    return plant_feet(clip, stand, pins=pins, examples=model.planting_model, settings=settings, careful=False)
