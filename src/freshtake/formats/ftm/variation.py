"""A VariationModel as parts of a model file, and back. Loading imports what synthesis needs, not the learner."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, get_type_hints

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm.header_fields import Fields, Parts, ReadParts, compact
from freshtake.formats.ftm.shared_parts import (
    check_frame_time,
    read_frame_time,
    read_names,
    read_recipe,
    read_settings,
    recipe_parts,
)
from freshtake.variation.examples import Material
from freshtake.variation.model import VariationModel
from freshtake.variation.network.networks import PriorNetwork, TransitionNetwork
from freshtake.variation.network.regression import Regression
from freshtake.variation.settings import Settings
from freshtake.variation.synthesis.body_nodes import body_nodes
from freshtake.variation.synthesis.courses import node_names
from freshtake.variation.synthesis.dynamics import ORDER, Dynamics
from freshtake.variation.synthesis.kernel_method import KernelParts
from freshtake.variation.synthesis.traits import POINTS, TRAITS

MOST_DOFS = 2048  # covariances are a square of that many numbers
MOST_SLOPE, MOST_SIZE = 1e6, 1e12
DYNAMICS = ("slopes", "noise", "trait_slopes", "trait_noise", "trait_sizes", "sizes")
MOST_FRAMES = 1 << 31


def to_parts(model: VariationModel) -> Parts:
    """Everything that `from_parts` needs to make the same model."""
    material = model.material
    if len(material.names) > MOST_DOFS:
        raise UsageError(f"a model of {len(material.names)} DOFs cannot be saved: {MOST_DOFS} are the most")
    recipe = recipe_parts(material.recipe)
    header = {
        "settings": asdict(model.settings),
        "cyclic": bool(model.cyclic),
        "names": list(material.names),
        "frame_time": float(material.frame_time),
        "lengths": [len(rows) for rows in material.values],
        "transition": {"order": int(model.transition.order), "edges": _plain(model.transition.edges)},
        **_method_header(model),
        "recipe": recipe.header,
    }
    arrays: dict[str, Any] = {
        "examples": compact(np.concatenate(material.values)),
        "weights": compact(material.weights),
        "rates": np.asarray(material.rates, dtype=np.bool_),
    }
    if model.dynamics is not None:
        arrays |= {name: compact(getattr(model.dynamics, name)) for name in DYNAMICS}
    return Parts(header, arrays | recipe.arrays)


def from_parts(parts: ReadParts) -> VariationModel:
    """The model again; raises a FreshtakeError when the parts cannot be one."""
    settings = read_settings(parts.fields.inner("settings"), Settings)
    if "swing_nodes" not in parts.fields.inner("settings").values:
        settings = settings.changed(swing_nodes=False)  # saved before swings were nodes
    material = _material(parts)
    names = material.names
    inner = parts.fields.inner("transition")
    order = inner.get("order", "int")
    expected = ORDER if settings.method == "default" else settings.order
    if order != expected:
        inner.wrong("order", f"{expected} was expected, not {order}")
    if min(map(len, material.values)) < order + 2:
        parts.fields.wrong("lengths", f"every example of order {order} has at least {order + 2} frames")
    if settings.method == "default":
        dynamics = _dynamics(parts, material, settings, inner)
        return VariationModel(material, settings, parts.fields.get("cyclic", "bool"), dynamics.network, dynamics)
    edges = inner.lists_of_numbers("edges", 0, (order + 1) * len(names) - 1)
    kernel = KernelParts(
        PriorNetwork(names, parts.fields.lists_of_numbers("prior", 0, 2 * len(names) - 1)),
        _rule(parts.fields.inner("rule")),
        _rule(parts.fields.inner("prior_rule")),
    )
    transition = TransitionNetwork(names, order, edges)
    return VariationModel(material, settings, parts.fields.get("cyclic", "bool"), transition, kernel=kernel)


def _method_header(model: VariationModel) -> dict[str, Any]:
    """What only one of the methods has."""
    if model.dynamics is not None:
        return {"slices": int(model.dynamics.slices)}
    return {
        "prior": _plain(model.prior.edges),
        "rule": _rule_header(model.rule),
        "prior_rule": _rule_header(model.prior_rule),
    }


def _dynamics(parts: ReadParts, material: Material, settings: Settings, inner: Fields) -> Dynamics:
    """The network of the default method with its numbers."""
    every = node_names(material.names, material.rates, body_nodes(material, settings))
    nodes = len(every)
    edges = inner.lists_of_numbers("edges", 0, (ORDER + 1) * nodes - 1)
    count, traits = sum(map(len, edges)), len(TRAITS)
    shapes: dict[str, tuple[int, ...]] = {
        "slopes": (count,), "noise": (nodes,), "trait_slopes": (traits, count), "trait_noise": (traits, nodes),
        "trait_sizes": (traits, nodes), "sizes": (POINTS, nodes),
    }  # fmt: skip
    sizes = ("noise", "trait_noise", "trait_sizes", "sizes")
    arrays = {
        name: parts.numbers(name, shape, low=0.0 if name in sizes else -MOST_SLOPE, high=MOST_SIZE)
        for name, shape in shapes.items()
    }
    slices = parts.fields.get("slices", "int")
    return Dynamics(TransitionNetwork(every, ORDER, edges), slices, **arrays)


def _material(parts: ReadParts) -> Material:
    header = parts.fields
    names, frame_time = read_names(header, "names", MOST_DOFS), read_frame_time(header)
    lengths = header.whole_numbers("lengths", 1, MOST_FRAMES)
    if not lengths:
        header.wrong("lengths", "there is no example")
    rows = parts.numbers("examples", (sum(lengths), len(names)))
    values = tuple(np.split(rows, np.cumsum(lengths)[:-1]))
    weights = parts.numbers("weights", (len(names),), low=0.0)
    rates = parts.numbers("rates", (len(names),), low=0.0, high=1.0) > 0.5
    recipe = read_recipe(parts)
    if recipe is not None and recipe.names != names:
        header.wrong("names", "the names of the recipe's DOFs were expected")
    check_frame_time(header, recipe, frame_time)
    return Material(values, names, weights, rates, frame_time, recipe)


def _rule_header(rule: Regression) -> dict[str, Any]:
    makers = {"int": int, "float": float, "bool": bool}
    return {name: makers[kind](getattr(rule, name)) for name, kind in _rule_kinds().items()}


def _rule(header: Fields) -> Regression:
    values = {name: header.get(name, kind) for name, kind in _rule_kinds().items()}
    for name, value in values.items():
        if value < 0 or (name == "neighbors" and not 1 <= value <= MOST_FRAMES):
            header.wrong(name, f"a number above 0 was expected, not {value}")
    return Regression(**values)


def _rule_kinds() -> dict[str, str]:
    return {name: kind.__name__ for name, kind in get_type_hints(Regression).items()}


def _plain(edges: tuple[tuple[int, ...], ...]) -> list[list[int]]:
    return [[int(parent) for parent in parents] for parents in edges]
