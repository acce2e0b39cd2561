"""The data of a model: takes as rows for decoding, and as poses and velocities for comparing frames.

Central velocities of every vertex, joint or point (Sattler 2004, eq. 4).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip, MeshSequence, Stroke
from freshtake.motion.features import Recipe, encode, recipe
from freshtake.motion.features.angles import Path, turned_back
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.features.coding import Layout
from freshtake.motion.features.mesh_features import MeshLayout
from freshtake.motion.features.point_features import placed
from freshtake.motion.validation import frozen
from freshtake.numeric.arrays import Floats
from freshtake.texture.frame_distance import Segments, Weights, laid_out
from freshtake.texture.settings import Settings
from freshtake.texture.shape import Shape


def central_velocities(positions: Floats, still_ends: bool = False) -> Floats:
    """Return half the difference between each frame's neighbours in time, (frames, ...) (Sattler 2004, eq. 4).

    Departs from the paper at the ends, unless `still_ends`: one-sided differences are used, because the paper's zero
    is unlike any moving frame.
    """
    if len(positions) < 2:
        return np.zeros_like(positions)
    out = np.asarray(np.gradient(positions, axis=0))
    if still_ends:
        out[[0, -1]] = 0.0
    return out


def body_velocities(local: Floats, path: Path | None, up: str, still_ends: bool = False) -> Floats:
    """Compute world velocities, rotated into the heading, of points (frames, points, 3) relative to the body."""
    if path is None:
        return central_velocities(local, still_ends)
    # A planted foot has no velocity in world space, but it moves relative to the body.
    world = placed(local, path, up)
    return turned_back(central_velocities(world, still_ends), path.heading, up)


class Material(NamedTuple):
    """Rows (frames, columns) of all takes, concatenated, and the same frames as points.

    `rows` are the columns of the recipe, the root's rates first; `poses` are points relative to the body and
    `velocities` their world velocities (frames, values), scaled so that a squared distance is the mean square over the
    body, in the takes' unit of length.
    """

    rows: Floats
    poses: Floats
    velocities: Floats
    segments: Segments
    frame_time: float
    recipe: Recipe | None


class Described(NamedTuple):
    """Takes as stored in a model: `rows` (frames, columns), and `weights` by which frames are compared."""

    recipe: Recipe | None
    shape: Shape | None
    rows: Floats
    weights: Weights
    segments: Segments
    frame_time: float


@dataclass(frozen=True)
class Takes:
    """Motions, and the cell name of each."""

    motions: list[Any]
    cells: list[str]


def takes_of(given: Any) -> Takes:
    """List the takes, given as one motion, a sequence of motions, or motions by cell name."""
    if isinstance(given, Takes):
        return given
    sets = given if isinstance(given, dict) else {"all": given}
    listed = {name: list(some) if isinstance(some, (list, tuple)) else [some] for name, some in sets.items()}
    for name, motions in listed.items():
        if not motions and isinstance(given, dict):
            raise UsageError(f"the cell {name!r} has no takes")
    if not any(listed.values()):
        raise UsageError("there are no takes to learn from: give at least one")
    return Takes(
        [motion for motions in listed.values() for motion in motions],
        [str(name) for name, motions in listed.items() for _ in motions],
    )


def segments_of(takes: Takes) -> Segments:
    """Return the boundaries of the concatenated takes; refuse single-frame takes."""
    for number, motion in enumerate(takes.motions):
        if len(motion) < 2:
            name = getattr(motion, "name", "") or f"take {number + 1}"
            raise UsageError(f"{name} has one frame: a texture needs takes of at least 2 frames")
    return laid_out([len(motion) for motion in takes.motions], takes.cells)


def material_of(given: Any, settings: Settings, frame_time: float | None = None) -> Material:
    """Convert takes (motions, or plain arrays (frames, values) with a frame time) to rows and points."""
    takes, still_ends = takes_of(given), settings.method == "paper"
    segments = segments_of(takes)
    if any(isinstance(motion, np.ndarray) for motion in takes.motions):
        return _from_arrays(takes.motions, segments, frame_time, still_ends)
    coding = _recipe(takes.motions, settings.root)
    rows = np.concatenate([encode(coding, motion).values for motion in takes.motions])
    poses, speeds = zip(*(_points(coding, motion, still_ends) for motion in takes.motions), strict=True)
    weights = _point_weights(coding.layout, poses[0].shape[1])
    return Material(rows, _flat(poses, weights), _flat(speeds, weights), segments, coding.frame_time, coding)


def _recipe(motions: Sequence[Any], root: str | None) -> Recipe:
    """Return a recipe that keeps columns unchanged, except a clip's rotations, which are vectors about their mean."""
    first = motions[0]
    if isinstance(first, Clip):
        return recipe(motions, angles="expmap", root=root or "heading", scale="none", drop_constant=False)
    if isinstance(first, Stroke):
        if root not in (None, "absolute"):
            raise UsageError(f"strokes have no root={root!r}: use absolute")
        return recipe(motions, scale="none", drop_constant=False)
    check_meshes(motions)
    return recipe(motions, root=root or "heading", scale="none", drop_constant=False)


