"""texture: one animation of a mesh or skeleton to endless, looped and steered ones (Sattler, Sarlette, Klein 2004)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from freshtake.texture.learning import learn
    from freshtake.texture.model import TextureModel
    from freshtake.texture.settings import Settings

_HOMES = {"Settings": "settings", "TextureModel": "model", "learn": "learning"}

__all__ = ["Settings", "TextureModel", "learn"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"freshtake.texture.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'freshtake.texture' has no attribute {name!r}")
