"""Runs inside Blender: imports a BVH file, exports it as FBX, and writes the joint positions, frame by frame, z up.

python blender_export.py OUT.json IN.bvh OUT.fbx FRAMES
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bpy

out, source, target, frames = sys.argv[1:]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = 30
bpy.ops.import_anim.bvh(filepath=source, update_scene_fps=False, use_fps_scale=False)
figure = next(thing for thing in scene.objects if thing.type == "ARMATURE")
scene.frame_start, scene.frame_end = 1, int(frames)
places = []
for frame in range(1, int(frames) + 1):
    scene.frame_set(frame)
    places.append([[*(figure.matrix_world @ bone.head)] for bone in figure.pose.bones])
bpy.ops.export_scene.fbx(
    filepath=target, bake_anim_use_all_actions=False, bake_anim_use_nla_strips=False, bake_anim_simplify_factor=0.0
)
Path(out).write_text(json.dumps({"names": [bone.name for bone in figure.pose.bones], "places": places}))
