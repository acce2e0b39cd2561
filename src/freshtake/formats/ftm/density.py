"""A DensityModel as parts of a model file, and back. Loading imports what synthesis needs, not the learner."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import numpy as np

from freshtake.density.model import DensityModel
from freshtake.density.settings import Settings
from freshtake.errors import FormatError, UsageError
from freshtake.formats.ftm.header_fields import Fields, Parts, ReadParts, compact
from freshtake.motion.features import Recipe
from freshtake.numeric.pca import Pca

MOST_DOFS = 1 << 20
MOST_CLASSES = 256
MOST_FRAMES = 1 << 31
RECIPE = "recipe_"  # before the names of the recipe's arrays


def to_parts(model: DensityModel) -> Parts:
    """Everything that `from_parts` needs to make the same model."""
    if len(model.names) > MOST_DOFS:
        raise UsageError(f"a model of {len(model.names)} DOFs cannot be saved: {MOST_DOFS} are the most")
    recipe = None if model.recipe is None else model.recipe.to_parts()
    header = {
        "settings": asdict(model.settings),
        "classes": list(model.classes),
        "names": list(model.names),
        "frame_time": float(model.frame_time),
        "lengths": [[int(length) for length in runs] for runs in model.lengths],
        "cyclic": [int(turns) for turns in model.cyclic],
        "variance": float(model.pca.total),
        "notes": list(model.notes),
        "recipe": None if recipe is None else recipe.header,
    }
    arrays: dict[str, Any] = {
        "scale": compact(model.scale),
        "mean": compact(model.pca.mean),
        "modes": compact(model.pca.modes),
        "variances": compact(model.pca.variances),
        "weights": compact(model.weights),
        "rates": compact(model.rates),
        "residuals": compact(model.residuals),
        "allowed": np.asarray(model.allowed, dtype=np.bool_),
        "limits": compact(model.limits),
        "errors": np.array(model.errors, dtype=np.float64),
    }
    stored = {} if recipe is None else {RECIPE + name: array for name, array in recipe.arrays.items()}
    return Parts(header, arrays | stored)


def from_parts(parts: ReadParts) -> DensityModel:
    """The model again; raises a FreshtakeError when the parts cannot be one."""
    header = parts.fields
    classes, names = header.texts("classes"), header.texts("names")
    if not 0 < len(classes) <= MOST_CLASSES or len(set(classes)) < len(classes):
        header.wrong("classes", f"1 to {MOST_CLASSES} different names were expected")
    if not 0 < len(names) <= MOST_DOFS or len(set(names)) < len(names):
        header.wrong("names", f"1 to {MOST_DOFS} different names were expected")
    frame_time = header.get("frame_time", "float")
    if not 1e-9 < frame_time < 1e9:
        header.wrong("frame_time", f"a time above 0 was expected, not {frame_time:g}")
    lengths = header.lists_of_numbers("lengths", 2, MOST_FRAMES)
    if len(lengths) != len(classes) or not all(lengths):
        header.wrong("lengths", "a list of runs for every class was expected")
    cyclic = header.whole_numbers("cyclic", 0, 1)
    if len(cyclic) != len(classes):
        header.wrong("cyclic", "a number for every class was expected")
    recipe = _recipe(parts, frame_time)
    rates = 0 if recipe is None else sum(unit in ("speed", "turn") for unit in recipe.units)
    if recipe is not None and len(recipe.names) != len(names) + rates:
        header.wrong("names", "the names of the recipe's DOFs were expected")
    settings = _settings(header.inner("settings"))
    kernels, width = sum(map(sum, lengths)), len(names)
    allowed = parts.numbers("allowed", (kernels,), low=0.0, high=1.0) > 0.5
    owners = np.repeat(np.arange(len(classes)), [sum(runs) for runs in lengths])
    if len(np.unique(owners[allowed])) < len(classes):
        raise FormatError(header.path, "every class needs a kernel that may be jumped to", "array 'allowed'")
    pca = _pca(parts, width)
    return DensityModel(
        settings, classes, names, frame_time, recipe, parts.numbers("scale", (width,), low=1e-30), pca,
        parts.numbers("weights", (kernels, len(pca.modes))), parts.numbers("rates", (kernels, 4 if rates else 0)),
        parts.numbers("residuals", (kernels, width if settings.residuals else 0)), lengths, allowed,
        tuple(bool(turns) for turns in cyclic), parts.numbers("limits", (len(classes), 3), low=0.0),
        tuple(parts.numbers("errors", (len(classes),), low=0.0).tolist()), header.texts("notes"),
    )  # fmt: skip


def _pca(parts: ReadParts, width: int) -> Pca:
    count = len(parts.arrays["variances"]) if "variances" in parts.arrays and parts.arrays["variances"].ndim else 0
    if not 1 <= count <= width:
        raise FormatError(parts.fields.path, f"1 to {width} numbers were expected", "array 'variances'")
    variances = parts.numbers("variances", (count,), low=0.0)
    if variances[0] <= 0.0:
        raise FormatError(parts.fields.path, "the first mode has no variance", "array 'variances'")
    total = parts.fields.get("variance", "float")
    return Pca(parts.numbers("mean", (width,)), parts.numbers("modes", (count, width)), variances, total)


def _recipe(parts: ReadParts, frame_time: float) -> Recipe | None:
    header = parts.fields.get("recipe", "dict | None")
    if header is None:
        return None
    arrays = {name.removeprefix(RECIPE): a for name, a in parts.arrays.items() if name.startswith(RECIPE)}
    for name, array in arrays.items():
        if array.dtype.kind not in "fiub":
            raise FormatError(
                parts.fields.path, f"numbers were expected, not {array.dtype}", f"array {RECIPE + name!r}"
            )
    with np.errstate(over="ignore", invalid="ignore"):  # numbers that are no indices become ones that are refused
        recipe = Recipe.from_parts(header, arrays)
    if recipe.frame_time != frame_time:
        parts.fields.wrong("frame_time", f"the recipe's frame time, {recipe.frame_time:g}, was expected")
    return recipe


def _settings(header: Fields) -> Settings:
    kinds = {field.name: str(field.type) for field in fields(Settings)}
    unknown = [name for name in header.values if name not in kinds]
    if unknown:
        header.wrong(unknown[0][:80], "this freshtake has no such setting: update it, or learn the model again")
    return Settings(**{name: header.get(name, kinds[name]) for name in header.values})
