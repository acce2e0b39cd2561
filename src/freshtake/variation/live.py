"""Variants as they come: blocks of rows, whole variants, and streams of one-frame motions with planted feet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.features import Start, where_it_ends
from freshtake.numeric.arrays import Floats
from freshtake.variation.goals.steering import Steering, SteeringState, steered
from freshtake.variation.network.joint_scores import Way
from freshtake.variation.network.prior_sampling import sample_prior
from freshtake.variation.network.propagation import PredictionMode
from freshtake.variation.planting import Posed, planted_stream, variant_settings
from freshtake.variation.synthesis.amount import Amount, amount_of
from freshtake.variation.synthesis.kernel_method import KNOTS, noise_blocks, paper_blocks
from freshtake.variation.synthesize import BLOCK, advance, begin, draw_ahead

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel

LIVE_BLOCK = 0.05  # seconds of motion that are made at a time while controls may change
MOST_CHANGE = 0.1  # of an amount in that time: faster would be seen as a jerk
LET_GO = Steering(limit=1e-9)  # radians per second: what was added to the turn rate fades


class Block(NamedTuple):
    """Rows (frames, DOFs) and their phases (frames,); the kernel methods have none."""

    rows: Floats
    phases: Floats | None


def steered_blocks(
    model: VariationModel, rng: np.random.Generator, amount: float | Amount, rate: float, steer: Steering | None
) -> Iterator[Block]:
    """Rows (frames, DOFs) and their phases, block after block; endless for a cyclic model."""
    blocks = _blocks(model, rng, amount, rate)
    if steer is None:
        yield from blocks
        return
    course, recipe, travel = SteeringState(Start()), model.material.recipe, model.travel
    assert recipe is not None
    for block in blocks:
        rows, course = steered(steer, recipe, travel, block.rows, course) if len(block.rows) else (block.rows, course)
        yield Block(rows, block.phases)


@dataclass(frozen=True)
class LiveControl:
    """What may change while a stream runs: the amount of variation, and a heading (radians, 0 is the start's)."""

    amount: float | Amount = 1.0
    heading: float | None = None


def controlled_blocks(
    model: VariationModel, rng: np.random.Generator, control: Callable[[], LiveControl]
) -> Iterator[Block]:
    """The same, with `control` called before every block."""
    recipe, course = model.material.recipe, SteeringState(Start())
    turns = recipe is not None and "turn" in recipe.units
    for block in _changing_blocks(model, rng, control):
        heading, rows = control().heading, block.rows
        if not turns or len(rows) == 0:
            yield block
            continue
        assert recipe is not None
        if heading is None and abs(course.correction) <= LET_GO.limit:
            course = course._replace(start=_after(model, rows, course.start, course.resume), resume=True)
        else:
            steer = LET_GO if heading is None else Steering(heading)
            rows, course = steered(steer, recipe, model.travel, rows, course)
        yield Block(rows, block.phases)


def _changing_blocks(
    model: VariationModel, rng: np.random.Generator, control: Callable[[], LiveControl]
) -> Iterator[Block]:
    """Short blocks, so that a control acts soon; another amount comes in over a few of them."""
    amount = control().amount
    if model.kernel is not None:  # the paper's sampler knows one amount
        yield from _blocks(model, rng, amount, 1.0)
        return
    frames = max(1, round(LIVE_BLOCK / model.frame_time))
    sampler = model.sampler(amount)
    state, drawn = begin(sampler, rng), 0
    while not state.ended:
        if drawn == 0:  # as for a whole block, so that a control that never changes changes nothing
            state, drawn = draw_ahead(state, sampler, rng), BLOCK
        count = min(frames, drawn)
        drawn -= count
        wanted = _nearer(amount, control().amount)
        if wanted == amount:
            state, rows = advance(state, sampler, rng, count)
        else:
            _, before = advance(state, sampler, deepcopy(rng), count)
            amount, sampler = wanted, model.sampler(wanted)
            state, rows = advance(state, sampler, rng, count)
            count = min(len(before), len(rows))
            share = (np.arange(1, count + 1) / count)[:, None]
            rows[:count] = (1.0 - share) * before[:count] + share * rows[:count]
        yield Block(rows, state.phases)


def _nearer(now: float | Amount, wanted: float | Amount) -> float | Amount:
    """A number comes nearer by so much a block; amounts of parts change at once."""
    if isinstance(now, Amount) or isinstance(wanted, Amount):
        return wanted
    return wanted if abs(wanted - now) <= MOST_CHANGE else now + float(np.sign(wanted - now)) * MOST_CHANGE


def _blocks(model: VariationModel, rng: np.random.Generator, amount: float | Amount, rate: float) -> Iterator[Block]:
    if model.kernel is not None:
        for rows in _kernel_blocks(model, rng, amount_of(amount).space):
            yield Block(rows, None)
        return
    sampler = model.sampler(amount, rate=rate)
    state = begin(sampler, rng)
    while not state.ended:
        state, rows = advance(state, sampler, rng)
        yield Block(rows, state.phases)


def _kernel_blocks(model: VariationModel, rng: np.random.Generator, amount: float) -> Iterator[Floats]:
    """The paper's sampler (Lau 2009, §6)."""
    s = model.settings
    first, second = first_frames(model, rng, amount)
    order = model.transition.order
    begin_with = np.stack([first + k * (second - first) for k in range(order)])
    way = Way(model.rule, PredictionMode(s.deltas, True, s.chosen("pull"), not model.cyclic), s.regression)
    drawn = noise_blocks(rng, len(model.dofs), KNOTS / model.frame_time if s.smooth_noise else 0.0)
    noise = (amount * block for block in drawn)
    yield from paper_blocks(model.material.values, model.material.weights, model.transition, way, begin_with, noise)


def first_frames(model: VariationModel, rng: np.random.Generator, amount: float) -> tuple[Floats, Floats]:
    """Frames 0 and 1, drawn from the prior network."""
    return sample_prior(
        model.prior, model.pairs, model.material.weights, model.prior_rule,
        amount * rng.standard_normal(2 * len(model.dofs)),
        delta=model.settings.chosen("prior_deltas"), regression=model.settings.regression,
    )  # fmt: skip


def whole_variant(model: VariationModel, source: Iterator[Block], frames: int | None, cycles: int | None) -> Block:
    """A whole variant as rows and phases: `frames` or `cycles` of a cyclic model, else to its end."""
    if model.cyclic and frames is None and cycles is None:
        raise UsageError("a cyclic model never ends: give a number of frames or cycles")
    if cycles is not None and cycles < 1:
        raise UsageError(f"the number of cycles must be 1 or more, not {cycles}")
    if cycles is not None and model.kernel is not None:
        frames = 1 + cycles * round(float(np.mean([len(x) - 1 for x in model.material.values])))
    goal = np.inf if cycles is None or frames is not None else cycles * (len(model.phase_frames) - 1.0)
    blocks, count = [], 0
    for block in source:
        blocks.append(block)
        if frames is None and block.phases is not None and block.phases[-1:].max(initial=0.0) >= goal:
            frames = count + 1 + int(np.argmax(block.phases >= goal))
        count += len(block.rows)
        if frames is not None and count >= frames:
            break
    rows = np.concatenate([block.rows for block in blocks])[:frames]
    if blocks[0].phases is None:
        return Block(rows, None)
    return Block(rows, np.concatenate([block.phases for block in blocks if block.phases is not None])[:frames])


def decoded_stream(model: VariationModel, blocks: Iterator[Block], plant: bool | str) -> Iterator[Any]:
    """One-frame motions, each placed where the one before ended; with `plant`, standing feet are held still."""
    if plant and model.planting_model is not None and model.kernel is None:
        settings = variant_settings(plant)
        posed = _posed(model, blocks)
        yield from planted_stream(posed, model.standing_table, model.cyclic, model.planting_model, settings)
        return
    start, first = Start(), True
    for block in blocks:
        for row in block.rows:
            yield model.decode(row[None], start=start, resume=not first)
            start, first = _after(model, row[None], start, not first), False


def _posed(model: VariationModel, blocks: Iterator[Block]) -> Iterator[Posed]:
    """Blocks as clips that go on where the one before ended."""
    start, first = Start(), True
    for block in blocks:
        if len(block.rows) and block.phases is not None:
            yield Posed(model.decode(block.rows, start=start, resume=not first), block.phases)
            start, first = _after(model, block.rows, start, not first), False


def _after(model: VariationModel, rows: Floats, start: Start, resume: bool) -> Start:
    recipe = model.material.recipe
    return start if recipe is None else where_it_ends(recipe, rows, start=start, resume=resume)
