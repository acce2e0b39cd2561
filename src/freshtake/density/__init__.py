"""density: pose and motion densities in eigenspace; synthesis and blending of classes of motion (Okwechime 2008)."""

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.density.class_weights import schedule
    from freshtake.density.cleaning import common_points
    from freshtake.density.control import Control
    from freshtake.density.learning import learn
    from freshtake.density.model import DensityModel
    from freshtake.density.settings import Settings
    from freshtake.density.synthesize import BlendState, advance

_HOMES = {
    "BlendState": "synthesize",
    "Control": "control",
    "DensityModel": "model",
    "Settings": "settings",
    "advance": "synthesize",
    "common_points": "cleaning",
    "learn": "learning",
    "schedule": "class_weights",
}

__all__ = [
    "BlendState",
    "Control",
    "DensityModel",
    "Settings",
    "advance",
    "common_points",
    "learn",
    "schedule",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
