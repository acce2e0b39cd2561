"""variation: learn a Dynamic Bayesian Network from a few takes and synthesize unlimited variants (Lau 2009)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from freshtake.variation.amount import Amount
    from freshtake.variation.goals import Goals, PosePin
    from freshtake.variation.learning import learn
    from freshtake.variation.model import VariationModel
    from freshtake.variation.selection import select, similar
    from freshtake.variation.settings import Settings
    from freshtake.variation.steering import Steering
    from freshtake.variation.strengths import prior_strengths, transition_strengths

_HOMES = {
    "Amount": "amount",
    "Goals": "goals",
    "PosePin": "goals",
    "Settings": "settings",
    "Steering": "steering",
    "VariationModel": "model",
    "learn": "learning",
    "prior_strengths": "strengths",
    "select": "selection",
    "similar": "selection",
    "transition_strengths": "strengths",
}

__all__ = [
    "Amount",
    "Goals",
    "PosePin",
    "Settings",
    "Steering",
    "VariationModel",
    "learn",
    "prior_strengths",
    "select",
    "similar",
    "transition_strengths",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"freshtake.variation.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'freshtake.variation' has no attribute {name!r}")
