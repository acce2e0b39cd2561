"""Convert a DensityModel to parts of a model file and back. Loading imports synthesis, not the learner."""

from dataclasses import asdict

import numpy as np

from freshtake.density.even_jumps import JumpTable
from freshtake.density.model import DensityModel
from freshtake.density.settings import Settings
from freshtake.errors import UsageError
from freshtake.formats.ftm.io import MOST_FRAMES, ReadParts, compact, recipe_parts
from freshtake.motion.validation import Array, Parts
from freshtake.numeric.arrays import Ints
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
    arrays: dict[str, Array] = {
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
    all_listed = len(lengths) == len(classes) and all(lengths)
    header.require("lengths", all_listed, "a list of runs for every class was expected")
    cyclic, periodic = (header.whole_numbers(name, 0, 1) for name in ("cyclic", "periodic"))
    header.require("cyclic", len(cyclic) == len(classes), "a number for every class was expected")
    good = len(periodic) == len(classes) and all(a <= b for a, b in zip(periodic, cyclic, strict=True))
    header.require("periodic", good, "a number for every class was expected, 1 only for those that are cyclic")
    recipe = parts.recipe(frame_time)
    rates = 0 if recipe is None else sum(unit in ("speed", "turn") for unit in recipe.units)
    fits = recipe is None or len(recipe.names) == len(names) + rates
    header.require("names", fits, "the names of the recipe's DOFs were expected")
    settings = header.settings(Settings)
    kernels, width = sum(map(sum, lengths)), len(names)
    allowed = parts.numbers("allowed", (kernels,), low=0.0, high=1.0) > 0.5
    owners = np.repeat(np.arange(len(classes)), [sum(runs) for runs in lengths])
    all_reached = len(np.unique(owners[allowed])) == len(classes)
    parts.require("allowed", all_reached, "every class needs a kernel that may be jumped to")
    pca = _pca(parts, width)
    weights = parts.numbers("weights", (kernels, len(pca.modes)))
    limits = parts.numbers("limits", (len(classes), 3), low=0.0)
    for owner in np.flatnonzero(periodic):  # every periodic class needs a cycle length, and kernels that differ
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
    """Return the learned jumps; `owners` are the classes of the density kernels."""
    kernels = len(owners)
    counts = parts.numbers("jump_counts", (kernels,), low=0.0, high=float(1 << 20)).astype(np.intp)
    jumps = (int(counts.sum()),)
    goals = parts.numbers("jump_goals", jumps, low=0.0, high=float(kernels - 1)).astype(np.intp)
    inside = (owners[goals] == np.repeat(owners, counts)).all()
    parts.require("jump_goals", inside, "a jump leads to another class")
    chances = parts.numbers("jump_chances", jumps, low=0.0, high=1.0)
    return JumpTable(counts, goals, chances, parts.numbers("jump_haste", (kernels,), low=0.0))


def _pca(parts: ReadParts, width: int) -> Pca:
    count = len(parts.array("variances", "fiub", 1))
    parts.require("variances", 1 <= count <= width, f"1 to {width} numbers were expected")
    variances = parts.numbers("variances", (count,), low=0.0)
    parts.require("variances", variances[0] > 0.0, "the first mode has no variance")
    mean, modes = parts.numbers("mean", (width,)), parts.numbers("modes", (count, width))
    return Pca(mean, modes, variances, parts.fields.get("variance", "float"))
