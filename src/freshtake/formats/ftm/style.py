"""Convert a StyleModel to parts of a model file and back. Loading imports translation, not the learner."""

from dataclasses import asdict
from typing import Any

import numpy as np

from freshtake.formats.ftm.io import Fields, ReadParts, compact, recipe_parts
from freshtake.motion.features import Recipe
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.gait import Gait
from freshtake.motion.validation import Parts
from freshtake.numeric.arrays import Floats
from freshtake.style.columns import Block, Normal, blocks_of
from freshtake.style.footplants import Annotation
from freshtake.style.model import Settings, StyleModel
from freshtake.style.systems.banks import Bank, HeldOut, System

MOST_STATES = 4096
SYSTEM_ARRAYS = ("damping", "turning", "B", "C", "D", "offset")


def to_parts(model: StyleModel) -> Parts:
    """Return the parts from which `from_parts` restores the model."""
    recipe = recipe_parts(model.recipe)
    systems = model.bank.systems
    header = {
        "settings": asdict(model.settings),
        "bank": {"orders": [len(system.damping) for system in systems]},
        "feet": list(model.feet),
        "annotations": [{"name": a.name, "boundary": float(a.boundary)} for a in model.annotations],
        "later": float(model.later),
        "widest": float(model.widest),
        "slowest": float(model.slowest),
        "held_out": model.held_out._asdict(),
        "pairs": [list(pair) for pair in model.pairs],
        **({} if model.teacher is None else {"teacher": [list(gait) for gait in model.teacher]}),
        "recipe": recipe.header,
    }
    arrays: dict[str, Any] = {
        "source_mean": model.source.mean,
        "source_deviation": model.source.deviation,
        "target_mean": model.target.mean,
        "target_deviation": model.target.deviation,
        "effects": model.effects,
        "floor": model.floor,
        "speeds": model.speeds,
        "confidence": model.confidence,
        "poses": compact(model.poses),
        "directions": np.array([a.direction for a in model.annotations]).reshape(len(model.annotations), -1),
    }
    for name in SYSTEM_ARRAYS:
        arrays[f"system_{name}"] = np.concatenate([np.asarray(getattr(system, name)).ravel() for system in systems])
    return Parts(header, arrays | recipe.arrays)


def from_parts(parts: ReadParts) -> StyleModel:
    """Restore the model; raise a FreshtakeError if the parts are invalid."""
    header = parts.fields
    recipe = read_clip_recipe(parts)
    count = len(recipe.names)
    source = Normal(parts.numbers("source_mean", (count,)), parts.numbers("source_deviation", (count,), low=1e-12))
    target = Normal(
        parts.numbers("target_mean", (count + 1,)), parts.numbers("target_deviation", (count + 1,), low=1e-12)
    )
    settings = header.settings(Settings)
    bank = _bank(parts, blocks_of(recipe, source.deviation))
    annotations = _annotations(parts, bank, count)
    feet = header.texts("feet")
    annotated = set(feet) <= {annotation.name for annotation in annotations}
    header.require("feet", annotated, "names of annotations were expected")
    held_out = header.inner("held_out")
    return StyleModel(
        recipe, settings, source, target, bank, annotations, feet,
        parts.numbers("floor", parts.array("floor", "fiub", 1).shape), parts.numbers("effects", (count,), low=0.0),
        header.get("later", "float"), header.get("widest", "float"), header.get("slowest", "float"),
        parts.numbers("speeds", (2, 3)),
        HeldOut(held_out.get("n4sid", "float"), held_out.get("copy", "float")),
        _pairs(header), parts.numbers("confidence", (count,), low=1e-6),
        parts.numbers("poses", (len(parts.array("poses", "fiub", 2)), count)), _teacher(header),
    )  # fmt: skip


