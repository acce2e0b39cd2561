"""Runs inside Blender: imports BVH, glTF, FBX and USD files and writes where the joints are, frame by frame.

    python blender_import.py OUT.json FPS FILE...

For every file: joint names, parents, and for each of its actions the times of its keys in scene frames, positions
(times, joints, 3) and vertices of the meshes (times, vertices, 3; at the first, middle and last time), turned back from
Blender's z-up world to y-up. `FILE@new` imports an FBX file by Blender's importer in C++, `FILE` by the one in Python.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bpy


def armature() -> bpy.types.Object:
    """The one armature in the scene."""
    return next(thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE")


def y_up(place: object) -> list[float]:
    return [place.x, place.z, -place.y]


def at_frame(frame: float) -> None:
    bpy.context.scene.frame_set(int(frame // 1), subframe=frame % 1)


def positions_at(figure: bpy.types.Object, frame: float) -> list[list[float]]:
    at_frame(frame)
    return [y_up(figure.matrix_world @ bone.head) for bone in figure.pose.bones]


def vertices_at(frame: float) -> list[list[float]]:
    """Vertices of all meshes, as deformed."""
    at_frame(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    out = []
    for thing in sorted(bpy.context.scene.objects, key=lambda thing: thing.name):
        if thing.type == "MESH":
            shown = thing.evaluated_get(graph)
            out += [y_up(shown.matrix_world @ vertex.co) for vertex in shown.to_mesh().vertices]
            shown.to_mesh_clear()
    return out


def key_times(action: bpy.types.Action) -> list[float]:
    """The times (in scene frames) of keys in any part of the action."""
    times = set()
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                times.update(round(key.co.x, 3) for curve in bag.fcurves for key in curve.keyframe_points)
    return sorted(times)


def load(path: Path, new: bool) -> None:
    if path.suffix == ".bvh":
        bpy.ops.import_anim.bvh(filepath=str(path), update_scene_fps=False, use_fps_scale=False)
    elif path.suffix == ".fbx" and new:
        bpy.ops.wm.fbx_import(filepath=str(path))
    elif path.suffix == ".fbx":
        bpy.ops.import_scene.fbx(filepath=str(path), anim_offset=0.0)
    elif path.suffix.startswith(".usd"):
        bpy.ops.wm.usd_import(filepath=str(path))
    else:
        bpy.ops.import_scene.gltf(filepath=str(path), guess_original_bind_pose=False)


def played(figure: bpy.types.Object, action: bpy.types.Action) -> dict[str, object]:
    """The effect of one action on the figure."""
    if figure.animation_data.action != action:
        figure.animation_data.action = action
        figure.animation_data.action_slot = action.slots[0]
    times = key_times(action)
    return {
        "times": times,
        "positions": [positions_at(figure, time) for time in times],
        "vertices": [vertices_at(times[place]) for place in (0, len(times) // 2, -1)],
    }


def imported(asked: str, fps: int) -> dict[str, object]:
    name, _, mode = asked.partition("@")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = fps
    load(Path(name), mode == "new")
    figure = armature()
    own = figure.animation_data.action
    others = [action for action in bpy.data.actions if action != own]
    return {
        "names": [bone.name for bone in figure.pose.bones],
        "parents": [bone.parent.name if bone.parent else "" for bone in figure.pose.bones],
        "fps": bpy.context.scene.render.fps / bpy.context.scene.render.fps_base,
        **played(figure, own),
        "actions": [action.name for action in bpy.data.actions],
        "others": {action.name: played(figure, action) for action in others if action.slots} if mode else {},
    }


def main() -> None:
    out, fps, *paths = sys.argv[1:]
    found = {path: imported(path, int(fps)) for path in paths}
    Path(out).write_text(json.dumps(found))


main()
