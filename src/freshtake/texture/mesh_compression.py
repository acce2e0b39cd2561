"""Compress mesh columns to a Shape (Sattler 2004, §2-2.3), and measure the errors of c components (eq. 12-13)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.features.mesh_features import MeshLayout
from freshtake.numeric import pca as principal
from freshtake.numeric.arrays import Floats, Ints
from freshtake.texture.settings import COMPONENTS, Settings
from freshtake.texture.shape import Shape, group_of, like_rows


class Block(NamedTuple):
    """A run of columns that belong together: positions, normals, or an attribute."""

    name: str
    columns: Ints
    width: int  # columns per vertex


def blocks_of(layout: MeshLayout) -> list[Block]:
    """List the blocks of a mesh in the order of its columns, without the root's rates."""
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
    """Find the modes of a mesh's columns (frames, columns), grouped by the settings, and weights (frames, width)."""
    joint, others = joined(blocks_of(layout), settings)
    scales = np.ones(columns.shape[1])
    for block in joint[1:]:
        moving, spread = (float(columns[:, some.columns].var(axis=0).sum()) for some in (joint[0], block))
        scales[block.columns] = attribute_scale(moving, spread, settings)
    named = _parts(joint, columns, settings) + [(block.name, block.columns) for block in others]
    groups = []
    for name, places in named:
        mine = scales[places]
        count, energy, error = conditions(settings, len(columns), len(places))
        pca = principal.fit(columns[:, places] * mine, count=count, energy=energy, error=error, rng=rng)
        groups.append(group_of(name, places, mine, pca, settings.bits))
    shape = Shape(tuple(groups))
    return shape, shape.weights(columns)


def joined(blocks: list[Block], settings: Settings) -> tuple[list[Block], list[Block]]:
    """Split blocks into blocks that share modes with the positions, positions first, and blocks with separate modes."""
    joint = [block for block in blocks[1:] if block.name == "normals" and settings.normals == "joint"]
    return [blocks[0], *joint], [block for block in blocks[1:] if block not in joint]


def attribute_scale(moving: float, spread: float, settings: Settings) -> float:
    """Return the factor on normals next to positions, given the variances of both; 1 if either is constant."""
    # Normals have no unit of length: only their spread relative to the positions' can determine their weight.
    given = spread > 0.0 and moving > 0.0 and settings.attribute_weight > 0.0
    return settings.attribute_weight * float(np.sqrt(moving / spread)) if given else 1.0


def _parts(blocks: list[Block], columns: Floats, settings: Settings) -> list[tuple[str, Ints]]:
    """List the columns of the mesh, or of each of its parts (local principal components, Sattler 2004, §4.1)."""
    if settings.parts == 1:
        return [("mesh", np.concatenate([block.columns for block in blocks]))]
    positions = blocks[0].columns
    # Vertices are clustered by how the first twelve modes move them, scaled by the extent of that movement.
    fitted = principal.fit(columns[:, positions], count=min(12, len(columns)))
    modes = fitted.modes * np.sqrt(fitted.variances)[:, None]
    features = modes.reshape(len(modes), -1, 3).transpose(1, 0, 2).reshape(len(positions) // 3, -1)
    out = []
    for number, vertices in enumerate(like_rows(features, settings.parts)):
        places = [
            block.columns[0] + (vertices[:, None] * block.width + np.arange(block.width)).ravel() for block in blocks
        ]
        out.append((f"part {number + 1}", np.concatenate(places)))
    return out


def conditions(settings: Settings, frames: int, values: int) -> tuple[int | None, float | None, float | None]:
    """Return the number of modes, the fraction of variance or the error to keep; by default ten modes if possible."""
    count, energy, error = settings.components, settings.energy, settings.error
    if count is not None and count > min(frames, values):
        raise UsageError(
            f"{count} components were requested, but {frames} frames of {values} values have at most "
            f"{min(frames, values)}: request fewer"
        )
    if count is None and energy is None and error is None:
        count = min(COMPONENTS, frames, values)
    return count, energy, error


class Fidelity(NamedTuple):
    """Errors with `components` modes: per frame, and summed over frames as the paper prints them."""

    components: int
    position: float  # E(c) per frame
    velocity: float  # E*(c) as a ratio of sums
    printed_position: float
    printed_velocity: float


def position_error(true: Floats, restored: Floats) -> float:
    """Compute E per frame: the mean over frames of sum |p - p~| / sum |p| over vertices (Sattler 2004, eq. 12)."""
    return float(np.mean(_lengths(true - restored).sum(axis=1) / _lengths(true).sum(axis=1)))


def printed_position_error(true: Floats, restored: Floats) -> float:
    """Sum E as printed: over the frames 1 to l - 1, so it grows with the length (Sattler 2004, eq. 12)."""
    return float(np.sum(_lengths(true - restored)[1:-1].sum(axis=1) / _lengths(true)[1:-1].sum(axis=1)))


def velocity_error(true: Floats, restored: Floats) -> float:
    """Compute E* as a ratio of sums: sum |v - v~| / sum |v| over all vertices and frames (Sattler 2004, eq. 13).

    Departs from the paper, whose ratio per vertex is dominated by vertices that hardly move.
    """
    return float(_lengths(true - restored).sum() / max(float(_lengths(true).sum()), 1e-300))


def printed_velocity_error(true: Floats, restored: Floats) -> float:
    """Sum E* as printed: each vertex's ratio, averaged over vertices, summed over frames (Sattler 2004, eq. 13)."""
    speed = _lengths(true)[1:-1]
    # Vertices slower than a thousandth of the mean move only by rounding errors, so their ratios count as zero.
    moves = speed > 1e-3 * float(speed.mean())
    ratio = _lengths(true - restored)[1:-1] / np.where(moves, speed, 1.0)
    return float(np.where(moves, ratio, 0.0).mean(axis=1).sum())


def fidelity_table(positions: Floats, velocities: Floats, counts: Sequence[int]) -> list[Fidelity]:
    """Compute Table 2: errors by number of components, of positions and of velocities (frames, vertices, 3)."""
    flat, moving = positions.reshape(len(positions), -1), velocities.reshape(len(velocities), -1)
    most = min(max(counts), len(flat))
    # Modes are nested: one decomposition with the largest count serves all.
    shapes, speeds = principal.fit(flat, count=most), principal.fit(moving, count=most)
    out = []
    for count in counts:
        p, v = (
            principal.restore(pca, principal.project(pca, rows)[:, :count]).reshape(positions.shape)
            for pca, rows in ((shapes, flat), (speeds, moving))
        )
        errors = position_error(positions, p), velocity_error(velocities, v)
        out.append(
            Fidelity(count, *errors, printed_position_error(positions, p), printed_velocity_error(velocities, v))
        )
    return out


def eigenvalues(rows: Floats, count: int) -> Floats:
    """Compute variances of the first modes, for fig. 5."""
    return principal.fit(rows.reshape(len(rows), -1), count=min(count, len(rows))).variances


def _lengths(vectors: Floats) -> Floats:
    return np.asarray(np.linalg.norm(vectors, axis=-1))
