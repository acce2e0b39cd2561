"""Streams of a model: rows without end, or one-frame motions that are placed on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.features import Start, where_it_ends
from freshtake.numeric.arrays import Floats
from freshtake.texture.planting import planted_stream
from freshtake.texture.synthesize import shown
from freshtake.texture.transitions import Played

if TYPE_CHECKING:
    from freshtake.texture.model import TextureModel

STREAM_BLOCK = 64  # frames


def play_stream(
    model: TextureModel, rng: np.random.Generator, cell: str | None, decode: bool, plant: bool | str = False
) -> Iterator[Any]:
    """One row per frame without end; with `decode` one-frame motions, placed on, with `plant` their feet held."""
    if plant and not decode:
        raise UsageError("planting needs poses: stream with decode=True as well, or without plant")
    if not decode:
        return _rows(model, rng, cell)
    moving = model.recipe is not None and getattr(model.recipe.layout, "moving", False)
    if plant and model.standing is not None and not moving:
        return planted_stream(_blocks(model, rng, cell), model.standing, plant)
    return _frames(model, rng, cell)


def _rows(model: TextureModel, rng: np.random.Generator, cell: str | None) -> Iterator[Any]:
    state = model.start(rng, cell=cell)
    while True:
        state, rows = model.advance(state, rng, STREAM_BLOCK)
        yield from rows


def _frames(model: TextureModel, rng: np.random.Generator, cell: str | None) -> Iterator[Any]:
    start, first = Start(), True
    for row in _rows(model, rng, cell):
        yield model.decode(row[None], start=start, resume=not first)
        start, first = model.after(row[None], start, not first), False


def _blocks(model: TextureModel, rng: np.random.Generator, cell: str | None) -> Iterator[tuple[Any, Played]]:
    """Motions of some frames, and what they show."""
    state, start, first = model.start(rng, cell=cell), Start(), True
    while True:
        after, played = model.play(state, rng, STREAM_BLOCK)
        rows = shown(state, played, model.blending)
        yield model.decode(rows, start=start, resume=not first), played
        state, start, first = after, model.after(rows, start, not first), False


def where_rows_end(model: TextureModel, rows: Floats, start: Start, resume: bool) -> Start:
    """Where rows that begin at `start` end; to resume a stream."""
    if model.recipe is None:
        return start
    if model.shape is None:
        return where_it_ends(model.recipe, rows, start=start, resume=resume)
    if model.recipe.layout.root != "heading":
        return start
    columns = np.zeros((len(rows), model.recipe.layout.width))
    columns[:, :3] = rows[:, :3]
    return where_it_ends(model.recipe, columns, start=start, resume=resume)
