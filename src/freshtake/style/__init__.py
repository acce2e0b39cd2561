"""style: translate a motion into another style, and align motions of different styles (Hsu 2005)."""

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.style import bilinear
    from freshtake.style.learning import learn
    from freshtake.style.model import Settings, StyleModel
    from freshtake.style.style_mixing import blend, blend_stream
    from freshtake.style.translation_kernels import TranslationState
    from freshtake.style.warping.alignment import Alignment, align, warp
    from freshtake.style.warping.correspondence import match
    from freshtake.style.warping.motion_warping import WarpSettings

_HOMES = {
    "Alignment": "warping.alignment",
    "Settings": "model",
    "StyleModel": "model",
    "TranslationState": "translation_kernels",
    "WarpSettings": "warping.motion_warping",
    "align": "warping.alignment",
    "blend": "style_mixing",
    "blend_stream": "style_mixing",
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
    "blend_stream",
    "learn",
    "match",
    "warp",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES, ["bilinear"])
