"""variation: learn a Dynamic Bayesian Network from a few takes and synthesize unlimited variants (Lau 2009)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.variation import paper
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
    "paper",
    "prior_strengths",
    "select",
    "similar",
    "transition_strengths",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES, ("paper",))
