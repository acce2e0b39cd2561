"""Armatures made at random: bone roll, connected or not, every mode of rotation, moved and scaled objects."""

from __future__ import annotations

import hashlib

import bpy
import numpy as np
from addon.armature import actions
from mathutils import Vector

MODES = ("QUATERNION", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "AXIS_ANGLE")


def make_armature(rng: np.random.Generator, bones: int = 9, roots: int = 1, name: str = "figure") -> bpy.types.Object:
    """An armature object with bones all over the place."""
    thing = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.scene.collection.objects.link(thing)
    bpy.context.view_layer.objects.active = thing
    bpy.ops.object.mode_set(mode="EDIT")
    made = []
    for number in range(bones):
        bone = thing.data.edit_bones.new(f'bone "{number}"' if number == 3 else f"bone {number}")
        bone.head = Vector(rng.normal(size=3))
        if number >= roots:
            bone.parent = made[rng.integers(len(made))]
            bone.use_connect = bool(rng.random() < 0.5)
            if bone.use_connect:
                bone.head = bone.parent.tail
        bone.tail = Vector(np.array(bone.head) + rng.normal(size=3))
        bone.roll = float(rng.uniform(-3, 3))
        made.append(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    for number, bone in enumerate(thing.pose.bones):
        bone.rotation_mode = MODES[number % len(MODES)]
    return thing


def inherit_oddly(rng: np.random.Generator, thing: bpy.types.Object) -> None:
    """Bones that do not inherit rotation, or whose location is in the armature's axes."""
    for bone in thing.data.bones:
        bone.use_inherit_rotation = bool(rng.random() < 0.7)
        bone.use_local_location = bool(rng.random() < 0.7)
        bone.inherit_scale = str(rng.choice(["FULL", "NONE", "AVERAGE"]))


def make_action(
    rng: np.random.Generator, thing: bpy.types.Object, name: str, frames: int = 12, on_object: bool = False
) -> bpy.types.Action:
    """Smooth curves on all bones, by Blender's own keyframe_insert, and on the object if requested."""
    before = thing.animation_data.action if thing.animation_data else None
    actions.assign(thing, bpy.data.actions.new(name))
    waves = {bone.name: rng.normal(size=(2, 7)) for bone in thing.pose.bones}
    for frame in range(1, frames + 1):
        for bone in thing.pose.bones:
            slow, fast = waves[bone.name]
            values = slow * np.sin(0.4 * frame) + fast * np.cos(0.23 * frame)
            set_rotation(bone, values[:4], frame)
            bone.location = values[4:]
            bone.keyframe_insert("location", frame=frame)
        if on_object:
            thing.location = (0.2 * frame, np.sin(0.3 * frame), 0.1)
            thing.keyframe_insert("location", frame=frame)
            set_rotation(thing, [np.cos(0.1 * frame), 0.1, 0.05, np.sin(0.1 * frame)], frame)
    action = thing.animation_data.action
    if before is not None:
        actions.assign(thing, before)
    return action


def set_rotation(thing: object, values: np.ndarray, frame: int) -> None:
    if thing.rotation_mode == "QUATERNION":
        thing.rotation_quaternion = values
        thing.keyframe_insert("rotation_quaternion", frame=frame)
    elif thing.rotation_mode == "AXIS_ANGLE":
        thing.rotation_axis_angle = values
        thing.keyframe_insert("rotation_axis_angle", frame=frame)
    else:
        thing.rotation_euler = 2 * np.array(values[:3])
        thing.keyframe_insert("rotation_euler", frame=frame)


def seen(thing: bpy.types.Object, action: bpy.types.Action, frames: object) -> np.ndarray:
    """Where Blender itself has heads and tips of the bones (frames, bones, 2, 3), in the world."""
    actions.assign(thing, action)
    out = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame // 1), subframe=float(frame % 1))
        out.append([[thing.matrix_world @ bone.head, thing.matrix_world @ bone.tail] for bone in thing.pose.bones])
    return np.array(out)


def size_of(places: np.ndarray) -> float:
    return float(np.ptp(places.reshape(-1, 3), axis=0).max())


def key_bytes(figure, action) -> str:
    """A digest of all curves of an Action."""
    out = hashlib.sha256()
    for curve in actions.curves_of(action, figure):
        values = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get("co", values)
        out.update(f"{curve.data_path} {curve.array_index}".encode() + values.tobytes())
    return out.hexdigest()
