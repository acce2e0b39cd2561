"""Principal components of mesh sequences too large for double precision, a few vertices at a time (Sattler 2004, §2).

All frames of a few vertices are processed together. The inner products of the frames, summed over all vertices, have
the same eigenvectors as the frames, so the result is exact. Only the sequence itself, in single precision, has to fit
into memory.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import MeshSequence
from freshtake.motion.features.angles import Path, ground_of, rates, set_ground, turned_back
from freshtake.motion.features.mesh_features import MeshLayout, mesh_layout
from freshtake.motion.features.point_features import centered_plan
from freshtake.numeric.arrays import Floats
from freshtake.numeric.pca import Pca, kept_modes
from freshtake.texture.examples import Described, central_velocities
from freshtake.texture.frame_distance import Segments, Weights
from freshtake.texture.mesh_compression import Block, attribute_scale, blocks_of, conditions, joined
from freshtake.texture.settings import Settings
from freshtake.texture.shape import Group, Shape, group_of, mesh_recipe

LARGE = 1 << 26  # numbers: larger sequences are processed a few vertices at a time; half a gigabyte as float64
AT_ONCE = 1 << 22  # numbers processed together
PLANS = 32  # frames whose mean is the reference of headings


def is_large(motions: Sequence[object]) -> bool:
    """Return whether all motions are meshes that are together too large for double precision."""
    meshes = [motion for motion in motions if isinstance(motion, MeshSequence)]
    frames = sum(len(mesh) for mesh in meshes)
    numbers = sum(mesh.vertices.size for mesh in meshes)
    # The matrix of inner products must be smaller than the sequence.
    return len(meshes) == len(motions) and numbers >= LARGE and 4 * frames * frames <= numbers


@dataclass(frozen=True)
class _Large:
    """Meshes with one connectivity and their placement in each frame; `path` is None if travel is not removed."""

    meshes: Sequence[MeshSequence]
    layout: MeshLayout
    path: Sequence[Path | None]

    def columns(self, block: Block, vertices: slice) -> Floats:
        """Return positions, normals or an attribute of some vertices relative to the body (all frames, values)."""
        parts = []
        for mesh, path in zip(self.meshes, self.path, strict=True):
            vectors = {"positions": mesh.vertices, "normals": mesh.normals}
            source = vectors.get(block.name, mesh.attributes.get(block.name))
            part = np.asarray(source)[:, vertices].astype(np.float64)
            if path is not None and block.name in vectors:
                if block.name == "positions":
                    set_ground(part, ground_of(part, self.layout.up) - path.ground[:, None], self.layout.up)
                part = turned_back(part, path.heading, self.layout.up)
            parts.append(part.reshape(len(part), -1))
        return np.concatenate(parts)

    def speeds(self, vertices: slice, still_ends: bool) -> Floats:
        """Return world velocities, rotated into the heading, of some vertices (all frames, values)."""
        parts = []
        for mesh, path in zip(self.meshes, self.path, strict=True):
            part = central_velocities(mesh.vertices[:, vertices].astype(np.float64), still_ends)
            if path is not None:
                part = turned_back(part, path.heading, self.layout.up)
            parts.append(part.reshape(len(part), -1))
        return np.concatenate(parts)

    def slices(self) -> Iterator[slice]:
        """Yield batches of vertices that are processed together."""
        frames = sum(len(mesh) for mesh in self.meshes)
        step = max(1, AT_ONCE // (3 * frames))
        for first in range(0, self.layout.vertex_count, step):
            yield slice(first, min(first + step, self.layout.vertex_count))


def describe_large(meshes: Sequence[MeshSequence], segments: Segments, settings: Settings) -> Described:
    """Return rows, modes and mode weights of large meshes with one connectivity."""
    if settings.parts > 1:
        raise UsageError("a mesh of this size cannot have parts with separate modes: omit parts, or use fewer frames")
    large = _located(meshes, settings)
    blocks = blocks_of(large.layout)
    inner = {block.name: _inner_products(large, partial(large.columns, block))[0] for block in blocks}
    shape = Shape(tuple(_groups(large, blocks, inner, settings)))
    rows = _nearest(large, blocks, shape)
    ground = [np.zeros((0, 3)) if path is None else rates(path, large.layout.frame_time) for path in large.path]
    if large.layout.root == "heading":
        rows = np.concatenate([np.concatenate(ground), rows], axis=1)
    weights = _weights(large, inner["positions"], settings)
    return Described(mesh_recipe(large.layout, shape), shape, rows, weights, segments, large.layout.frame_time)


def _located(meshes: Sequence[MeshSequence], settings: Settings) -> _Large:
    """Find each frame's position and heading relative to the mean ground plan of a few frames."""
    some = []
    for mesh in meshes:
        few = slice(None, None, -(-len(mesh) // PLANS))
        changing = {name: v[few] if v.ndim == 3 else v for name, v in mesh.attributes.items()}
        normals = None if mesh.normals is None else mesh.normals[few]
        some.append(replace(mesh, vertices=mesh.vertices[few], normals=normals, attributes=changing))
    layout = mesh_layout(some, settings.root or "heading")
    if layout.root != "heading":
        return _Large(meshes, layout, [None] * len(meshes))
    paths = []
    for mesh in meshes:
        centers, turns = [], []
        for first in range(0, len(mesh), PLANS):
            plan, center = centered_plan(mesh.vertices[first : first + PLANS].astype(np.float64), layout.up)
            centers.append(center)
            turns.append(np.angle(plan @ layout.plan.conj()))
        paths.append(Path(np.concatenate(centers), np.unwrap(np.concatenate(turns))))
    return _Large(meshes, layout, paths)


def _inner_products(large: _Large, values: Callable[[slice], Floats]) -> tuple[Floats, Floats]:
    """Return the inner products of all frames minus their mean (frames, frames), and with the mean (frames,)."""
    frames = sum(len(mesh) for mesh in large.meshes)
    total, with_mean = np.zeros((frames, frames)), np.zeros(frames)
    for vertices in large.slices():
        part = values(vertices)
        mean = part.mean(axis=0)
        part -= mean
        total += part @ part.T
        with_mean += part @ mean
    return total, with_mean


def _groups(large: _Large, blocks: list[Block], inner: dict[str, Floats], settings: Settings) -> Iterator[Group]:
    """Yield the groups that `mesh_compression` would make of smaller meshes."""
    joint, others = joined(blocks, settings)
    scales = dict.fromkeys(inner, 1.0)
    for block in joint[1:]:
        moving, spread = (float(np.trace(inner[some.name])) for some in (joint[0], block))
        scales[block.name] = attribute_scale(moving, spread, settings)
    for together in (joint, *([block] for block in others)):
        width = sum(len(block.columns) for block in together)
        products = sum(scales[block.name] ** 2 * inner[block.name] for block in together)
        count, energy, error = conditions(settings, len(inner["positions"]), width)
        modes_of, variances, total = kept_modes(np.asarray(products), width, count, energy, error)
        mean, modes = np.empty(width), np.empty((len(variances), width))
        at = 0
        for block in together:
            for vertices in large.slices():
                part = large.columns(block, vertices) * scales[block.name]
                place = slice(at, at + part.shape[1])
                mean[place] = part.mean(axis=0)
                modes[:, place] = modes_of @ (part - mean[place])
                at = place.stop
        columns = np.concatenate([block.columns for block in together])
        each = np.concatenate([np.full(len(block.columns), scales[block.name]) for block in together])
        name = "mesh" if together is joint else together[0].name
        yield group_of(name, columns, each, Pca(mean, modes, variances, total), settings.bits)


def _nearest(large: _Large, blocks: list[Block], shape: Shape) -> Floats:
    """Return the weights (frames, width) that restore the frames best, since stored modes are rounded."""
    parts = []
    for group in shape.groups:
        scales = group.scales.astype(np.float64)
        modes, mean = group.modes.astype(np.float64) * scales, group.mean.astype(np.float64) * scales
        right, at = np.zeros((len(modes), sum(len(mesh) for mesh in large.meshes))), 0
        for block in blocks:
            if block.columns[0] not in group.columns:
                continue
            for vertices in large.slices():
                part = large.columns(block, vertices)
                place = slice(at, at + part.shape[1])
                right += modes[:, place] @ (part * scales[place] - mean[place]).T
                at = place.stop
        parts.append(np.linalg.solve(modes @ modes.T, right).T if len(modes) else np.zeros((right.shape[1], 0)))
    return np.concatenate(parts, axis=1)


def _weights(large: _Large, positions: Floats, settings: Settings) -> Weights:
    """Return the mode weights by which frames are compared: of positions, and of velocities relative to zero."""
    share = 1.0 / large.layout.vertex_count  # a squared distance is the mean square over the body
    width = 3 * large.layout.vertex_count
    still, moving = settings.compared
    modes_of, _, _ = kept_modes(positions * share, width, min(still, len(positions)))
    speeds, mean = _inner_products(large, lambda vertices: large.speeds(vertices, settings.method == "paper"))
    speed_modes_of, _, _ = kept_modes(speeds * share, width, min(moving, len(speeds)))
    # Adding back the products with the mean makes weights relative to zero, as in `Weights`.
    velocities = (speeds + mean[None]) * share @ speed_modes_of.T
    poses = positions * share @ modes_of.T
    return Weights(*(x if x.shape[1] else np.zeros((len(x), 1)) for x in (poses, velocities)))
