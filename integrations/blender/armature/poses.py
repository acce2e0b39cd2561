# SPDX-License-Identifier: GPL-3.0-or-later
"""Bone channels to poses in armature space and back, as Blender composes them. Arrays only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .rig import Inherits, Rig


class Space(NamedTuple):
    """The spaces of a bone's channels: rotation and scale (frames, 3, 3), location (frames, 4, 4)."""

    turn: np.ndarray
    place: np.ndarray


def bone_space(rig: Rig, bone: int, poses: np.ndarray) -> Space:
    """Return the space of a bone from the pose matrices (frames, bones, 4, 4) of those before it."""
    parent, how = rig.parents[bone], rig.inherits[bone]
    frames = len(poses)
    if parent < 0:
        place = np.broadcast_to(rig.rest[bone], (frames, 4, 4))
        if not how.local_location:
            place = np.broadcast_to(_placed(np.eye(3), rig.rest[bone][:3, 3]), (frames, 4, 4))
        return Space(np.broadcast_to(rig.rest[bone][:3, :3], (frames, 3, 3)), place)
    offset = np.linalg.inv(rig.rest[parent]) @ rig.rest[bone]
    above = poses[:, parent]
    place = above @ offset
    if not how.local_location:
        place = _placed(above[:, :3, :3], place[:, :3, 3])
    return Space(_taken_over(above[:, :3, :3], rig.rest[parent][:3, :3], how) @ offset[:3, :3], place)


def _taken_over(above: np.ndarray, rest: np.ndarray, how: Inherits) -> np.ndarray:
    """Return the part of a parent's rotation and scale that a bone inherits (frames, 3, 3)."""
    if how.rotation and how.scale in ("FULL", "FIX_SHEAR"):
        return above
    turn, stretch = rotation_and_stretch(above)
    base = turn if how.rotation else np.broadcast_to(rest, above.shape)
    if how.scale == "AVERAGE":
        return base * np.cbrt(np.abs(np.linalg.det(above)))[:, None, None]
    if how.scale in ("FULL", "FIX_SHEAR", "ALIGNED"):
        return base @ stretch
    return base


def rotation_and_stretch(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the nearest rotation and the stretch applied before it (polar decomposition)."""
    left, sizes, right = np.linalg.svd(matrices)
    sign = np.linalg.det(left @ right)
    left = left.copy()
    left[..., :, 2] *= sign[..., None]
    sizes = sizes.copy()
    sizes[..., 2] *= sign
    return left @ right, np.swapaxes(right, -1, -2) @ (sizes[..., :, None] * right)


def rotation_of(matrices: np.ndarray) -> np.ndarray:
    """Return the rotation in a matrix that may also scale."""
    gram = np.swapaxes(matrices, -1, -2) @ matrices
    if np.abs(gram - np.eye(3)).max(initial=0.0) < 1e-4:  # only rounding errors: one Newton step is enough
        return matrices @ (1.5 * np.eye(3) - 0.5 * gram)
    return rotation_and_stretch(matrices)[0]


def pose_bone(
    rig: Rig, bone: int, poses: np.ndarray, location: np.ndarray, turn: np.ndarray, scale: np.ndarray
) -> None:
    """Write a bone's pose (frames, 4, 4) from its channels."""
    space = bone_space(rig, bone, poses)
    poses[:, bone, :3, :3] = space.turn @ turn @ _diagonal(scale)
    moved = np.zeros_like(location) if rig.inherits[bone].connected else location
    poses[:, bone, :3, 3] = np.einsum("fij,fj->fi", space.place[:, :3, :3], moved) + space.place[:, :3, 3]
    poses[:, bone, 3] = (0.0, 0.0, 0.0, 1.0)


def solve_bone(
    rig: Rig, bone: int, poses: np.ndarray, turn: np.ndarray, head: np.ndarray, scale: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return location and rotation channels (as matrices) that give a bone this rotation and head; writes its pose.

    `turn` (frames, 3, 3) and `head` (frames, 3) are in armature space. A connected bone's head stays where it is.
    """
    space = bone_space(rig, bone, poses)
    own = rotation_of(np.swapaxes(rotation_of(space.turn), -1, -2) @ turn)
    location = np.linalg.solve(space.place[:, :3, :3], (head - space.place[:, :3, 3])[..., None])[..., 0]
    if rig.inherits[bone].connected:
        location = np.zeros_like(location)
    pose_bone(rig, bone, poses, location, own, scale)
    return location, own


def empty_poses(rig: Rig, frames: int) -> np.ndarray:
    """Return empty pose matrices."""
    return np.zeros((frames, len(rig.names), 4, 4))


def _diagonal(scale: np.ndarray) -> np.ndarray:
    out = np.zeros((*scale.shape[:-1], 3, 3))
    for axis in range(3):
        out[..., axis, axis] = scale[..., axis]
    return out


def _placed(turn: np.ndarray, place: np.ndarray) -> np.ndarray:
    out = np.zeros((*place.shape[:-1], 4, 4))
    out[..., :3, :3], out[..., :3, 3], out[..., 3, 3] = turn, place, 1.0
    return out
