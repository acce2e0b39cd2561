"""Loaders that say which model comes back, for those who know what a file holds."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from freshtake.errors import FormatError
from freshtake.formats.ftm.io import load
from freshtake.formats.ftm.methods import METHODS, method_of

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel
    from freshtake.style.gaits.bilinear import GaitModel
    from freshtake.style.model import StyleModel
    from freshtake.texture.model import TextureModel
    from freshtake.variation.model import VariationModel


def load_variation(path: str | PathLike[str]) -> VariationModel:
    """Read a model that makes variants of takes (`freshtake learn`)."""
    model: VariationModel = _loaded(path, "variation")
    return model


def load_style(path: str | PathLike[str]) -> StyleModel:
    """Read a model that puts clips into a style (`freshtake style learn`)."""
    model: StyleModel = _loaded(path, "style")
    return model


def load_gaits(path: str | PathLike[str]) -> GaitModel:
    """Read a model of styles and speeds as sliders (`freshtake style gaits learn`)."""
    model: GaitModel = _loaded(path, "gaits")
    return model


def load_density(path: str | PathLike[str]) -> DensityModel:
    """Read a model that changes between classes of motion (`freshtake blend learn`)."""
    model: DensityModel = _loaded(path, "density")
    return model


def load_texture(path: str | PathLike[str]) -> TextureModel:
    """Read a model that plays an animation on without end (`freshtake texture learn`)."""
    model: TextureModel = _loaded(path, "texture")
    return model


def _loaded(path: str | PathLike[str], name: str) -> Any:
    model = load(path)
    method = method_of(model)
    if method is None or method.name != name:
        made_by = "another method" if method is None else f"freshtake {method.learns}"
        wanted = METHODS[name].learns
        raise FormatError(Path(path), f"this model was made by {made_by}, and one of freshtake {wanted} was expected")
    return model
