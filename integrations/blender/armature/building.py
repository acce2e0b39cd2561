# SPDX-License-Identifier: GPL-3.0-or-later
"""Build a new armature for a motion: a bone per joint, and a plain body of solids to show it."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from .motion import Motion

SHORTEST = 0.02  # body sizes: Blender drops zero-length bones
WIDTH, ROUND = 0.16, 0.4  # of a bone's length: limbs, and long last bones such as the head
MANY, LONG = 8, 0.08  # bones below those of the trunk; body sizes above which a last bone is long
THIN, THICK = 0.012, 0.055  # body sizes between which solids are wide


def build_armature(motion: Motion, name: str) -> Any:
    """Return an armature object whose bone heads are at the joints' rest positions."""
    thing = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.collection.objects.link(thing)
    bpy.context.view_layer.objects.active = thing
    bpy.ops.object.mode_set(mode="EDIT")
    heads, tails = _ends(motion)
    bones: list[Any] = []
    for joint, parent in enumerate(motion.parents):
        bone = thing.data.edit_bones.new(motion.names[joint])
        bone.head, bone.tail = Vector(heads[joint]), Vector(tails[joint])
        bone.parent = bones[parent] if parent >= 0 else None
        bones.append(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    return thing


def _ends(motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    """Return heads and tails (joints, 3) at rest: towards the children, the tip, or away from the parent."""
    heads = motion.offsets.copy()
    for joint, parent in enumerate(motion.parents):
        if parent >= 0:
            heads[joint] += heads[parent]
    size = float(np.ptp(heads, axis=0).max())
    tips = {joint: np.array(way) for joint, way, _ in motion.tips}
    tails = heads.copy()
    for joint in range(len(heads)):
        below = [heads[child] for child, parent in enumerate(motion.parents) if parent == joint]
        far = [head for head in below if np.linalg.norm(head - heads[joint]) > SHORTEST * size]
        way = np.mean(far, axis=0) - heads[joint] if far else tips.get(joint, motion.offsets[joint])
        length = float(np.linalg.norm(way))
        if length < SHORTEST * size:
            way = np.array([0.0, 0.0, SHORTEST * size]) if length == 0 else way * SHORTEST * size / length
        tails[joint] = heads[joint] + way
    return heads, tails


def build_body(thing: Any, name: str, color: tuple[float, float, float, float]) -> Any:
    """Return a mesh with one solid per bone, moved by the armature."""
    places, faces, groups = [], [], {}
    heads = np.array([bone.head_local for bone in thing.data.bones])
    size = float(np.ptp(heads, axis=0).max())
    for bone in thing.data.bones:
        solid, quads = _solid(np.array(bone.head_local), np.array(bone.tail_local), _width(bone, size))
        groups[bone.name] = list(range(len(places), len(places) + len(solid)))
        faces += [[corner + len(places) for corner in quad] for quad in quads]
        places += solid.tolist()
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(places, [], faces)
    mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), dtype=bool))
    body = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(body)
    for bone, corners in groups.items():
        body.vertex_groups.new(name=bone).add(corners, 1.0, "REPLACE")
    body.parent = thing
    body.modifiers.new("Armature", "ARMATURE").object = thing
    material = bpy.data.materials.new(name)
    material.diffuse_color = color
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = color
    mesh.materials.append(material)
    return body


def _width(bone: Any, size: float) -> float:
    """Return a solid's width: the trunk, with many bones below it, is the widest; a head is rounder than a limb."""
    if len(bone.children_recursive) > MANY:
        return THICK * size
    share = ROUND if not bone.children and bone.length > LONG * size else WIDTH
    return float(np.clip(share * bone.length, THIN * size, THICK * size))


def _solid(head: np.ndarray, tail: np.ndarray, width: float, around: int = 12) -> tuple[np.ndarray, list[list[int]]]:
    """Return a rounded spindle from head to tail: rings of vertices, and faces between them."""
    way = tail - head
    length = float(np.linalg.norm(way))
    across = np.cross(way, [0.0, 1.0, 0.0] if abs(way[1]) < 0.9 * length else [1.0, 0.0, 0.0])
    across /= np.linalg.norm(across)
    other = np.cross(way / length, across)
    turn = np.linspace(0, 2 * np.pi, around, endpoint=False)
    ring = np.cos(turn)[:, None] * across + np.sin(turn)[:, None] * other
    middle, half = head + way / 2, way / 2 + way / length * width / 2
    rings = [
        middle - np.cos(angle) * half + max(np.sin(angle), 0.02) ** 0.6 * width * ring
        for angle in np.linspace(0.0, np.pi, 9)
    ]
    corners = np.concatenate(rings)
    steps = [(row * around, k, (k + 1) % around) for row in range(len(rings) - 1) for k in range(around)]
    faces = [[row + k, row + on, row + around + on, row + around + k] for row, k, on in steps]
    last = (len(rings) - 1) * around
    return corners, [*faces, list(range(around))[::-1], list(range(last, last + around))]
