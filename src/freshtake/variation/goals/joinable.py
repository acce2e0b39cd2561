"""Clips that can follow one another: loops of cyclic models, and of others variants that end as they begin.

A motion that ends by itself is led from one pose back to the same pose, halfway between where takes begin and where
they end, and closed to a loop: what is left is spread over it, and so is a turn.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.cycles.looping import closed, facing_forward
from freshtake.variation.amount import Amount
from freshtake.variation.goals.goals import Goals, PosePin
from freshtake.variation.goals.guidance import Guided

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel


def joinable(
    model: VariationModel,
    rng: np.random.Generator,
    *,
    amount: float | Amount = 1.0,
    cycles: int | None = None,
    duration: float | None = None,
    plant: bool | str = True,
    name: str = "",
) -> Guided:
    """A variant as a loop; its seam is near the model's mean there, and all of it can be brought to one pose."""
    goals = Goals(duration=duration)
    if model.cyclic:
        return model.guided(rng, goals, amount=amount, cycles=cycles, plant=plant, loop=True, name=name)
    if cycles is not None:
        raise UsageError("the model is of a motion that ends by itself: leave cycles out")
    pose = rest_pose(model)
    goals = Goals(start=PosePin(pose), end=PosePin(pose), duration=duration)
    variant = model.guided(rng, goals, amount=amount, plant=plant, name=name)
    clip: Clip = variant.motion
    return Guided(facing_forward(closed(clip, 0, len(clip) - 1)), variant.report, variant.phases)


@lru_cache(maxsize=8)
def rest_pose(model: VariationModel) -> Clip:
    """The pose halfway between where the examples begin and where they end, on average, as a clip."""
    ends = [0.5 * (rows[0] + rows[-1]) for rows in model.material.values]
    pose: Clip = model.decode(np.repeat(np.mean(ends, axis=0)[None], 3, axis=0))
    return pose
