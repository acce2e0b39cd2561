"""The endless motion of any model, frame by frame, by values that may change while it runs."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm import Stored
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.workflows.live_steering import Steers

SEAM = 0.3  # seconds in which the end of a take that is repeated goes over into its beginning
STYLE_BLOCK = 0.05  # seconds of a take that are translated at a time


def classes_of(stored: Stored) -> tuple[str, ...]:
    """The classes that a blend has."""
    return tuple(stored.model.classes) if stored.method == "density" else ()


def _variation(model: Any, steers: Steers, plant: bool | str, rng: np.random.Generator) -> Iterator[Any]:
    from freshtake.variation.live import LiveControl

    if not model.cyclic:
        raise UsageError("the model is of a motion that ends by itself: only cyclic ones can be sent")

    def control() -> LiveControl:
        return LiveControl(steers.amount, _radians(steers.heading))

    yield from model.stream(rng, control=control, decode=True, plant=plant)


def _density(model: Any, steers: Steers, plant: bool | str, rng: np.random.Generator) -> Iterator[Any]:
    from freshtake.density.control import Control

    def control(frame: int) -> Control:
        heading = _radians(steers.heading)
        return Control(heading=heading, turn=None if heading is not None else _radians(steers.turn))

    yield from model.stream(rng, weights=lambda frame: dict(steers.weights), decode=True, plant=plant, control=control)


def _texture(model: Any, steers: Steers, plant: bool | str, rng: np.random.Generator) -> Iterator[Any]:
    """Travelling motion follows `steers.heading`; `steers.shown` is set to the frame of the takes being shown."""
    from freshtake.texture.guiding import Guide
    from freshtake.texture.live import LivePlay, guided_blocks
    from freshtake.texture.planting import planted_stream

    if not model.rates:
        yield from model.stream(rng, decode=True, plant=plant)
        return
    sources: deque[int] = deque()

    def blocks() -> Iterator[Any]:
        def control() -> LivePlay:
            return LivePlay(Guide(heading=_radians(steers.heading)), steers.jump_rate)

        for motion, played in guided_blocks(model, rng, None, control):
            sources.extend(played.source.tolist())
            yield motion, played

    if plant and model.standing is not None:
        frames = planted_stream(blocks(), model.standing, plant)
    else:
        frames = (frame for motion, _ in blocks() for frame in motion.single_frames())
    for frame in frames:
        steers.shown = sources.popleft()
        yield frame


def _style(model: Any, steers: Steers, plant: bool | str, rng: np.random.Generator) -> Iterator[Any]:
    """A take over and over, in the style of the model."""
    if not isinstance(steers.source, Clip):
        raise UsageError("a style works on a take: choose a clip with a skeleton")
    rows = _without_seam(model.encode(steers.source).values, round(SEAM / model.frame_time))
    size = max(1, round(STYLE_BLOCK / model.frame_time))

    def blocks() -> Iterator[Floats]:
        while True:
            for first in range(0, len(rows), size):
                yield rows[first : first + size]

    yield from model.stream(blocks(), decode=True, plant=bool(plant), strength=lambda: steers.strength)


def _without_seam(rows: Floats, frames: int) -> Floats:
    """Rows whose end goes over into their beginning, so that they can be repeated."""
    count = min(frames, len(rows) // 3)
    if count < 1:
        return rows
    share = ((np.arange(count) + 0.5) / count)[:, None]
    mixed = (1.0 - share) * rows[len(rows) - count :] + share * rows[:count]
    return np.concatenate([mixed, rows[count : len(rows) - count]])


STREAMS = {"variation": _variation, "density": _density, "texture": _texture, "style": _style}
OWN_MOTION = ("variation", "density", "texture")  # a style only changes that of others


def _radians(degrees: float | None) -> float | None:
    return None if degrees is None else math.radians(degrees)
