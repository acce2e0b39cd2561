"""Joints given by matrices as a clip has them: places as they are, and the rotations nearest to the matrices."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.kinematics import local_rotations
from freshtake.numeric.rotations import from_matrix, inverse, rotate


def composed(local: Floats, parents: list[int], above: Floats | None = None) -> Floats:
    """World matrices (frames, joints, 4, 4) of local ones; `above` (frames, 4, 4) is what the root hangs on."""
    world = local.copy()
    for joint, parent in enumerate(parents):
        if parent >= 0:
            world[:, joint] = world[:, parent] @ world[:, joint]
        elif above is not None:
            world[:, joint] = above @ world[:, joint]
    return world


def scale_free(world: Floats, parents: list[int]) -> tuple[Floats, Floats]:
    """Translations (frames, joints, 3; the root's in the world) and local rotations (frames, joints, 4)."""
    turned = nearest_rotations(world[..., :3, :3])
    translations = world[..., :3, 3].copy()
    for joint, parent in enumerate(parents):
        if parent >= 0:
            from_parent = world[:, joint, :3, 3] - world[:, parent, :3, 3]
            translations[:, joint] = rotate(inverse(turned[:, parent]), from_parent)
    return translations, local_rotations(np.array(parents), turned)


def nearest_rotations(linear: Floats) -> Floats:
    """The rotations (..., 4) nearest to linear maps (..., 3, 3), without reflection."""
    u, _, vt = np.linalg.svd(np.nan_to_num(linear))
    mirrored = np.linalg.det(u @ vt) < 0
    u[mirrored, :, 2] *= -1.0
    return from_matrix(u @ vt)