def _teacher(header: Fields) -> tuple[Gait, Gait] | None:
    """Return the gaits of the takes of both styles; None if the takes have no gait."""
    if "teacher" not in header.values:
        return None
    listed, count = header.get("teacher", "list"), len(Gait._fields)
    good = [len(gait) if isinstance(gait, list) else 0 for gait in listed] == [count, count] and all(
        type(number) in (int, float) and 0.0 <= number < 1e9 for gait in listed for number in gait
    )
    header.require("teacher", good, f"two lists of {count} numbers of 0 or more were expected")
    return Gait(*listed[0]), Gait(*listed[1])


def _bank(parts: ReadParts, blocks: tuple[Block, ...]) -> Bank:
    header = parts.fields.inner("bank")
    sizes = [(len(block.inputs), len(block.outputs)) for block in blocks]
    orders = header.whole_numbers("orders", 0, MOST_STATES)
    header.require("orders", len(orders) == len(blocks), f"{len(blocks)} numbers were expected")
    shapes_of: dict[str, list[tuple[int, ...]]] = {
        "damping": [(n,) for n in orders],
        "turning": [(n,) for n in orders],
        "B": [(n, m) for n, (m, _) in zip(orders, sizes, strict=True)],
        "C": [(p, n) for n, (_, p) in zip(orders, sizes, strict=True)],
        "D": [(p, m) for m, p in sizes],
        "offset": [(p,) for _, p in sizes],
    }
    columns = [_split(parts, f"system_{name}", shapes_of[name]) for name in SYSTEM_ARRAYS]
    bank = Bank(blocks, tuple(System(*each) for each in zip(*columns, strict=True)))
    parts.require("system_damping", bank.radius < 1.0, "a pole is outside the unit circle")
    for system in bank.systems:
        places = np.flatnonzero(system.turning)  # the complex poles
        first, second = places[::2], places[1::2]
        paired = np.array_equal(second, first + 1) and np.array_equal(system.damping[second], system.damping[first])
        paired = paired and np.array_equal(system.turning[second], -system.turning[first])
        parts.require("system_turning", paired, "complex poles must come in pairs")
    return bank


def _split(parts: ReadParts, name: str, shapes: list[tuple[int, ...]]) -> tuple[Floats, ...]:
    counts = [int(np.prod(shape)) for shape in shapes]
    flat = parts.numbers(name, (sum(counts),))
    pieces = np.split(flat, np.cumsum(counts)[:-1])
    return tuple(piece.reshape(shape) for piece, shape in zip(pieces, shapes, strict=True))


def _annotations(parts: ReadParts, bank: Bank, count: int) -> tuple[Annotation, ...]:
    listed = parts.fields.get("annotations", "list")
    # Classifiers see all DOFs, including those that drive no system.
    width = bank.features(bank.start(), np.zeros((1, count))).shape[1]
    directions = parts.numbers("directions", (len(listed), width if listed else 0))
    out = []
    for each, direction in zip(listed, directions, strict=True):
        parts.fields.require("annotations", isinstance(each, dict), "a list of objects was expected")
        fields = Fields(parts.fields.path, each, "annotations")
        out.append(Annotation(fields.get("name", "str"), direction, fields.get("boundary", "float")))
    return tuple(out)


def read_clip_recipe(parts: ReadParts) -> Recipe:
    """Return the recipe of a style model's rows: clips as rotation vectors with a heading and all DOFs of the root."""
    recipe = parts.recipe()
    if recipe is None:
        parts.fields.wrong("recipe", "an object was expected, not None")
    layout = recipe.layout
    if not isinstance(layout, ClipLayout) or (layout.angles, layout.root) != ("expmap", "heading"):
        parts.fields.wrong("recipe", "clips as rotation vectors with a heading were expected")
    whole_root = list(recipe.kept[: layout.root_width]) == list(range(layout.root_width))
    parts.fields.require("recipe", whole_root, "all DOFs of the root were expected")
    return recipe


def _pairs(header: Fields) -> tuple[tuple[str, str], ...]:
    pairs = header.get("pairs", "list")
    good = all(isinstance(pair, list) and [type(name) for name in pair] == [str, str] for pair in pairs)
    header.require("pairs", good, "pairs of names were expected")
    return tuple((a, b) for a, b in pairs)
