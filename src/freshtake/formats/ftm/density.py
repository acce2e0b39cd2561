"""Convert a DensityModel to parts of a model file and back. Loading imports synthesis, not the learner."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from freshtake.density.even_jumps import JumpTable, no_jumps
from freshtake.density.model import DensityModel
from freshtake.density.settings import Settings
from freshtake.errors import UsageError
from freshtake.formats.ftm.io import MOST_FRAMES, ReadParts, compact, recipe_parts
from freshtake.motion.validation import Parts
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.pca import Pca

MOST_DOFS = 1 << 20


def to_parts(model: DensityModel) -> Parts:
    """Return the parts from which `from_parts` restores the model."""
    if len(model.names) > MOST_DOFS:
        raise UsageError(f"a model of {len(model.names)} DOFs cannot be saved: the limit is {MOST_DOFS}")
    recipe = recipe_parts(model.recipe)
    header = {
        "settings": asdict(model.settings),
        "classes": list(model.classes),
        "names": list(model.names),
        "frame_time": float(model.frame_time),
        "lengths": [[int(length) for length in runs] for runs in model.lengths],
        "cyclic": [int(turns) for turns in model.cyclic],
        "periodic": [int(repeats) for repeats in model.periodic or model.cyclic],
        "variance": float(model.pca.total),
        "notes": list(model.notes),
        "recipe": recipe.header,
    }
    values: dict[str, Floats] = {
        "scale": model.scale, "mean": model.pca.mean, "modes": model.pca.modes, "variances": model.pca.variances,
        "weights": model.weights, "rates": model.rates, "residuals": model.residuals,
    }  # fmt: skip
    arrays: dict[str, Any] = {
        **{name: compact(array) for name, array in values.items()},
        "allowed": np.asarray(model.allowed, dtype=np.bool_),
        "limits": compact(model.limits),
        "errors": np.array(model.errors, dtype=np.float64),
        "jump_counts": np.asarray(model.jumps.counts, dtype=np.int32),
        "jump_goals": np.asarray(model.jumps.goals, dtype=np.int32),
        "jump_chances": compact(model.jumps.chances),
        "jump_haste": compact(model.jumps.jump_rates),
    }
    return Parts(header, arrays | recipe.arrays)


def from_parts(parts: ReadParts) -> DensityModel:
    """Restore the model; raise a FreshtakeError if the parts are invalid."""
    header = parts.fields
    # Class names are given on a command line, so there are few.
    classes, names = header.names("classes", 256), header.names("names", MOST_DOFS)
    frame_time = header.frame_time()
    lengths = header.lists_of_numbers("lengths", 2, MOST_FRAMES)
    if len(lengths) != len(classes) or not all(lengths):
        header.wrong("lengths", "a list of runs for every class was expected")
    cyclic = header.whole_numbers("cyclic", 0, 1)
    if len(cyclic) != len(classes):
        header.wrong("cyclic", "a number for every class was expected")
    # Files of earlier versions do not state which classes are cyclic: those that can be followed without end are.
    periodic = header.whole_numbers("periodic", 0, 1) if "periodic" in header.values else cyclic
    if len(periodic) != len(classes) or any(a > b for a, b in zip(periodic, cyclic, strict=True)):
        header.wrong("periodic", "a number for every class was expected, 1 only for those that are cyclic")
    recipe = parts.recipe(frame_time)
    rates = 0 if recipe is None else sum(unit in ("speed", "turn") for unit in recipe.units)
    if recipe is not None and len(recipe.names) != len(names) + rates:
        header.wrong("names", "the names of the recipe's DOFs were expected")
    settings = header.settings(Settings, noise=0.0)
    kernels, width = sum(map(sum, lengths)), len(names)
    allowed = parts.numbers("allowed", (kernels,), low=0.0, high=1.0) > 0.5
    owners = np.repeat(np.arange(len(classes)), [sum(runs) for runs in lengths])
    if len(np.unique(owners[allowed])) < len(classes):
        parts.wrong("allowed", "every class needs a kernel that may be jumped to")
    pca = _pca(parts, width)
    weights = parts.numbers("weights", (kernels, len(pca.modes)))
    limits = parts.numbers("limits", (len(classes), 3), low=0.0)
    for owner in np.flatnonzero(periodic):  # each needs a cycle length, and motion
        if limits[owner, 2] < 1.0 or float(np.ptp(weights[owners == owner], axis=0).max()) <= 0.0:
            header.wrong("periodic", f"the class {classes[owner][:40]!r} has no cycle")
    return DensityModel(
        settings, classes, names, frame_time, recipe, parts.numbers("scale", (width,), low=1e-30), pca,
        weights, parts.numbers("rates", (kernels, 4 if rates else 0)),
        parts.numbers("residuals", (kernels, width if settings.residuals else 0)), lengths, allowed,
        tuple(bool(turns) for turns in cyclic), limits,
        tuple(parts.numbers("errors", (len(classes),), low=0.0).tolist()), _jumps(parts, owners),
        header.texts("notes"), tuple(bool(repeats) for repeats in periodic),
    )  # fmt: skip


def _jumps(parts: ReadParts, owners: Ints) -> JumpTable:
    """Return the learned jumps; files of earlier versions have none and jump by the density alone."""
    kernels = len(owners)
    if "jump_counts" not in parts.arrays:
        return no_jumps(kernels)
    # Per density kernel.
    counts = parts.numbers("jump_counts", (kernels,), low=0.0, high=float(1 << 20)).astype(np.intp)
    jumps = (int(counts.sum()),)
    goals = parts.numbers("jump_goals", jumps, low=0.0, high=float(kernels - 1)).astype(np.intp)
    if (owners[goals] != np.repeat(owners, counts)).any():
        parts.wrong("jump_goals", "a jump leads to another class")
    chances = parts.numbers("jump_chances", jumps, low=0.0, high=1.0)
    return JumpTable(counts, goals, chances, parts.numbers("jump_haste", (kernels,), low=0.0))


def _pca(parts: ReadParts, width: int) -> Pca:
    count = len(parts.arrays["variances"]) if "variances" in parts.arrays and parts.arrays["variances"].ndim else 0
    if not 1 <= count <= width:
        parts.wrong("variances", f"1 to {width} numbers were expected")
    variances = parts.numbers("variances", (count,), low=0.0)
    if variances[0] <= 0.0:
        parts.wrong("variances", "the first mode has no variance")
    total = parts.fields.get("variance", "float")
    return Pca(parts.numbers("mean", (width,)), parts.numbers("modes", (count, width)), variances, total)
