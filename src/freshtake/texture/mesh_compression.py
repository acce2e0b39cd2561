"""Mesh columns to a Shape: positions with normals, further attributes with their own modes (Sattler 2004, §2-2.3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.features.mesh_features import MeshLayout
from freshtake.numeric import pca as principal
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.pca import Pca
from freshtake.texture.frame_clusters import local_shape
from freshtake.texture.settings import Settings
from freshtake.texture.shape import Group, Shape, group_of, like_rows

COMPONENTS = 10
PART_FEATURES = 12  # modes by which vertices are told apart


class Block(NamedTuple):
    """A run of columns that belong together: positions, normals, or an attribute."""

    name: str
    columns: Ints
    width: int  # per vertex


def blocks_of(layout: MeshLayout) -> list[Block]:
    """The blocks of a mesh, in the order of its columns, the root's rates apart."""
    widths = {"positions": 3, **({"normals": 3} if layout.normals else {}), **layout.changing}
    out, at = [], 0
    for name, width in widths.items():
        size = width * layout.vertex_count
        out.append(Block(name, np.arange(at, at + size), width))
        at += size
    return out


def compress(
    columns: Floats, layout: MeshLayout, settings: Settings, rng: np.random.Generator | None = None
) -> tuple[Shape, Floats]:
    """The modes of a mesh's columns (frames, columns), grouped as the settings say, and weights (frames, width)."""
    shape = _shape(columns, layout, settings, rng)
    if settings.clusters == 1:
        return shape, shape.weights(columns)

    def fit(values: Floats) -> Pca:
        count, energy, error = conditions(settings.changed(components=None), *values.shape)
        count = min(settings.components, *values.shape) if settings.components else count
        return principal.fit(values, count=count, energy=energy, error=error, rng=rng)

    return local_shape(shape, columns, settings.clusters, fit, settings.bits)


def _shape(columns: Floats, layout: MeshLayout, settings: Settings, rng: np.random.Generator | None) -> Shape:
    """Modes of all frames together."""
    positions, *others = blocks_of(layout)
    joint = [block for block in others if block.name == "normals" and settings.normals == "joint"]
    scales = np.ones(columns.shape[1])
    moving = float(columns[:, positions.columns].var(axis=0).sum())
    for block in joint:
        spread = float(columns[:, block.columns].var(axis=0).sum())
        if spread > 0.0 and moving > 0.0 and settings.attribute_weight > 0.0:
            scales[block.columns] = settings.attribute_weight * np.sqrt(moving / spread)
    groups = [
        _group(name, places, columns, scales, settings, rng)
        for name, places in _parts([positions, *joint], columns, settings)
    ]
    for block in others:
        if block not in joint:
            groups.append(_group(block.name, block.columns, columns, scales, settings, rng))
    return Shape(tuple(groups))


def _parts(blocks: list[Block], columns: Floats, settings: Settings) -> list[tuple[str, Ints]]:
    """The columns of the whole mesh, or of each of its parts (local principal components, Sattler 2004, §4.1)."""
    if settings.parts == 1:
        return [("mesh", np.concatenate([block.columns for block in blocks]))]
    positions = blocks[0]
    whole = principal.fit(columns[:, positions.columns], count=min(PART_FEATURES, len(columns)))
    modes = whole.modes * np.sqrt(whole.variances)[:, None]
    features = modes.reshape(len(modes), -1, 3).transpose(1, 0, 2).reshape(len(positions.columns) // 3, -1)
    out = []
    for number, vertices in enumerate(like_rows(features, settings.parts)):
        places = [
            block.columns[0] + (vertices[:, None] * block.width + np.arange(block.width)).ravel() for block in blocks
        ]
        out.append((f"part {number + 1}", np.concatenate(places)))
    return out


def _group(
    name: str, places: Ints, columns: Floats, scales: Floats, settings: Settings, rng: np.random.Generator | None
) -> Group:
    mine = scales[places]
    count, energy, error = conditions(settings, len(columns), len(places))
    found = principal.fit(columns[:, places] * mine, count=count, energy=energy, error=error, rng=rng)
    return group_of(name, places, mine, found, settings.bits)


def conditions(settings: Settings, frames: int, values: int) -> tuple[int | None, float | None, float | None]:
    """How many modes: as asked, else ten where there are as many frames."""
    count, energy, error = settings.components, settings.energy, settings.error
    if count is not None and count > min(frames, values):
        raise UsageError(
            f"{count} components were asked for, but {frames} frames of {values} values have at most "
            f"{min(frames, values)}: ask for fewer"
        )
    if count is None and energy is None and error is None:
        count = min(COMPONENTS, frames, values)
    return count, energy, error
