"""Streams of a model: rows without end, or one-frame motions that are placed on, with or without planted feet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from freshtake.motion.features import Start, where_it_ends
from freshtake.numeric.arrays import Floats
from freshtake.texture.planting import planted_stream
from freshtake.texture.synthesize import shown
from freshtake.texture.transitions import Played

if TYPE_CHECKING:
    from freshtake.texture.model import TextureModel

STREAM_BLOCK = 64  # frames


def row_stream(model: TextureModel, rng: np.random.Generator, cell: str | None) -> Iterator[Any]:
    """One row per frame without end."""
    state = model.start(rng, cell=cell)
    while True:
        state, rows = model.advance(state, rng, STREAM_BLOCK)
        yield from rows


def motion_stream(model: TextureModel, rng: np.random.Generator, cell: str | None, plant: bool | str) -> Iterator[Any]:
    """One-frame motions without end; with `plant`, feet are held where there are any that stand."""
    moving = model.recipe is not None and getattr(model.recipe.layout, "moving", False)
    if plant and model.standing is not None and not moving:
        return planted_stream(_block_stream(model, rng, cell), model.standing, plant)
    return _frame_stream(model, rng, cell)


def _frame_stream(model: TextureModel, rng: np.random.Generator, cell: str | None) -> Iterator[Any]:
    start, first = Start(), True
    for row in row_stream(model, rng, cell):
        yield model.decode(row[None], start=start, resume=not first)
        start = model.after(row[None], start, not first)
        first = False


def _block_stream(model: TextureModel, rng: np.random.Generator, cell: str | None) -> Iterator[tuple[Any, Played]]:
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
