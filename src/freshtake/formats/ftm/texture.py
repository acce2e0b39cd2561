"""Convert a TextureModel to parts of a model file and back; modes are float32 or quantized integers."""

from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from freshtake.formats.ftm.io import LARGEST, MOST_FRAMES, Fields, ReadParts, compact, recipe_parts
from freshtake.motion.features import Recipe
from freshtake.motion.features.mesh_features import MeshLayout
from freshtake.motion.validation import Array, Parts
from freshtake.numeric.arrays import Floats
from freshtake.texture.frame_distance import Segments, Weights
from freshtake.texture.jump_map import Jumps, Reach, Sigmas
from freshtake.texture.model import TextureModel
from freshtake.texture.settings import Settings
from freshtake.texture.shape import Group, Shape, mesh_recipe

LAYOUT = "layout_"  # prefix of the names of a mesh's arrays


def to_parts(model: TextureModel) -> Parts:
    """Return the parts from which `from_parts` restores the model."""
    segments, shape = model.segments, model.shape
    header: dict[str, Any] = {
        "settings": asdict(model.settings),
        "frame_time": float(model.frame_time),
        "bounds": list(segments.bounds),
        "cells": list(segments.names),
        "cell_of_take": list(segments.cell_of_take),
        "limits": [float(limit) for limit in model.reach.limits],
        "sigmas": [float(sigma) for sigma in model.sigmas],
        "entries": len(model.entries),
        "groups": [] if shape is None else [[g.name, len(g.columns), g.components] for g in shape.groups],
        "recipe": None,
        "layout": None,
    }
    arrays: dict[str, Array] = {
        "rows": compact(model.rows),
        "poses": compact(model.weights.poses),
        "velocities": compact(model.weights.velocities),
        "alive": np.asarray(model.reach.alive, dtype=np.bool_),
        **_jump_arrays("jumps", model.jumps),
    }
    for cell, jumps in enumerate(model.entries):
        arrays |= _jump_arrays(f"entries{cell}", jumps)
    if shape is not None and model.recipe is not None:
        header["layout"], stored = _layout_parts(model.recipe)
        arrays |= stored
        for number, group in enumerate(shape.groups):
            arrays |= _group_arrays(f"group{number}", group)
    elif model.recipe is not None:
        header["recipe"], stored = recipe_parts(model.recipe)
        arrays |= stored
    return Parts(header, arrays)


def _jump_arrays(name: str, jumps: Jumps) -> dict[str, Array]:
    """Return targets and costs of existing jumps; the costs of all others are infinite and not stored."""
    there = jumps.targets >= 0
    return {f"{name}_targets": jumps.targets, f"{name}_costs": jumps.costs[there].astype(np.float32)}


def _layout_parts(recipe: Recipe) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the mesh without its ground plan, which the modes' mean determines; faces as differences, to pack well."""
    header, arrays = recipe.layout.parts()
    faces = np.diff(arrays["faces"].ravel(), prepend=0).astype(np.int32)
    small = faces.astype(np.int16)
    other_arrays: dict[str, Array] = {
        LAYOUT + name: array for name, array in arrays.items() if name not in ("faces", "plan")
    }
    return header, {LAYOUT + "faces": small if np.array_equal(small, faces) else faces, **other_arrays}


def _group_arrays(name: str, group: Group) -> dict[str, Array]:
    arrays: dict[str, Array] = {
        f"{name}_columns": np.diff(group.columns, prepend=0).astype(np.int32),
        f"{name}_scales": group.scales,
        f"{name}_steps": group.steps,
    }
    values = np.vstack([group.mean[None], group.modes]).astype(np.float64)
    if not group.steps.any():
        return arrays | {f"{name}_mean": group.mean, f"{name}_modes": group.modes}
    whole = np.round(values / group.steps[:, None])
    modes = whole[1:].astype(np.int8 if np.abs(whole[1:]).max(initial=0.0) < 128 else np.int16)
    return arrays | {f"{name}_mean": whole[0].astype(np.int16), f"{name}_modes": modes}


def from_parts(parts: ReadParts) -> TextureModel:
    """Restore the model; raise a FreshtakeError if the parts are invalid."""
    header = parts.fields
    settings, frame_time, segments = header.settings(Settings), header.frame_time(), _segments(header)
    frames, cells = segments.frames, len(segments.names)
    recipe, shape = _recipe(parts, frame_time)
    weights = Weights(_rows(parts, "poses", frames), _rows(parts, "velocities", frames))
    rows = _rows(parts, "rows", frames)
    if recipe is not None:
        heading = 3 if recipe.layout.root == "heading" else 0
        expected = len(recipe.kept) if shape is None else shape.width + heading
        parts.require("rows", rows.shape[1] == expected, f"{expected} columns were expected, not {rows.shape[1]}")
    limits, sigmas = _numbers(header, "limits", cells), _numbers(header, "sigmas", 3)
    alive = parts.numbers("alive", (frames,), low=0.0, high=1.0) > 0.5
    header.require("sigmas", min(sigmas[:2]) > 0.0, "numbers above 0 were expected")
    all_played = len(np.unique(segments.cells()[alive])) == cells
    parts.require("alive", all_played, "frames that can be played were expected in every cell")
    count = header.get("entries", "int")
    good = count == cells or (count == 0 and cells == 1)
    header.require("entries", good, f"jumps into {cells} cells were expected, not {count}")
    return TextureModel(
        settings, segments, frame_time, recipe, shape, rows, weights, _jumps(parts, "jumps", frames),
        tuple(_jumps(parts, f"entries{cell}", frames) for cell in range(count)), Reach(tuple(limits), alive),
        Sigmas(*sigmas),
    )  # fmt: skip


