"""A simple body for skeletons that come without one: a spindle along every bone, carried by the joint it starts at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion import Skeleton
from freshtake.numeric.arrays import Floats, Ints

THICK, THINNEST, THICKEST = 0.16, 0.015, 0.09  # of a bone's length; metres
WAIST = 0.25  # where along the bone it is thickest
_FACES = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]]


class BoneMesh(NamedTuple):
    """Vertices (vertices, 3) in the rest pose around hips at the origin, triangles, and the joint of each vertex."""

    vertices: Floats
    faces: Ints
    joints: Ints


def bone_mesh(skeleton: Skeleton) -> BoneMesh:
    """Spindles between joints, and from joints to tips."""
    world = skeleton.offsets.copy()
    world[0] = 0.0
    parents = skeleton.parents.tolist()
    bones = []
    for joint, parent in enumerate(parents):
        if parent >= 0:
            world[joint] += world[parent]
            bones.append((parent, world[parent], world[joint]))
    bones += [(site.joint, world[site.joint], world[site.joint] + site.offset) for site in skeleton.end_sites]
    bones = [bone for bone in bones if np.linalg.norm(bone[2] - bone[1]) > 1e-6]
    vertices = [_spindle(start, end) for _, start, end in bones]
    faces = [np.array(_FACES) + 6 * k for k in range(len(bones))]
    joints = np.repeat([joint for joint, _, _ in bones], 6)
    return BoneMesh(np.concatenate(vertices), np.concatenate(faces), joints)


def _spindle(start: Floats, end: Floats) -> Floats:
    """Both ends and four points around the waist (6, 3)."""
    along = end - start
    length = float(np.linalg.norm(along))
    radius = float(np.clip(THICK * length, THINNEST, THICKEST))
    side = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    side *= radius / np.linalg.norm(side)
    other = np.cross(along, side) / length
    waist = start + WAIST * along
    return np.stack([start, waist + side, waist + other, waist - side, waist - other, end])
