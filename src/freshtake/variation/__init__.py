"""variation: learn a Dynamic Bayesian Network from a few takes and synthesize unlimited variants (Lau 2009)."""

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.variation import paper
    from freshtake.variation.amount import Amount
    from freshtake.variation.deviations import Settings
    from freshtake.variation.goals.goals import Goals, PosePin
    from freshtake.variation.learning import ingest, learn
    from freshtake.variation.model import VariationModel
    from freshtake.variation.network import transition_strengths
    from freshtake.variation.selection.selecting import select, similar
    from freshtake.variation.steering import Steering

_HOMES = {
    "Amount": "amount",
    "Goals": "goals.goals",
    "PosePin": "goals.goals",
    "Settings": "deviations",
    "Steering": "steering",
    "VariationModel": "model",
    "ingest": "learning",
    "learn": "learning",
    "select": "selection.selecting",
    "similar": "selection.selecting",
    "transition_strengths": "network",
}

__all__ = [
    "Amount",
    "Goals",
    "PosePin",
    "Settings",
    "Steering",
    "VariationModel",
    "ingest",
    "learn",
    "paper",
    "select",
    "similar",
    "transition_strengths",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES, ("paper",))
