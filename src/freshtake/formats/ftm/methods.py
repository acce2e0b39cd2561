"""The methods whose models can be saved: one row each, and all that is known of them by name."""

from __future__ import annotations

from typing import NamedTuple


class Method(NamedTuple):
    """What commands, files and descriptions need to know of a method before its modules are loaded."""

    name: str  # in the header of its files, and of the module here that knows their parts
    model: str  # class
    learns: str  # command that writes its models
    uses: str  # command that takes them
    facts: str  # function of `freshtake.workflows` that describes a model


METHODS = {
    row.name: row
    for row in (
        Method("variation", "VariationModel", "learn", "vary", "variation_facts"),
        Method("paper", "PaperModel", "learn --method paper", "vary", "paper_facts"),
        Method("style", "StyleModel", "style learn", "style apply", "style_facts"),
        Method("gaits", "GaitModel", "style gaits learn", "style gaits sample", "gaits_facts"),
        Method("density", "DensityModel", "blend learn", "blend sample", "density_facts"),
        Method("texture", "TextureModel", "texture learn", "texture sample", "texture_facts"),
    )
}


def method_of(model: object) -> Method | None:
    """The method of a model, by its class."""
    return next((row for row in METHODS.values() if row.model == type(model).__name__), None)
