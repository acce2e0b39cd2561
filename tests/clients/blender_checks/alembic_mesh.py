"""Runs inside Blender: imports an Alembic cache, writes its vertices at some frames, and exports it again.

python alembic_mesh.py IN.abc OUT.abc FOUND.json FPS LAST FRAME...
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bpy

source, target, out, fps, last, *frames = sys.argv[1:]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = int(fps)
bpy.ops.wm.alembic_import(filepath=source, as_background_job=False)
(mesh,) = [thing for thing in bpy.data.objects if thing.type == "MESH"]
shapes, normals = [], []
for frame in map(int, frames):
    bpy.context.scene.frame_set(frame)
    shown = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    places = [shown.matrix_world @ vertex.co for vertex in shown.data.vertices]
    shapes.append([[place.x, place.z, -place.y] for place in places])  # from z up to y up
    normals.append(list(shown.data.polygons[0].normal))
Path(out).write_text(json.dumps({"vertices": shapes, "normals": normals, "uv": len(mesh.data.uv_layers)}))
bpy.ops.wm.alembic_export(filepath=target, start=0, end=int(last), as_background_job=False)
