"""Streams of a model: rows without end or one-frame motions that are placed on, steered and planted as they come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.density.control import Control, Controls, guided, set_out, turn_limit, weights_for
from freshtake.density.planting import planted_stream, standing
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features import Start
from freshtake.motion.planting import settings_for
from freshtake.numeric.arrays import Floats

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel

BLOCK = 64  # frames per call of the compiled synthesis


class Wish(NamedTuple):
    """What a stream gives out."""

    residuals: bool
    decode: bool
    plant: bool | str
    control: Controls | None


def stream_of(model: DensityModel, rng: np.random.Generator, weights: Any, wish: Wish) -> Iterator[Any]:
    """Return one row per frame without end; with `decode` one-frame motions, with `plant` their feet held."""
    blocks = _blocks(model, rng, weights_asked(model, weights, wish.control), wish.control)
    plant, known = wish.plant and model.planting_model is not None, model.knows_contacts
    if not wish.decode or not _decodes_blocks(model) or (plant and not known):
        # contacts that have to be seen in the motion are seen from frame to frame
        blocks = (row[None] for block in blocks for row in block)
    if not wish.decode:
        return (block[0] for block in blocks)
    motions = _motions(model, blocks, wish.residuals)
    if plant:
        assert model.planting_model is not None
        pairs = ((clip, standing(model, rows) if known else None) for clip, rows in motions)
        return planted_stream(pairs, model.planting_model, settings_for(wish.plant), known=known)
    return (frame for motion, _ in motions for frame in (motion.single_frames() if len(motion) > 1 else (motion,)))


def _decodes_blocks(model: DensityModel) -> bool:
    """Return whether a decoded block can be split into frames; points and strokes are decoded one by one."""
    return model.recipe is not None and model.recipe.motion_type is Clip


def _blocks(model: DensityModel, rng: np.random.Generator, weights: Any, control: Controls | None) -> Iterator[Floats]:
    """Yield rows (frames, width) with the turn rates that a control asks for: several unless something may change."""
    live = callable(weights)
    state = model.start(rng, weights(0) if live else weights, used=None if live else model.mixture(weights) > 0.0)
    steady = None if live else np.tile(model.mixture(weights), (BLOCK, 1))
    limit, frame = 0.0 if control is None else turn_limit(model), 0
    course: Any = None
    while True:
        state, rows = model.advance(state, weights(frame) if live else steady, rng)
        if control is None:
            yield rows
            frame += len(rows)
            continue
        turned = []
        for row in rows:
            if course is None:
                course = set_out(model, row)
            else:
                now = control(frame) if callable(control) else control
                row, course = guided(model, now, row, course, limit)
            frame += 1
            if callable(control):  # it is asked about a frame only when that frame is due
                yield row[None]
            else:
                turned.append(row)
        if turned:
            yield np.stack(turned)


def _motions(model: DensityModel, blocks: Iterator[Floats], residuals: bool) -> Iterator[tuple[Any, Floats]]:
    """Yield motions, each placed where the one before ended, and the rows that they are decoded from."""
    place, last = Start(), None
    for rows in blocks:
        yield model.decode(rows, residuals, start=place, before=last), rows
        place = model.where_it_ends(rows, place, last)
        last = rows[-1]


def steered(model: DensityModel, rows: Floats, control: Controls) -> Floats:
    """Rows from the start of a synthesis with the turn rates that a control asks for."""
    course, limit, out = set_out(model, rows[0]), turn_limit(model), rows.copy()
    for frame in range(1, len(rows)):
        now = control(frame) if callable(control) else control
        out[frame], course = guided(model, now, rows[frame], course, limit)
    return out


def weights_asked(model: DensityModel, weights: Any, control: Controls | None) -> Any:
    """The weights that a speed asks for, or those that are given."""
    now = control(0) if callable(control) else control
    if now is None or now.speed is None:
        return weights
    if weights is not None:
        raise UsageError("weights and a speed cannot both be asked for: a speed chooses the weights")
    if not callable(control):
        return dict(zip(model.classes, weights_for(model, now.speed).tolist(), strict=True))
    return lambda frame: _at_speed(model, control(frame))


def _at_speed(model: DensityModel, control: Control) -> dict[str, float]:
    if control.speed is None:
        raise UsageError("a control that names a speed once must name one for every frame")
    return dict(zip(model.classes, weights_for(model, control.speed).tolist(), strict=True))
