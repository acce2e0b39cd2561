"""density: pose and motion densities in eigenspace; synthesis and blending of classes of motion (Okwechime 2008)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from freshtake.density.learning import learn
    from freshtake.density.marker_sets import common_points
    from freshtake.density.model import DensityModel
    from freshtake.density.settings import Settings
    from freshtake.density.synthesize import BlendState, advance
    from freshtake.density.weights import schedule

_HOMES = {
    "BlendState": "synthesize",
    "DensityModel": "model",
    "Settings": "settings",
    "advance": "synthesize",
    "common_points": "marker_sets",
    "learn": "learning",
    "schedule": "weights",
}

__all__ = ["BlendState", "DensityModel", "Settings", "advance", "common_points", "learn", "schedule"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"freshtake.density.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'freshtake.density' has no attribute {name!r}")
