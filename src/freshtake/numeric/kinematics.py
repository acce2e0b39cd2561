"""Forward kinematics over all joints of one depth at a time."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import multiply, rotate


class WorldPose(NamedTuple):
    """Positions (frames, joints, 3) and rotations (frames, joints, 4) in the world.

    p[j] = p[parent] + R[parent] t[j],  R[j] = R[parent] r[j]
    """

    positions: Floats
    rotations: Floats


def forward(parents: Ints, translations: Floats, rotations: Floats) -> WorldPose:
    """Compute the world pose from local translations (frames, joints, 3) and unit quaternions (frames, joints, 4).

    The root is the joint whose parent is -1; its translation is its place in the world.
    """
    positions = np.array(np.broadcast_to(translations, (*rotations.shape[:-1], 3)))
    turned = rotations.copy()
    for joints, above in levels(tuple(parents.tolist())):
        base = turned[..., above, :]
        positions[..., joints, :] = positions[..., above, :] + rotate(base, positions[..., joints, :])
        turned[..., joints, :] = multiply(base, turned[..., joints, :])
    return WorldPose(positions, turned)


def local_rotations(parents: Ints, world: Floats) -> Floats:
    """Convert world rotations (frames, joints, 4) back to local ones."""
    out = world.copy()
    children = np.flatnonzero(parents >= 0)
    conjugate = world[..., parents[children], :] * np.array([1.0, -1.0, -1.0, -1.0])
    out[..., children, :] = multiply(conjugate, world[..., children, :])
    return out


@lru_cache(maxsize=64)
def levels(parents: tuple[int, ...]) -> tuple[tuple[Ints, Ints], ...]:
    """Return joints grouped by depth, with their parents; the roots (depth 0) are left out."""
    depth = [0] * len(parents)
    for joint, parent in enumerate(parents):
        depth[joint] = 0 if parent < 0 else depth[parent] + 1
    groups = []
    for level in range(1, max(depth, default=0) + 1):
        joints = np.array([j for j, d in enumerate(depth) if d == level], dtype=np.intp)
        groups.append((joints, np.array([parents[j] for j in joints], dtype=np.intp)))
    return tuple(groups)
