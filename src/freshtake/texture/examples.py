"""The data of a model: takes as rows for decoding, and as poses and velocities for comparing frames.

Central velocities of every vertex, joint or point (Sattler 2004, eq. 4).
"""

from __future__ import annotations

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
    """Return half the difference of the frames after and before each, (frames, ...) (Sattler 2004, eq. 4).

    Departs from the paper at the ends, unless `still_ends`: one-sided, where the paper sets zero, unlike any moving
    frame.
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
    # In world space a standing foot has no velocity; relative to the body it does.
    world = placed(local, path, up)
    return turned_back(central_velocities(world, still_ends), path.heading, up)


class Material(NamedTuple):
    """Rows (frames, columns) of all takes, concatenated, and the same frames as points.

    `rows` are the columns of the recipe (for a mesh all of them, the root's rates first); `poses` are points relative
    to the body and `velocities` their world velocities (frames, values), scaled so that a squared distance is the mean
    square over the body, in the takes' unit of length.
    """

    rows: Floats
    poses: Floats
    velocities: Floats
    segments: Segments
    frame_time: float
    recipe: Recipe | None


class Described(NamedTuple):
    """Takes as stored in a model: `rows` (frames, columns), for meshes weights of the modes in `shape`.

    Frames are compared by `weights`.
    """

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
    if isinstance(given, dict):
        pairs = [(str(name), motion) for name, some in given.items() for motion in _listed(some)]
        empty = [name for name, some in given.items() if not _listed(some)]
        if empty:
            raise UsageError(f"the cell {empty[0]!r} has no takes")
    else:
        pairs = [("all", motion) for motion in _listed(given)]
    if not pairs:
        raise UsageError("there are no takes to learn from: give at least one")
    return Takes([motion for _, motion in pairs], [name for name, _ in pairs])


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, (list, tuple)) else [given]


def segments_of(takes: Takes) -> Segments:
    """Return the boundaries of the concatenated takes; refuse single-frame takes."""
    for number, motion in enumerate(takes.motions):
        if len(motion) < 2:
            name = getattr(motion, "name", "") or f"take {number + 1}"
            raise UsageError(f"{name} has one frame: a texture needs takes of at least 2 frames")
    return laid_out([len(motion) for motion in takes.motions], takes.cells)


def material_of(given: Any, settings: Settings, frame_time: float | None = None) -> Material:
    """Convert takes (motions, or plain arrays (frames, values) with a frame time) to rows and points."""
    takes = takes_of(given)
    segments = segments_of(takes)
    if any(isinstance(motion, np.ndarray) for motion in takes.motions):
        return _from_arrays(takes.motions, segments, frame_time, settings.method == "paper")
    coding = _recipe(takes.motions, settings.root)
    rows, poses, speeds = [], [], []
    for motion in takes.motions:
        rows.append(encode(coding, motion).values)
        pose, speed = _points(coding, motion, settings.method == "paper")
        poses.append(pose)
        speeds.append(speed)
    weights = _point_weights(coding.layout, poses[0].shape[1])
    return Material(
        np.concatenate(rows),
        _flat(poses, weights),
        _flat(speeds, weights),
        segments,
        coding.frame_time,
        coding,
    )


def _recipe(motions: Sequence[Any], root: str | None) -> Recipe:
    """Keep columns unchanged, but a clip's rotations as vectors about their mean."""
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
    first = motions[0]
    for motion in motions[1:]:
        if isinstance(first, MeshSequence) and isinstance(motion, MeshSequence):
            same = motion.vertices.shape[1] == first.vertices.shape[1] and np.array_equal(motion.faces, first.faces)
            if not same:
                names = f"{motion.name or 'a take'} and {first.name or 'the first'}"
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
        # No bone ends at the root.
        lengths[0] = 0.0
        if lengths.sum() > 0.0:
            return np.asarray(lengths / lengths.sum())
    return np.full(count, 1.0 / count)


def _flat(points: Sequence[Floats], weights: Floats) -> Floats:
    # Square roots of the weights, so that squared distances are weighted by the weights themselves.
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
