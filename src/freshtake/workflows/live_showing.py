"""The endless motion of any model as points on the viewport's stage, at any speed: between two frames interpolated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm import Stored
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.reports.viewport.packing import packed
from freshtake.reports.viewport.scene import Scene
from freshtake.reports.viewport.staging import body_stage, shape_of
from freshtake.workflows.live_posing import joined
from freshtake.workflows.live_steering import Steers
from freshtake.workflows.live_streams import STREAMS
from freshtake.workflows.live_styles import styled

LOOKED_AT = 45  # frames in which size, floor and direction of a body are looked for


class ShownFrame(NamedTuple):
    """Points (points, 3) as they stand, the place x, z on the floor, and which frame of a texture's takes it is."""

    points: Floats
    ground: Floats
    frame: int | None


class Showing:
    """What a model's stream shows, as it goes on."""

    def __init__(
        self, stored: Stored, steers: Steers, *, plant: bool | str, seed: int, style: Stored | None = None
    ) -> None:
        trial = joined(list(islice(_frames(stored, replace(steers), False, seed, style), LOOKED_AT)))
        self._stage, _ = body_stage(trial)
        self._steers = steers
        self._frames = _frames(stored, steers, plant, seed, style)
        self.frame_time: float = stored.model.frame_time
        self.manifest = _manifest(trial)
        self._at, self._pair = 0.0, (self._next(), self._next())

    def now(self) -> ShownFrame:
        """Between the two frames at hand."""
        first, second = self._pair
        points = (1.0 - self._at) * first.points + self._at * second.points
        return ShownFrame(points, points[self._stage.pelvis][[0, 2]], first.frame)

    def advance(self, seconds: float) -> None:
        """Move on."""
        self._at += seconds / self.frame_time
        while self._at >= 1.0:
            self._pair = self._pair[1], self._next()
            self._at -= 1.0

    def _next(self) -> ShownFrame:
        points = self._stage.points(next(self._frames))[0]
        return ShownFrame(points, points[self._stage.pelvis][[0, 2]], self._steers.shown)


def _frames(stored: Stored, steers: Steers, plant: bool | str, seed: int, style: Stored | None) -> Iterator[Clip]:
    if stored.method not in STREAMS:
        raise UsageError(f"a {stored.method} model has no endless motion: choose another model")
    frames = _clips(STREAMS[stored.method](stored.model, steers, plant, np.random.default_rng(seed)))
    return frames if style is None else styled(frames, style.model, lambda: steers.strength)


def _clips(frames: Iterator[Any]) -> Iterator[Clip]:
    for clip in frames:
        if not isinstance(clip, Clip):
            raise UsageError("only motion of a body with a skeleton can be shown while it is made")
        yield clip


def _manifest(trial: Clip) -> dict[str, Any]:
    """A viewport scene with one figure and no frames yet."""
    manifest = packed(Scene((shape_of(trial, "variant"),))).manifest
    figure = manifest["shapes"][0]
    figure_facts = {key: figure[key] for key in ("name", "role", "frameTime", "kind", "body", "count")}
    return {**manifest, "shapes": [{**figure_facts, "frames": 0}]}
