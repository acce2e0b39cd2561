"""Runs inside Blender: imports a crowd by the importer's defaults and writes where every body and joint is.

python usd_crowd.py STAGE OUT.json FRAME...
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bpy

stage, out, *frames = sys.argv[1:]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.wm.usd_import(filepath=stage)
found: dict[str, dict[str, list[object]]] = {}
for frame in map(int, frames):
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    for thing in bpy.data.objects:
        top = thing
        while top.parent is not None and not top.name.startswith("character_"):
            top = top.parent
        if not top.name.startswith("character_"):
            continue
        entry = found.setdefault(top.name, {"joints": [], "vertices": []})
        if thing.type == "ARMATURE":
            entry["names"] = [bone.name for bone in thing.pose.bones]
            entry["joints"].append([list(thing.matrix_world @ bone.head) for bone in thing.pose.bones])
        elif thing.type == "MESH":
            shown = thing.evaluated_get(graph)
            entry["vertices"].append([list(shown.matrix_world @ vertex.co) for vertex in shown.data.vertices])
Path(out).write_text(json.dumps(found))
