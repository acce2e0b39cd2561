"""What variants and endless motions have in common: how much is asked for, where they begin, what is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from freshtake.formats.read_options import Motion
from freshtake.motion import Stroke
from freshtake.motion.features import Start
from freshtake.variation.goals.steering import Steering, from_the_first_point
from freshtake.variation.model import VariationModel
from freshtake.variation.synthesis.amount import NATURAL, Amount, amount_of

MOST_FRAMES = 10_000_000


def motion_of(model: VariationModel, made: Any, name: str) -> Motion:
    """What a model makes; plain rows become a stroke, whose dimensions are the DOFs."""
    if isinstance(made, np.ndarray):
        return Stroke(made, np.arange(len(made), dtype=np.float64) * model.frame_time, model.dofs, name)
    motion: Motion = made
    return motion


def begun(model: VariationModel, steer: Steering) -> tuple[Steering, Start]:
    """A path as the body sees it, from its first point in its own direction, and where it begins."""
    travel = model.travel
    assert model.material.recipe is not None
    return from_the_first_point(steer, model.material.recipe, travel)


def warn_of_amount(amount: float | Amount, warn: Callable[[str], None] | None) -> None:
    """Say that an amount is larger than what takes do."""
    most = amount_of(amount).largest
    if warn is not None and most > NATURAL:
        warn(f"an amount of {most:g} leaves the range of recorded takes, which ends at about {NATURAL:g}")
