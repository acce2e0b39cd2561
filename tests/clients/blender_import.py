"""Runs inside Blender's environment: imports BVH and glTF files and writes where the joints are, frame by frame.

    python blender_import.py OUT.json FPS FILE...

For every file: joint names, parents, the times of its keys in scene frames, and positions (times, joints, 3) turned
back from Blender's z-up world to y-up.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bpy


def armature() -> bpy.types.Object:
    """The one armature in the scene."""
    return next(thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE")


def positions_at(figure: bpy.types.Object, frame: float) -> list[list[float]]:
    scene = bpy.context.scene
    scene.frame_set(int(frame // 1), subframe=frame % 1)
    heads = [figure.matrix_world @ bone.head for bone in figure.pose.bones]
    return [[head.x, head.z, -head.y] for head in heads]


def key_times(figure: bpy.types.Object) -> list[float]:
    """The times (in scene frames) that have a key, whatever part of the action they move."""
    times = set()
    for layer in figure.animation_data.action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                times.update(round(key.co.x, 3) for curve in bag.fcurves for key in curve.keyframe_points)
    return sorted(times)


def imported(path: Path, fps: int) -> dict[str, object]:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = fps
    if path.suffix == ".bvh":
        bpy.ops.import_anim.bvh(filepath=str(path), update_scene_fps=False, use_fps_scale=False)
    else:
        bpy.ops.import_scene.gltf(filepath=str(path), guess_original_bind_pose=False)
    figure = armature()
    times = key_times(figure)
    return {
        "names": [bone.name for bone in figure.pose.bones],
        "parents": [bone.parent.name if bone.parent else "" for bone in figure.pose.bones],
        "times": times,
        "positions": [positions_at(figure, time) for time in times],
        "actions": [action.name for action in bpy.data.actions],
    }


def main() -> None:
    out, fps, *paths = sys.argv[1:]
    found = {path: imported(Path(path), int(fps)) for path in paths}
    Path(out).write_text(json.dumps(found))


main()
