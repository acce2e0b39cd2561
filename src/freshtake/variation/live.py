"""Draw variants as blocks of rows, and streams of one-frame motions with planted feet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.features import Start, where_it_ends
from freshtake.motion.features.angles import AT_ORIGIN
from freshtake.motion.planting import Planter, StreamFrame
from freshtake.numeric.arrays import Floats
from freshtake.variation.amount import Amount
from freshtake.variation.goals.steering import Steering, SteeringState, steered
from freshtake.variation.sampling import BLOCK, Variant, advance, begin, draw_variant
from freshtake.variation.standing import variant_settings

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel

MOST_CHANGE = 0.1  # of an amount in that time: faster would be seen as a jerk
LET_GO = 1e-9  # radians per second: an added turn rate below it has faded out


def steered_blocks(
    model: VariationModel, rng: np.random.Generator, amount: float | Amount, rate: float, steer: Steering | None
) -> Iterator[Variant]:
    """Yield rows (frames, DOFs) and their phases, block after block; endless for a cyclic model."""
    blocks = _blocks(model, rng, amount, rate)
    if steer is None:
        yield from blocks
        return
    course, recipe, travel = SteeringState(Start()), model.material.recipe, model.travel
    assert recipe is not None
    for block in blocks:
        for first in range(0, len(block.rows), BLOCK):
            part = slice(first, first + BLOCK)
            rows, course = steered(steer, recipe, travel, block.rows[part], course)
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
    """What may change while a stream runs: the amount of variation, and a heading (radians, 0 is the start's)."""

    amount: float | Amount = 1.0
    heading: float | None = None


def controlled_blocks(
    model: VariationModel, rng: np.random.Generator, control: Callable[[], LiveControl]
) -> Iterator[Variant]:
    """Yield blocks like `steered_blocks`, with `control` called before every block."""
    recipe, course = model.material.recipe, SteeringState(Start())
    turns = recipe is not None and "turn" in recipe.units
    for block in _changing_blocks(model, rng, control):
        heading, rows = control().heading, block.rows
        if not turns or len(rows) == 0:
            yield block
            continue
        assert recipe is not None
        if heading is None and abs(course.correction) <= LET_GO:
            course = course._replace(start=_after(model, rows, course.start, course.resume), resume=True)
        else:
            steer = Steering(limit=LET_GO) if heading is None else Steering(heading)
            rows, course = steered(steer, recipe, model.travel, rows, course)
        yield block._replace(rows=rows)


def _changing_blocks(
    model: VariationModel, rng: np.random.Generator, control: Callable[[], LiveControl]
) -> Iterator[Variant]:
    """Yield short blocks, so that a control acts soon; a new amount is reached over a few of them."""
    amount = control().amount
    if not model.cyclic:
        yield from _blocks(model, rng, amount, 1.0)
        return
    # controls act from block to block, so blocks are short: 0.05 s
    frames = max(1, round(0.05 / model.frame_time))
    sampler, state = model.sampler(amount), begin(rng)
    while True:
        target = _nearer(amount, control().amount)
        after, rows = advance(state, sampler, frames)
        if target != amount:
            # both amounts from the same state: random numbers belong to the phase, so everything else is equal
            amount, sampler, before = target, model.sampler(target), rows
            after, rows = advance(state, sampler, frames)
            share = (np.arange(1, frames + 1) / frames)[:, None]
            rows = (1.0 - share) * before + share * rows
        state = after
        assert state.phases is not None
        yield Variant(rows, state.phases, state.start)


def _nearer(now: float | Amount, wanted: float | Amount) -> float | Amount:
    """Return an amount nearer to the wanted one: a number changes by a step per block, amounts of parts at once."""
    if isinstance(now, Amount) or isinstance(wanted, Amount):
        return wanted
    return wanted if abs(wanted - now) <= MOST_CHANGE else now + float(np.sign(wanted - now)) * MOST_CHANGE


def steered_rows(model: VariationModel, steer: Steering, rows: Floats) -> Floats:
    """Return rows whose turn rates keep a heading or follow a path."""
    recipe, course, out = model.material.recipe, SteeringState(Start()), []
    assert recipe is not None
    for first in range(0, len(rows), BLOCK):
        done, course = steered(steer, recipe, model.travel, rows[first : first + BLOCK], course)
        out.append(done)
    return np.concatenate(out)


def beginning(model: VariationModel, blocks: Iterator[Variant], frames: int | None, cycles: int | None) -> Variant:
    """Return the beginning of an endless motion: a number of frames or of cycles."""
    last = np.inf if cycles is None else cycles * (len(model.phase_frames) - 1.0)
    rows: list[Floats] = []
    phases: list[Floats] = []
    start, count = AT_ORIGIN, 0
    for block in blocks:
        start = block.start if not rows else start
        rows.append(block.rows)
        phases.append(block.phases)
        count += len(block.rows)
        if frames is None and block.phases[-1] >= last:
            frames = count - len(block.rows) + 1 + int(np.argmax(block.phases >= last))
        if frames is not None and count >= frames:
            break
    return Variant(np.concatenate(rows)[:frames], np.concatenate(phases)[:frames], start)


def decoded_stream(model: VariationModel, blocks: Iterator[Variant], plant: bool | str) -> Iterator[Any]:
    """Yield one-frame motions, each placed where the one before ended; with `plant`, standing feet are held still."""
    if plant and model.planting_model is not None:
        planter, clip = Planter.learn(model.planting_model, variant_settings(plant)), None
        state = planter.start()
        for clip, phases in _posed(model, blocks):
            # planting looks ahead, so frames are ready a constant number of frames later
            state, ready = planter.feed(state, clip.root, clip.rotations, model.standing(phases))
            yield from _frames(clip, ready)
        if clip is not None:
            yield from _frames(clip, planter.finish(state))
        return
    recipe = model.material.recipe
    if recipe is not None and recipe.motion_type is Clip:
        for posed_block in _posed(model, blocks):
            yield from posed_block.clip.single_frames()
        return
    start, first = AT_ORIGIN, True
    for block in blocks:
        for row in block.rows:
            yield model.decode(row[None], start=start, resume=not first)
            start, first = _after(model, row[None], start, not first), False


def _frames(like: Clip, ready: StreamFrame) -> Iterator[Clip]:
    for root, rotations in zip(ready.root, ready.rotations, strict=True):
        yield like.changed(root=root[None], rotations=rotations[None])


class Posed(NamedTuple):
    """A block of frames and their phases (frames,)."""

    clip: Clip
    phases: Floats


def _posed(model: VariationModel, blocks: Iterator[Variant]) -> Iterator[Posed]:
    """Yield blocks as clips with their phases."""
    start, first = AT_ORIGIN, True
    for block in blocks:
        if len(block.rows):
            start = block.start if first else start
            yield Posed(model.decode(block.rows, start=start, resume=not first), block.phases)
            start, first = _after(model, block.rows, start, not first), False


def _after(model: VariationModel, rows: Floats, start: Start, resume: bool) -> Start:
    recipe = model.material.recipe
    return start if recipe is None else where_it_ends(recipe, rows, start=start, resume=resume)
