"""The method of Lau 2009 as published: a Dynamic Bayesian Network with kernel regression (§4-§7)."""

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.variation.paper.learning import learn
    from freshtake.variation.paper.model import Likelihood, PaperModel, Settings

_HOMES = {"Likelihood": "model", "PaperModel": "model", "Settings": "model", "learn": "learning"}

__all__ = ["Likelihood", "PaperModel", "Settings", "learn"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
