"""style: translate a motion into another style, and align motions of different styles (Hsu 2005)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from freshtake.style import bilinear
    from freshtake.style.alignment import Alignment, align, warp
    from freshtake.style.blending import blend
    from freshtake.style.correspondence import match
    from freshtake.style.learning import learn
    from freshtake.style.model import StyleModel
    from freshtake.style.settings import Settings
    from freshtake.style.translator import TranslationState
    from freshtake.style.warp_picture import picture
    from freshtake.style.warp_settings import WarpSettings

_HOMES = {
    "Alignment": "alignment",
    "Settings": "settings",
    "StyleModel": "model",
    "TranslationState": "translator",
    "WarpSettings": "warp_settings",
    "align": "alignment",
    "blend": "blending",
    "learn": "learning",
    "match": "correspondence",
    "picture": "warp_picture",
    "warp": "alignment",
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
    "picture",
    "warp",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"freshtake.style.{_HOMES[name]}"), name)
    if name == "bilinear":
        return import_module("freshtake.style.bilinear")
    raise AttributeError(f"module 'freshtake.style' has no attribute {name!r}")
