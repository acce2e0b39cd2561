"""Plant feet of endless motion: how many takes stand at which phase, and feet of streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.planting import Planter, PlantingModel, PlantSettings, StreamFrame, settings_for
from freshtake.numeric.arrays import Floats


def variant_settings(plant: bool | str) -> PlantSettings:
    """Return the planting settings of variants: hips stay at the drawn height.

    Sinking hips bring standing feet 2 % nearer to rest and shake where legs are straight.
    """
    return replace(settings_for(plant), sink=0.0)


def read_linear(rows: Floats, places: Floats) -> Floats:
    """Return rows between frames by linear interpolation."""
    low = np.minimum(places.astype(np.intp), max(len(rows) - 2, 0))
    t = (places - low)[:, None]
    return np.asarray((1.0 - t) * rows[low] + t * rows[np.minimum(low + 1, len(rows) - 1)])


class Posed(NamedTuple):
    """A block of frames and their phases (frames,)."""

    clip: Clip
    phases: Floats


def planted_stream(
    blocks: Iterator[Posed],
    standing: Callable[[Floats], Floats],
    planting_model: PlantingModel,
    settings: PlantSettings,
) -> Iterator[Clip]:
    """Yield single frames with planted feet, a constant number of frames late; `standing` is that of the model."""
    planter = Planter.learn(planting_model, settings)
    state, clip = planter.start(), None
    for clip, phases in blocks:
        state, ready = planter.feed(state, clip.root, clip.rotations, standing(phases))
        yield from _frames(clip, ready)
    if clip is not None:
        yield from _frames(clip, planter.finish(state))


def _frames(like: Clip, ready: StreamFrame) -> Iterator[Clip]:
    for root, rotations in zip(ready.root, ready.rotations, strict=True):
        yield like.changed(root=root[None], rotations=rotations[None])
