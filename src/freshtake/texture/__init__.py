"""texture: endless, looped and steered motion from one mesh or skeleton animation (Sattler, Sarlette, Klein 2004)."""

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.texture.learning import learn
    from freshtake.texture.model import TextureModel
    from freshtake.texture.settings import Settings

_HOMES = {"Settings": "settings", "TextureModel": "model", "learn": "learning"}

__all__ = ["Settings", "TextureModel", "learn"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
