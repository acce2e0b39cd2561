"""Rows back to motions: columns of the recipe as they are, a mesh from its modes, block by block."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from freshtake.motion import MeshSequence
from freshtake.motion.features import Recipe, Start, decode, where_it_ends
from freshtake.motion.verdict import require_unflung
from freshtake.numeric.arrays import Floats
from freshtake.texture.shape import Shape, Single

MADE = "made by freshtake: texture"
BLOCK = 128  # frames of a mesh that are restored at once


def decoded(
    recipe: Recipe | None, shape: Shape | None, rows: Floats, start: Start | None, resume: bool, name: str
) -> Any:
    """Decode rows to a motion; plain rows stay rows."""
    if recipe is None:
        return require_unflung(rows)
    if shape is None:
        motion = require_unflung(decode(recipe, rows, start=start, resume=resume, name=name))
        return replace(motion, provenance=MADE)
    return require_unflung(_mesh(recipe, shape, rows, start or Start(), resume, name))


def columns_of(recipe: Recipe, shape: Shape, rows: Floats) -> Floats:
    """Restore all columns of a mesh's rows: the root's rates, then what the modes make."""
    at = 3 if recipe.layout.root == "heading" else 0
    return np.concatenate([rows[:, :at], shape.restore(rows[:, at:])], axis=1, dtype=np.float64)


def _mesh(recipe: Recipe, shape: Shape, rows: Floats, start: Start, resume: bool, name: str) -> MeshSequence:
    parts: list[MeshSequence] = []
    for first in range(0, len(rows), BLOCK):
        columns = columns_of(recipe, shape, rows[first : first + BLOCK])
        made = decode(recipe, columns, start=start, resume=resume, name=name)
        start, resume = where_it_ends(recipe, columns, start=start, resume=resume), True
        assert isinstance(made, MeshSequence)
        parts.append(made)
    changing = {key: np.concatenate([part.attributes[key] for part in parts]) for key in _changing(parts[0])}
    return replace(
        parts[0],
        vertices=np.concatenate([part.vertices for part in parts]),
        normals=None if parts[0].normals is None else _unit([part.normals for part in parts]),
        attributes={**parts[0].attributes, **changing},
        provenance=MADE,
    )


def _changing(mesh: MeshSequence) -> list[str]:
    return [key for key, values in mesh.attributes.items() if values.ndim == 3]


def _unit(parts: list[Any]) -> Single:
    """Bring restored normals, which have not quite unit length, back to it."""
    normals: Single = np.concatenate(parts)
    with np.errstate(over="ignore"):  # of modes without measure nothing is left
        length = np.linalg.norm(normals, axis=-1, keepdims=True)
    return np.asarray(normals / np.where(length > 0.0, length, 1.0), dtype=np.float32)
