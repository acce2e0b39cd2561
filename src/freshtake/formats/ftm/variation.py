"""Convert a VariationModel to parts of a model file and back. Loading imports synthesis, not the learner."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm.io import MOST_FRAMES, ReadParts, compact, recipe_parts
from freshtake.motion.body.roles import leg_length
from freshtake.motion.features import Start
from freshtake.motion.validation import Parts
from freshtake.variation.deviations import Settings
from freshtake.variation.examples import FEWEST, Material
from freshtake.variation.model import VariationModel

if TYPE_CHECKING:
    from freshtake.variation.paper.model import PaperModel

MOST_DOFS = 2048
FARTHEST = 1e7  # largest absolute value in an example, such as a distance from the origin
TURNED = 1e4  # radians
LARGEST = 100.0  # largest deviation, in ranges of its DOF
UNEVEN = 20.0  # largest factor by which a take's pace through the phase differs from its mean


def to_parts(model: VariationModel) -> Parts:
    """Return the parts from which `from_parts` restores the model."""
    header, arrays = material_parts(model)
    recipe = recipe_parts(model.material.recipe)
    header |= {"recipe": recipe.header, "foot_joints": 0 if model.labels is None else model.labels.shape[1]}
    arrays |= {
        "starts": np.array([(*start.ground, start.heading) for start in model.material.starts]),
        "phase_frames": compact(model.phase_frames),
        "sizes": compact(model.sizes),
    }
    if model.labels is not None:
        arrays["contacts"] = np.asarray(model.labels, dtype=np.bool_)
    return Parts(header, arrays | recipe.arrays)


def material_parts(model: VariationModel | PaperModel) -> Parts:
    """Return the parts in which models of both methods store their examples, without the recipe."""
    material = model.material
    if len(material.names) > MOST_DOFS:
        raise UsageError(f"a model of {len(material.names)} DOFs cannot be saved: the limit is {MOST_DOFS}")
    header = {
        "settings": asdict(model.settings),
        "cyclic": bool(model.cyclic),
        "names": list(material.names),
        "frame_time": float(material.frame_time),
        "lengths": [len(rows) for rows in material.values],
    }
    arrays = {
        "examples": compact(np.concatenate(material.values)),
        "weights": compact(material.weights),
        "rates": np.asarray(material.rates, dtype=np.bool_),
    }
    return Parts(header, arrays)


def from_parts(parts: ReadParts) -> VariationModel:
    """Restore the model; raise a FreshtakeError if the parts are invalid."""
    header = parts.fields
    settings = header.settings(Settings)
    material = read_material(parts, FEWEST)
    lengths = [len(rows) for rows in material.values]
    placed = parts.numbers("starts", (len(lengths), 3), low=-FARTHEST, high=FARTHEST)
    few_turns = (np.abs(placed[:, 2]) <= TURNED).all()
    parts.require("starts", few_turns, f"headings between ±{TURNED:g} radians were expected")
    material = replace(material, starts=tuple(Start((x, y), heading) for x, y, heading in placed.tolist()))
    # The number of phases is the mean number of frames of the takes, so the examples bound the cost of a model.
    phases = round(float(np.mean(lengths)))
    phase_frames = parts.numbers("phase_frames", (phases, len(lengths)), low=0.0, high=float(max(lengths)))
    steps = np.diff(phase_frames, axis=0)
    increasing = (steps > 0.0).all() and (np.abs(phase_frames[-1] - lengths + 1.0) <= 0.5).all()
    parts.require("phase_frames", increasing, "frames that increase from the first to the last were expected")
    usual = (np.array(lengths) - 1.0) / max(phases - 1, 1)
    even = (steps <= UNEVEN * usual).all() and (steps >= usual / UNEVEN).all()
    parts.require("phase_frames", even, "takes without extreme changes of pace were expected")
    sizes = parts.numbers("sizes", (phases, len(material.names)), low=0.0, high=FARTHEST)
    ranges = np.ptp(np.concatenate(material.values), axis=0)
    skeleton = None if material.recipe is None else material.recipe.skeleton
    # Smaller ranges count as a thousandth of a leg: a straight walk hardly moves sideways, but may deviate there.
    least = 1e-3 * (1.0 if skeleton is None else max(leg_length(skeleton), 1.0))
    usual_sizes = (sizes <= LARGEST * np.maximum(ranges, least)).all()
    parts.require("sizes", usual_sizes, f"a DOF deviates by more than {LARGEST:g} times its range")
    joints = header.get("foot_joints", "int")
    enough = 0 <= joints <= (0 if skeleton is None else len(skeleton))
    header.require("foot_joints", enough, "no more than the joints of the skeleton were expected")
    labels = parts.numbers("contacts", (sum(lengths), joints), low=0.0, high=1.0) if joints else None
    return VariationModel(material, settings, header.get("cyclic", "bool"), phase_frames, sizes, labels)


def read_material(parts: ReadParts, shortest: int) -> Material:
    """Return examples of at least `shortest` frames each, all at the origin."""
    header = parts.fields
    names, frame_time = header.names("names", MOST_DOFS), header.frame_time()
    lengths = header.whole_numbers("lengths", shortest, MOST_FRAMES)
    header.require("lengths", bool(lengths), "there is no example")
    rows = parts.numbers("examples", (sum(lengths), len(names)), low=-FARTHEST, high=FARTHEST)
    values = tuple(np.split(rows, np.cumsum(lengths)[:-1]))
    weights = parts.numbers("weights", (len(names),), low=0.0)
    rates = parts.numbers("rates", (len(names),), low=0.0, high=1.0) > 0.5
    recipe = parts.recipe(frame_time)
    header.require("names", recipe is None or recipe.names == names, "the names of the recipe's DOFs were expected")
    return Material(values, names, weights, rates, frame_time, recipe)
