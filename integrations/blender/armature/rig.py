# SPDX-License-Identifier: GPL-3.0-or-later
"""Rig: an armature at rest, as arrays, and how its bones inherit from their parents.

The space of motions ("motion space") is the armature's space, turned upright (z up) by the multiple of
a quarter turn nearest to the object's rotation, and scaled as the object is. The object keeps its position
and heading, so takes of two characters side by side look the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .rotations import matrices_of, rotation_path

OBJECT = "(object)"  # the joint that represents the object itself, above the bones


class Inherits(NamedTuple):
    """What a bone inherits from its parent, and whether it is connected to the parent's tip."""

    connected: bool = False
    rotation: bool = True
    scale: str = "FULL"
    local_location: bool = True


class Rig(NamedTuple):
    """Bones, parents first: names, parents, rest matrices (bones, 4, 4) in armature space, rotation modes.

    `locations`, `rotations` (matrices) and `scales` are the current pose, for channels that no Action has.
    `upright` (3, 3) and `scale` convert armature space to motion space. `tips` are bones without children, with the
    vector from head to tail at rest, in armature space.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    rest: np.ndarray
    modes: tuple[str, ...]
    inherits: tuple[Inherits, ...]
    locations: np.ndarray
    rotations: np.ndarray
    scales: np.ndarray
    upright: np.ndarray
    scale: float
    tips: tuple[tuple[int, np.ndarray], ...]

    def size(self) -> float:
        """Return the largest extent of the heads at rest, in motion space."""
        heads = self.rest[:, :3, 3]
        return float(max(np.ptp(heads, axis=0).max() * self.scale, 1e-9))

    def several_roots(self) -> bool:
        """Whether more than one bone has no parent, so a joint above them is needed."""
        return sum(parent < 0 for parent in self.parents) != 1


def read_rig(thing: Any) -> Rig:
    """Return the rig of an armature object."""
    bones = _depth_first(list(thing.pose.bones))
    order = {bone.name: number for number, bone in enumerate(bones)}
    scale = float(np.abs(np.prod(np.array(thing.scale))) ** (1 / 3)) or 1.0
    return Rig(
        tuple(bone.name for bone in bones),
        tuple(order[bone.parent.name] if bone.parent else -1 for bone in bones),
        np.array([bone.bone.matrix_local for bone in bones], dtype=np.float64).reshape(-1, 4, 4),
        tuple(bone.rotation_mode for bone in bones),
        tuple(_inherits(bone.bone) for bone in bones),
        np.array([bone.location for bone in bones], dtype=np.float64).reshape(-1, 3),
        np.array([_rotation_now(bone) for bone in bones]).reshape(-1, 3, 3),
        np.array([bone.scale for bone in bones], dtype=np.float64).reshape(-1, 3),
        nearest_upright(_rotation_now(thing)),
        scale,
        tuple((order[bone.name], _way(bone.bone)) for bone in bones if not bone.children),
    )


def _depth_first(bones: Any) -> list[Any]:
    """Return bones with parents before children and each limb's bones together, as motion files list them."""
    out: list[Any] = []
    stack = [bone for bone in reversed(bones) if bone.parent is None]
    while stack:
        bone = stack.pop()
        out.append(bone)
        stack.extend(reversed(bone.children))
    return out


def _way(bone: Any) -> np.ndarray:
    return np.array(bone.tail_local - bone.head_local, dtype=np.float64)


def _inherits(bone: Any) -> Inherits:
    return Inherits(
        bool(bone.use_connect and bone.parent), bool(bone.use_inherit_rotation), bone.inherit_scale,
        bool(bone.use_local_location),
    )  # fmt: skip


def _rotation_now(thing: Any) -> np.ndarray:
    """Return the rotation of a pose bone or object, from the channels of its mode."""
    channels = np.array(getattr(thing, rotation_path(thing.rotation_mode)), dtype=np.float64)
    return matrices_of(channels[None], thing.rotation_mode)[0]


def nearest_upright(rotation: np.ndarray) -> np.ndarray:
    """Return the quarter turns that bring up the armature axis that the object points most upwards."""
    seen = rotation[2]  # how far each axis of the armature points up
    axis = int(np.argmax(np.abs(seen) + np.array([1e-6, 0.0, 2e-6])))
    sign = 1.0 if seen[axis] >= 0 else -1.0
    if axis == 2:
        return np.eye(3) if sign > 0 else np.diag([1.0, -1.0, -1.0])
    out = np.zeros((3, 3))
    if axis == 1:  # about x: y goes up
        out[0, 0], out[2, 1], out[1, 2] = 1.0, sign, -sign
    else:  # about y: x goes up
        out[1, 1], out[2, 0], out[0, 2] = 1.0, sign, -sign
    return out
