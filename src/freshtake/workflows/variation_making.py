"""What variants and endless motions share: the motion from a model's rows, where it begins, warnings of amounts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from freshtake.formats.read_options import Motion
from freshtake.motion import Clip, Stroke
from freshtake.motion.body.roles import leg_length
from freshtake.motion.features import Start
from freshtake.motion.verdict import Standard, Verdict, judge, off_the_path
from freshtake.variation.amount import NATURAL, Amount, amount_of
from freshtake.variation.goals.steering import Followed, Steering, from_the_first_point
from freshtake.variation.model import VariationModel

MOST_FRAMES = 10_000_000


def motion_of(model: VariationModel, decoded: Any, name: str) -> Motion:
    """What a model makes; plain rows become a stroke, whose dimensions are the DOFs."""
    if isinstance(decoded, np.ndarray):
        return Stroke(decoded, np.arange(len(decoded), dtype=np.float64) * model.frame_time, model.dofs, name)
    motion: Motion = decoded
    return motion


def begun(model: VariationModel, steer: Steering) -> tuple[Steering, Start]:
    """A path as the body sees it, from its first point in its own direction, and where it begins."""
    travel = model.travel
    assert model.material.recipe is not None
    return from_the_first_point(steer, model.material.recipe, travel)


def judged(
    motion: Motion,
    standard: Standard | None,
    name: str,
    *,
    amount: float | Amount = 1.0,
    rate: float = 1.0,
    followed: Followed | None = None,
) -> list[Verdict]:
    """The verdict on a motion, in a list; none where there is no standard for it."""
    if standard is None or not isinstance(motion, Clip):
        return []
    verdict = judge(motion, standard, amount=amount_of(amount).largest, rate=rate, name=name)
    if followed is not None:
        verdict = off_the_path(verdict, followed.most_off, leg_length(motion.skeleton))
    return [verdict]


def warn_of_amount(amount: float | Amount, warn: Callable[[str], None] | None) -> None:
    """Warn where an amount is larger than what recorded takes do."""
    most = amount_of(amount).largest
    if warn is not None and most > NATURAL:
        warn(f"an amount of {most:g} leaves the range of recorded takes, which ends at about {NATURAL:g}")
