"""Streams of a model: rows without end, or one-frame motions that are placed on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from freshtake.motion.features import Start, where_it_ends
from freshtake.numeric.arrays import Floats

if TYPE_CHECKING:
    from freshtake.texture.model import TextureModel

STREAM_BLOCK = 64  # frames


def play_stream(model: TextureModel, rng: np.random.Generator, cell: str | None, decode: bool) -> Iterator[Any]:
    """One row per frame without end; with `decode` one-frame motions, placed on."""
    state, start, first = model.start(rng, cell=cell), Start(), True
    while True:
        state, rows = model.advance(state, rng, STREAM_BLOCK)
        if not decode:
            yield from rows
            continue
        for row in rows:
            yield model.decode(row[None], start=start, resume=not first)
            start = model.after(row[None], start, not first)
            first = False


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
