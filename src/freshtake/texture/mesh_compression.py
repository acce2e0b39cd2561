"""Mesh columns to a Shape: positions with normals, further attributes with their own modes (Sattler 2004, §2-2.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.features.mesh_features import MeshLayout
from freshtake.numeric import pca as principal
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.pca import Pca
from freshtake.texture.settings import Settings
from freshtake.texture.shape import Group, Shape, group_of, like_rows

FEATURES = 24  # modes by which frames are told apart
ROUNDS = 20  # in which frames may go to another cluster
MIXED = 4  # frames to either side over which one cluster turns into the next
Fit = Callable[[Floats], Pca]

COMPONENTS = 10
PART_FEATURES = 12  # modes by which vertices are told apart


class Block(NamedTuple):
    """A run of columns that belong together: positions, normals, or an attribute."""

    name: str
    columns: Ints
    width: int  # per vertex


def blocks_of(layout: MeshLayout) -> list[Block]:
    """List the blocks of a mesh, in the order of its columns, the root's rates apart."""
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
    """Find the modes of a mesh's columns (frames, columns), grouped as settings say, and weights (frames, width)."""
    shape = _shape(columns, layout, settings, rng)
    if settings.clusters == 1:
        return shape, shape.weights(columns)

    def fit(values: Floats) -> Pca:
        count, energy, error = conditions(settings.changed(components=None), *values.shape)
        count = min(settings.components, *values.shape) if settings.components else count
        return principal.fit(values, count=count, energy=energy, error=error, rng=rng)

    return local_shape(shape, columns, settings.clusters, fit, settings.bits)


def _shape(columns: Floats, layout: MeshLayout, settings: Settings, rng: np.random.Generator | None) -> Shape:
    """Find modes of all frames together."""
    positions, *others = blocks_of(layout)
    joint = [block for block in others if block.name == "normals" and settings.normals == "joint"]
    scales = np.ones(columns.shape[1])
    moving = float(columns[:, positions.columns].var(axis=0).sum())
    for block in joint:
        spread = float(columns[:, block.columns].var(axis=0).sum())
        if spread > 0.0 and moving > 0.0 and settings.attribute_weight > 0.0:
            # Normals have no unit of length: only their spread against that of positions says how much they should
            # count.
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
    """List the columns of the whole mesh, or of each of its parts (local principal components, Sattler 2004, §4.1)."""
    if settings.parts == 1:
        return [("mesh", np.concatenate([block.columns for block in blocks]))]
    positions = blocks[0]
    whole = principal.fit(columns[:, positions.columns], count=min(PART_FEATURES, len(columns)))
    # Scaled by how far they move, so that vertices are grouped by movement that is seen.
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
    """Decide how many modes to keep: as asked, else ten where there are as many frames."""
    count, energy, error = settings.components, settings.energy, settings.error
    if count is not None and count > min(frames, values):
        raise UsageError(
            f"{count} components were asked for, but {frames} frames of {values} values have at most "
            f"{min(frames, values)}: ask for fewer"
        )
    if count is None and energy is None and error is None:
        count = min(COMPONENTS, frames, values)
    return count, energy, error


class Local(NamedTuple):
    """A group whose modes are, cluster by cluster, the way from the common mean to the cluster's, then its own."""

    group: Group
    weights: Floats  # (frames, modes)


def memberships(columns: Floats, clusters: int, components: int) -> Floats:
    """Find who restores each frame best (frames, clusters), rows summing to one, mixed where one follows another.

    Clusters begin as frames of like poses; then, round after round, each frame goes to the cluster whose modes leave
    least of it (Kambhatla and Leen 1997).
    """
    features = principal.project(principal.fit(columns, count=min(FEATURES, *columns.shape)), columns)
    owner = np.zeros(len(columns), dtype=np.intp)
    for number, own in enumerate(like_rows(features, clusters)):
        owner[own] = number
    for _ in range(ROUNDS):
        left = np.stack([_left(features, owner == k, components) for k in range(int(owner.max()) + 1)], axis=1)
        before, owner = owner, left.argmin(axis=1)
        if np.array_equal(before, owner):
            break
    hard = (owner[:, None] == np.unique(owner)).astype(np.float64)
    window = np.ones(2 * MIXED + 1)
    # A hard change of modes from one frame to the next would be seen as a jolt of the whole mesh.
    soft = np.stack([np.convolve(part, window)[MIXED : MIXED + len(part)] for part in hard.T], axis=1)
    return np.asarray(soft / soft.sum(axis=1, keepdims=True))


def _left(features: Floats, mine: Bools, components: int) -> Floats:
    """Measure what the modes of some frames leave of every frame (frames,), squared; infinite of none."""
    if not mine.any():
        return np.full(len(features), np.inf)
    found = principal.fit(features[mine], count=min(components, int(mine.sum()), features.shape[1]))
    made = principal.restore(found, principal.project(found, features))
    return np.asarray(np.square(features - made).sum(axis=1))


def local_group(whole: Group, columns: Floats, member: Floats, fit: Fit, bits: int) -> Local:
    """Find the modes of every cluster for the columns of a group, and the weights of all frames."""
    scales = whole.scales.astype(np.float64)
    values = columns[:, whole.columns] * scales
    mean, modes, counts = values.mean(axis=0), [], []
    for share in member.T:
        own = fit(values[share > 0.0])
        modes += [(own.mean - mean)[None], own.modes]
        counts.append(len(own.modes))
    stacked = np.concatenate(modes)
    group = group_of(whole.name, whole.columns, scales, Pca(mean, stacked, np.ones(len(stacked)), 1.0), bits)
    return Local(group, _weights(group, values, member, counts))


def _weights(group: Group, values: Floats, member: Floats, counts: list[int]) -> Floats:
    """Find the nearest that each cluster can make of its frames, by least squares, since stored modes are rounded."""
    scales = group.scales.astype(np.float64)
    modes, mean = group.modes.astype(np.float64) * scales, group.mean.astype(np.float64) * scales
    out, at = np.zeros((len(values), len(modes))), 0
    for share, count in zip(member.T, counts, strict=True):
        mine, own = share > 0.0, modes[at + 1 : at + 1 + count]
        away = values[mine] - mean - modes[at]
        out[mine, at] = share[mine]
        if count:
            found = np.linalg.lstsq(own.T, away.T, rcond=None)[0].T
            out[mine, at + 1 : at + 1 + count] = share[mine, None] * found
        at += 1 + count
    return out


def local_shape(shape: Shape, columns: Floats, clusters: int, fit: Fit, bits: int) -> tuple[Shape, Floats]:
    """Make a shape with modes per cluster of frames instead of its own, and the weights (frames, width)."""
    first = shape.groups[0]
    member = memberships(columns[:, first.columns], clusters, max(first.components, 1))
    found = [local_group(group, columns, member, fit, bits) for group in shape.groups]
    return Shape(tuple(local.group for local in found)), np.concatenate([local.weights for local in found], axis=1)
