"""Convert a PaperModel to parts of a model file and back. Loading imports synthesis, not the learner."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm.parts import (
    Fields,
    Parts,
    ReadParts,
    check_frame_time,
    compact,
    read_frame_time,
    read_names,
    read_recipe,
    read_settings,
    recipe_parts,
)
from freshtake.variation.examples import Material
from freshtake.variation.paper.model import PaperModel, Settings
from freshtake.variation.paper.networks import PriorNetwork, TransitionNetwork
from freshtake.variation.paper.regression import Rule

MOST_DOFS, MOST_FRAMES = 2048, 1 << 31


def to_parts(model: PaperModel) -> Parts:
    """Return the parts from which `from_parts` restores the model."""
    material = model.material
    if len(material.names) > MOST_DOFS:
        raise UsageError(f"a model of {len(material.names)} DOFs cannot be saved: {MOST_DOFS} are the most")
    recipe = recipe_parts(material.recipe)
    header: dict[str, Any] = {
        "settings": asdict(model.settings),
        "cyclic": bool(model.cyclic),
        "names": list(material.names),
        "frame_time": float(material.frame_time),
        "lengths": [len(rows) for rows in material.values],
        "transition": [[int(p) for p in parents] for parents in model.transition.edges],
        "prior": [[int(p) for p in parents] for parents in model.prior.edges],
        "rule": _rule_header(model.rule),
        "prior_rule": _rule_header(model.prior_rule),
        "recipe": recipe.header,
    }
    arrays = {
        "examples": compact(np.concatenate(material.values)),
        "weights": compact(material.weights),
        "rates": np.asarray(material.rates, dtype=np.bool_),
    }
    return Parts(header, arrays | recipe.arrays)


def from_parts(parts: ReadParts) -> PaperModel:
    """Restore the model; raise a FreshtakeError where the parts are invalid."""
    header = parts.fields
    settings = read_settings(header.inner("settings"), Settings)
    names, frame_time = read_names(header, "names", MOST_DOFS), read_frame_time(header)
    lengths = header.whole_numbers("lengths", settings.order + 2, MOST_FRAMES)
    if not lengths:
        header.wrong("lengths", "there is no example")
    rows = parts.numbers("examples", (sum(lengths), len(names)))
    recipe = read_recipe(parts)
    if recipe is not None and recipe.names != names:
        header.wrong("names", "the names of the recipe's DOFs were expected")
    check_frame_time(header, recipe, frame_time)
    material = Material(
        tuple(np.split(rows, np.cumsum(lengths)[:-1])),
        names,
        parts.numbers("weights", (len(names),), low=0.0),
        parts.numbers("rates", (len(names),), low=0.0, high=1.0) > 0.5,
        frame_time,
        recipe,
    )
    transition = header.lists_of_numbers("transition", 0, (settings.order + 1) * len(names) - 1)
    prior = header.lists_of_numbers("prior", 0, 2 * len(names) - 1)
    return PaperModel(
        material,
        settings,
        header.get("cyclic", "bool"),
        PriorNetwork(names, prior),
        TransitionNetwork(names, settings.order, transition),
        _rule(header.inner("prior_rule")),
        _rule(header.inner("rule")),
    )


def _rule_header(rule: Rule) -> dict[str, Any]:
    return {
        "neighbors": int(rule.neighbors),
        "width": float(rule.width),
        "velocity_weight": float(rule.velocity_weight),
    }


def _rule(header: Fields) -> Rule:
    rule = Rule(header.get("neighbors", "int"), header.get("width", "float"), header.get("velocity_weight", "float"))
    for name, least in (("neighbors", 1), ("width", 1e-12), ("velocity_weight", 0.0)):
        if not least <= getattr(rule, name) <= MOST_FRAMES:
            header.wrong(name, f"a number from {least:g} was expected, not {getattr(rule, name)}")
    return rule
