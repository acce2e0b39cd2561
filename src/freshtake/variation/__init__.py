"""variation: learn a Dynamic Bayesian Network from a few takes and synthesize unlimited variants (Lau 2009)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from freshtake.variation.learning import learn
    from freshtake.variation.model import VariationModel
    from freshtake.variation.settings import Settings

_HOMES = {"Settings": "settings", "VariationModel": "model", "learn": "learning"}

__all__ = ["Settings", "VariationModel", "learn"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"freshtake.variation.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'freshtake.variation' has no attribute {name!r}")
