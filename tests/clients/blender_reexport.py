"""Runs inside Blender: imports a glTF or FBX file at a frame rate and exports what is there as FBX.

python blender_reexport.py IN OUT.fbx FPS
"""

from __future__ import annotations

import sys

import bpy

source, target, fps = sys.argv[1:]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = int(fps)
if source.endswith(".fbx"):
    bpy.ops.import_scene.fbx(filepath=source)
else:
    bpy.ops.import_scene.gltf(filepath=source)
bpy.ops.export_scene.fbx(filepath=target, add_leaf_bones=False, bake_anim_simplify_factor=0.0)
