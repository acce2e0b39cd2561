"""Streams of a model: rows without end or one-frame motions that are placed on, steered and planted as they come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.density.control import Control, Controls, guided, set_out, turn_limit, weights_for
from freshtake.density.planting import planted_stream, standing
from freshtake.errors import UsageError
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
    """One row per frame without end; with `decode` one-frame motions, with `plant` their feet held."""
    asked = weights_asked(model, weights, wish.control)
    rows = _rows(model, rng, asked, wish.control)
    if not wish.decode:
        return rows
    frames = _frames(model, rows, wish.residuals)
    if wish.plant and model.planting_model is not None:
        known = model.knows_contacts
        pairs = ((clip, standing(model, row[None]) if known else None) for clip, row in frames)
        return planted_stream(pairs, model.planting_model, settings_for(wish.plant), known=known)
    return (clip for clip, _ in frames)


def _rows(model: DensityModel, rng: np.random.Generator, weights: Any, control: Controls | None) -> Iterator[Floats]:
    """Rows with the turn rates that a control asks for, one by one."""
    live = callable(weights)
    state = model.start(rng, weights(0) if live else weights, used=None if live else model.mixture(weights) > 0.0)
    steady = None if live else np.tile(model.mixture(weights), (BLOCK, 1))
    course, limit, frame = None, 0.0 if control is None else turn_limit(model), 0
    while True:
        state, rows = model.advance(state, weights(frame) if live else steady, rng)
        for made in rows:
            row = made
            if control is not None and course is None:
                course = set_out(model, row)
            elif control is not None and course is not None:
                now = control(frame) if callable(control) else control
                row, course = guided(model, now, row, course, limit)
            yield row
            frame += 1


def _frames(model: DensityModel, rows: Iterator[Floats], residuals: bool) -> Iterator[tuple[Any, Floats]]:
    """One-frame motions, each placed where the one before left off, and the rows that they are decoded from."""
    place, last = Start(), None
    for row in rows:
        yield model.decode(row[None], residuals, start=place, before=last), row
        place = model.where_it_ends(row[None], place, last)
        last = row


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
