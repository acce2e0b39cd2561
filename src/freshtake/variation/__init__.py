"""variation: learn a Dynamic Bayesian Network from a few takes and synthesize unlimited variants (Lau 2009)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from freshtake.variation.goals.goals import Goals, PosePin
    from freshtake.variation.goals.steering import Steering
    from freshtake.variation.learning import learn
    from freshtake.variation.model import VariationModel
    from freshtake.variation.network.strengths import prior_strengths, transition_strengths
    from freshtake.variation.selection.selecting import select, similar
    from freshtake.variation.settings import Settings
    from freshtake.variation.synthesis.amount import Amount

_HOMES = {
    "Amount": "synthesis.amount",
    "Goals": "goals.goals",
    "PosePin": "goals.goals",
    "Settings": "settings",
    "Steering": "goals.steering",
    "VariationModel": "model",
    "learn": "learning",
    "prior_strengths": "network.strengths",
    "select": "selection.selecting",
    "similar": "selection.selecting",
    "transition_strengths": "network.strengths",
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