def check_meshes(motions: Sequence[Any]) -> None:
    """Refuse meshes with different connectivity."""
    meshes = [motion for motion in motions if isinstance(motion, MeshSequence)]
    for mesh in meshes[1:]:
        first = meshes[0]
        if mesh.vertices.shape[1] != first.vertices.shape[1] or not np.array_equal(mesh.faces, first.faces):
            names = f"{mesh.name or 'a take'} and {first.name or 'the first'}"
            raise UsageError(f"{names} have different vertices or faces: a texture needs equal connectivity")


def _points(coding: Recipe, motion: Any, still_ends: bool) -> tuple[Floats, Floats]:
    """Return points relative to the body (frames, points, 3), and their central velocities."""
    layout = coding.layout
    columns, start = layout.encode(motion)
    path: Path | None = layout.path(columns, start) if layout.root == "heading" else None
    if isinstance(layout, ClipLayout):
        local = layout.points(columns)
    elif isinstance(motion, Stroke):
        local = motion.points[:, :, None]
    else:
        at = 3 if layout.root == "heading" else 0
        count = layout.vertex_count if isinstance(layout, MeshLayout) else len(layout.names()[at:]) // 3
        local = columns[:, at : at + 3 * count].reshape(len(columns), count, 3)
    return local, body_velocities(local, path, getattr(layout, "up", "y"), still_ends)


def _point_weights(layout: Layout, count: int) -> Floats:
    """Compute the weight of each point (points,): in a skeleton by bone length, otherwise equal."""
    if isinstance(layout, ClipLayout):
        tips = [float(np.linalg.norm(site.offset)) for site in layout.skeleton.end_sites]
        lengths = np.concatenate([layout.skeleton.lengths(), tips])
        lengths[0] = 0.0  # no bone ends at the root
        if lengths.sum() > 0.0:
            return np.asarray(lengths / lengths.sum())
    return np.full(count, 1.0 / count)


def _flat(points: Sequence[Floats], weights: Floats) -> Floats:
    # Return square roots of the weights, so that squared distances are weighted by the weights themselves.
    rows = np.concatenate(points) * np.sqrt(weights)[:, None]
    return rows.reshape(len(rows), -1)


def _from_arrays(arrays: Sequence[Any], segments: Segments, frame_time: float | None, still_ends: bool) -> Material:
    rows = [frozen(x, f"take {k + 1}", (None, None)) for k, x in enumerate(arrays)]
    if len({x.shape[1] for x in rows}) > 1:
        raise UsageError(f"the takes have different numbers of columns: {sorted({x.shape[1] for x in rows})}")
    scale = rows[0].shape[1] ** -0.5
    poses = np.concatenate(rows) * scale
    speeds = np.concatenate([central_velocities(x, still_ends) for x in rows]) * scale
    return Material(np.concatenate(rows), poses, speeds, segments, frame_time or 1.0, None)
