"""Standing feet held still after synthesis: while a jump is evened out, a planted foot would slide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from freshtake.density.joint_rotations import recorded
from freshtake.motion import Clip
from freshtake.motion.planting import Planter, PlantingModel, PlantSettings, StreamFrame, learn_planting

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel


def planting_model_of(model: DensityModel) -> PlantingModel | None:
    """What planting needs to know of the kernels; None where nothing has feet."""
    clips = [] if model.recipe is None or model.recipe.skeleton is None else recorded(model)
    if not clips:
        return None
    found = learn_planting(clips)
    return found if found.feet else None


def planted_stream(frames: Iterator[Clip], planting_model: PlantingModel, settings: PlantSettings) -> Iterator[Clip]:
    """Single frames with planted feet, a constant number of frames late."""
    planter = Planter.learn(planting_model, settings)
    state = planter.start()
    before: Clip | None = None
    for clip in frames:
        pair = clip if before is None else _joined(before, clip)
        standing = planting_model.contacts(pair)[-1:]
        before = clip
        state, ready = planter.feed(state, clip.root, clip.rotations, standing)
        yield from _frames(clip, ready)


def _joined(a: Clip, b: Clip) -> Clip:
    """Two frames, so that the second has a velocity."""
    return b.changed(root=np.concatenate([a.root, b.root]), rotations=np.concatenate([a.rotations, b.rotations]))


def _frames(like: Clip, ready: StreamFrame) -> Iterator[Clip]:
    for root, rotations in zip(ready.root, ready.rotations, strict=True):
        yield like.changed(root=root[None], rotations=rotations[None])
