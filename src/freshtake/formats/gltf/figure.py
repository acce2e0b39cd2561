"""A visible figure for a clip without a character: an octahedral bone from every joint to each of its children."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.motion import Skeleton
from freshtake.motion.body import rest_positions
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import rotate, shortest_arc

_WAIST = 0.18  # where along a bone it is thickest
_THICK = 0.1  # half its width there, in lengths of the bone
# Unit bone along y: tail, four corners of the waist, tip; then the eight triangles, seen from outside.
_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1], [-1, 0, 0], [0, 0, -1], [0, 1, 0]], dtype=np.float64)
_TRIANGLES = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]])


class Figure(NamedTuple):
    """Flat-shaded triangles at rest: every vertex (n, 3) has a normal and one joint that carries it."""

    vertices: Floats
    normals: Floats
    joints: npt.NDArray[np.intp]
    faces: npt.NDArray[np.intp]


def bone_figure(skeleton: Skeleton) -> Figure:
    """Bones from every joint to its children and end sites; a small diamond where a joint has neither."""
    rest = rest_positions(skeleton) + skeleton.offsets[0]
    bones = [(int(parent), skeleton.offsets[j]) for j, parent in enumerate(skeleton.parents) if parent >= 0]
    bones += [(site.joint, np.array(site.offset)) for site in skeleton.end_sites]
    lengths = [float(np.linalg.norm(vector)) for _, vector in bones]
    longest = max(lengths, default=0.0) or 0.2
    vertices, owners = [], []
    for (joint, vector), length in zip(bones, lengths, strict=True):
        if length > 1e-4 * longest:
            vertices.append(rest[joint] + _bone(vector, length, 0.06 * longest))
            owners.append(joint)
    for joint in sorted(set(range(len(skeleton))) - set(owners)):
        vertices.append(rest[joint] + _diamond(0.1 * longest))
        owners.append(joint)
    corners = np.array(vertices)[:, _TRIANGLES].reshape(-1, 3, 3)  # (triangles, corners, 3)
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing /= np.linalg.norm(facing, axis=-1, keepdims=True)
    flat = corners.reshape(-1, 3)
    joints = np.repeat(np.array(owners), _TRIANGLES.size)
    return Figure(flat, np.repeat(facing, 3, axis=0), joints, np.arange(len(flat)))


def _bone(vector: Floats, length: float, least: float) -> Floats:
    """The unit bone stretched along a vector, at least `least` thick unless that would make it a disk."""
    half = max(_THICK * length, min(least / 2, 0.4 * length))
    shape = _CORNERS * np.array([half, length, half])
    shape[1:5, 1] = _WAIST * length
    turn = shortest_arc(np.array([0.0, 1.0, 0.0]), vector / length)
    return rotate(turn, shape)


def _diamond(size: float) -> Floats:
    shape = _CORNERS * np.array([size / 2, size, size / 2])
    shape[1:5, 1] = size / 2
    return np.asarray(shape - np.array([0.0, size / 2, 0.0]))
