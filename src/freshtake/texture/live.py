"""Streams of a model: endless rows or one-frame motions, each placed at the end of the previous one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.features import Start, where_it_ends
from freshtake.numeric.arrays import Floats
from freshtake.texture.guiding import Guide, begin_guided
from freshtake.texture.planting import planted_stream
from freshtake.texture.play_kernels import Chances
from freshtake.texture.synthesize import shown
from freshtake.texture.transitions import Played

if TYPE_CHECKING:
    from freshtake.texture.model import TextureModel

STREAM_BLOCK = 64  # frames
Shows = TypeVar("Shows", Played, None)


class LivePlay(NamedTuple):
    """Controls that may change during a stream: the guide, the rate of jumps relative to the learned one, the cell."""

    guide: Guide = Guide()
    jump_rate: float = 1.0
    cell: str | None = None


def play_stream(
    model: TextureModel, rng: np.random.Generator, cell: str | None, decode: bool, plant: bool | str = False
) -> Iterator[Any]:
    """Stream rows endlessly, one per frame; with `decode` placed one-frame motions, with `plant` planted feet."""
    if plant and not decode:
        raise UsageError("planting needs poses: add decode=True, or omit plant")
    blocks = _blocks(model, rng, cell)
    moving = model.recipe is not None and getattr(model.recipe.layout, "moving", False)
    if plant and model.standing is not None and not moving:
        return planted_stream(_decoded(model, blocks), model.standing, plant)
    rows = (row for block, _ in blocks for row in block)
    return (motion for motion, _ in _decoded(model, ((row[None], None) for row in rows))) if decode else rows


def _blocks(model: TextureModel, rng: np.random.Generator, cell: str | None) -> Iterator[tuple[Floats, Played]]:
    """Yield blocks of rows, and the frames they show."""
    state = model.start(rng, cell=cell)
    while True:
        after, played = model.play(state, rng, STREAM_BLOCK)
        yield shown(state, played, model.blending), played
        state = after


def _decoded(model: TextureModel, blocks: Iterator[tuple[Floats, Shows]]) -> Iterator[tuple[Any, Shows]]:
    """Decode rows to motions, each placed at the end of the previous one, with the frames they show."""
    start, first = Start(), True
    for rows, played in blocks:
        yield model.decode(rows, start=start, resume=not first), played
        start, first = model.after(rows, start, not first), False


def guided_blocks(
    model: TextureModel, rng: np.random.Generator, cell: str | None, control: Callable[[], LivePlay]
) -> Iterator[tuple[Any, Played]]:
    """Yield motions of a few frames each, and the frames they show; `control` is called before each."""
    return _decoded(model, _guided(model, rng, cell, control))


def _guided(
    model: TextureModel, rng: np.random.Generator, cell: str | None, control: Callable[[], LivePlay]
) -> Iterator[tuple[Floats, Played]]:
    # Controls may change, so only 0.05 s of motion is made at a time.
    frames = max(1, round(0.05 / model.frame_time))
    state = begin_guided(model.start(rng, cell=cell), control().guide, model.up)
    while True:
        now = control()
        if now.cell is not None and now.cell != cell:
            cell = now.cell
            state = state.steered(model.steer(state.play, cell))
        if model.rates:
            state, rows, played = model.advance_guided(state, rng, now.guide, frames, now.jump_rate)
        else:  # no travel to guide: only the cell can be chosen
            after, played = model.play(state.play, rng, frames)
            rows, state = shown(state.play, played, model.blending), state.steered(after)
        yield rows, played


def more_often(chances: Chances, rate: float) -> Chances:
    """Scale the probabilities of jumps by `rate` in frames where playback may also continue."""
    if rate == 1.0:
        return chances
    jump = chances.chances.sum(axis=1)
    # If a frame has only jumps, their probabilities sum to one and cannot be scaled.
    free = (chances.onward > 0.0) & (jump > 0.0)
    # A frame's probability of a jump is raised to at most a half.
    raised = np.minimum(jump * rate, np.maximum(jump, 0.5))
    factor = np.where(free, raised / np.maximum(jump, 1e-300), 1.0)
    onward = np.where(free, chances.onward + jump - raised, chances.onward)
    return chances._replace(onward=onward, chances=chances.chances * factor[:, None])


def where_rows_end(model: TextureModel, rows: Floats, start: Start, resume: bool) -> Start:
    """Return the end of rows that begin at `start`, to resume a stream."""
    if model.recipe is None or (model.shape is not None and model.rates == 0):
        return start
    if model.shape is not None:  # the three rates determine the end, so the mesh need not be restored
        rows = np.pad(rows[:, :3], ((0, 0), (0, model.recipe.layout.width - 3)))
    return where_it_ends(model.recipe, rows, start=start, resume=resume)