def _segments(header: Fields) -> Segments:
    names = header.names("cells", MOST_FRAMES)
    bounds = header.whole_numbers("bounds", 0, MOST_FRAMES)
    increasing = len(bounds) > 1 and bounds[0] == 0 and all(b - a >= 2 for a, b in pairwise(bounds))
    problem = "increasing frame numbers that start at 0, at least 2 apart, were expected"
    header.require("bounds", increasing, problem)
    cells = header.whole_numbers("cell_of_take", 0, len(names) - 1)
    all_used = len(cells) == len(bounds) - 1 and set(cells) == set(range(len(names)))
    header.require("cell_of_take", all_used, "a cell for every take, and a take for every cell, were expected")
    return Segments(bounds, cells, names)


def _numbers(header: Fields, name: str, count: int) -> list[float]:
    values = header.get(name, "list")
    good = len(values) == count and all(type(x) in (int, float) and 0.0 <= x <= LARGEST for x in values)
    header.require(name, good, f"{count} numbers of 0 or more were expected")
    return [float(value) for value in values]


def _rows(parts: ReadParts, name: str, frames: int) -> Floats:
    return parts.numbers(name, (frames, parts.array(name, "f", 2).shape[1]))


def _jumps(parts: ReadParts, name: str, frames: int) -> Jumps:
    width = parts.array(f"{name}_targets", "i", 2).shape[1]
    targets = parts.numbers(f"{name}_targets", (frames, width), low=-1, high=frames - 1).astype(np.int32)
    parts.require(f"{name}_targets", width > 0, "at least one jump per frame was expected")
    there = targets >= 0
    costs = np.full(targets.shape, np.inf)
    costs[there] = parts.numbers(f"{name}_costs", (int(there.sum()),), low=0.0)
    return Jumps(targets, costs)


def _recipe(parts: ReadParts, frame_time: float) -> tuple[Recipe | None, Shape | None]:
    layout = parts.fields.get("layout", "dict | None")
    recipe = parts.recipe(frame_time)
    if recipe is None and layout is not None:
        recipe, shape = _mesh(parts, layout)
        same = recipe.frame_time == frame_time
        parts.fields.require("frame_time", same, f"the mesh's frame time, {recipe.frame_time:g}, was expected")
        return recipe, shape
    parts.fields.require("groups", not parts.fields.get("groups", "list"), "modes belong to a mesh, but there is none")
    return recipe, None


def _mesh(parts: ReadParts, header: dict[str, Any]) -> tuple[Recipe, Shape]:
    differences = parts.array(LAYOUT + "faces", "i", 1).astype(np.int64)
    parts.require(LAYOUT + "faces", len(differences) % 3 == 0, "three corners per face were expected")
    faces = np.cumsum(differences)
    count = Fields(parts.fields.path, header, "layout").get("vertex_count", "int")
    exist = 0 < count < MOST_FRAMES and faces.min(initial=0) >= 0 and faces.max(initial=0) < count
    parts.require(LAYOUT + "faces", exist, "faces of existing vertices were expected")
    groups = _groups(parts)
    arrays = parts.after(LAYOUT)
    arrays["faces"] = faces.reshape(-1, 3).astype(np.int32)
    heading = header.get("root") == "heading"
    shape = Shape(groups)
    parts.fields.require("groups", shape.columns >= 3 * count, f"modes of {count} vertices were expected")
    arrays["plan"] = np.zeros(2 * count if heading else 0)
    with np.errstate(over="ignore", invalid="ignore"):  # invalid indices become values that are refused
        layout = MeshLayout.from_parts(Parts(header, arrays))
    width = layout.width - (3 if heading else 0)
    every = np.sort(np.concatenate([group.columns for group in groups]))
    problem = f"each of the {width} columns of the mesh in one group was expected"
    parts.fields.require("groups", np.array_equal(every, np.arange(width)), problem)
    return mesh_recipe(layout, shape), shape


def _groups(parts: ReadParts) -> tuple[Group, ...]:
    listed = parts.fields.get("groups", "list")
    good = all(isinstance(entry, list) and [type(value) for value in entry] == [str, int, int] for entry in listed)
    good = good and len(listed) > 0 and all(0 <= n < MOST_FRAMES for _, *numbers in listed for n in numbers)
    parts.fields.require("groups", good, "a name and two numbers for each group were expected")
    return tuple(_group(parts, f"group{number}", *entry) for number, entry in enumerate(listed))


def _group(parts: ReadParts, name: str, label: str, columns: int, components: int) -> Group:
    steps = parts.numbers(f"{name}_steps", (1 + components,), low=0.0)
    mean = parts.numbers(f"{name}_mean", (columns,))
    modes = parts.numbers(f"{name}_modes", (components, columns))
    if steps.any():
        mean, modes = mean * steps[0], modes * steps[1:, None]
    places = np.cumsum(parts.numbers(f"{name}_columns", (columns,), low=-MOST_FRAMES, high=MOST_FRAMES)).astype(np.intp)
    scales = parts.numbers(f"{name}_scales", (columns,), low=1e-30)
    with np.errstate(over="ignore"):
        single = (scales.astype(np.float32), mean.astype(np.float32), modes.astype(np.float32))
    finite = all(np.isfinite(values).all() for values in single)
    parts.require(f"{name}_modes", finite, "single-precision numbers were expected")
    return Group(label, places, *single, steps)
