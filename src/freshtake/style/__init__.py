"""style: translate a motion into another style, and align motions of different styles (Hsu 2005)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from freshtake.style.gaits import bilinear
    from freshtake.style.learning import learn
    from freshtake.style.model import StyleModel
    from freshtake.style.settings import Settings
    from freshtake.style.style_blending import blend
    from freshtake.style.synthesize import TranslationState
    from freshtake.style.warping.alignment import Alignment, align, warp
    from freshtake.style.warping.correspondence import match
    from freshtake.style.warping.warp_settings import WarpSettings

_HOMES = {
    "Alignment": "warping.alignment",
    "Settings": "settings",
    "StyleModel": "model",
    "TranslationState": "synthesize",
    "WarpSettings": "warping.warp_settings",
    "align": "warping.alignment",
    "blend": "style_blending",
    "learn": "learning",
    "match": "warping.correspondence",
    "warp": "warping.alignment",
}

__all__ = [
    "Alignment",
    "Settings",
    "StyleModel",
    "TranslationState",
    "WarpSettings",
    "align",
    "bilinear",
    "blend",
    "learn",
    "match",
    "warp",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"freshtake.style.{_HOMES[name]}"), name)
    if name == "bilinear":
        return import_module("freshtake.style.gaits.bilinear")
    raise AttributeError(f"module 'freshtake.style' has no attribute {name!r}")
