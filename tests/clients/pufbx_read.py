"""Runs in the environment that has pufbx: reads FBX files and prints every take's joint positions in metres as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pufbx
from pufbx.animation.bake_anim import bake_anim


def matrices(keys: Any, kind: str, count: int) -> np.ndarray:
    """Baked keys as (frames, 4, 4); one that never changes has two keys."""
    values = np.array([list(key[1]) for key in keys])
    if len(values) != count:
        values = np.repeat(values[:1], count, axis=0)
    out = np.tile(np.eye(4), (count, 1, 1))
    if kind == "move":
        out[:, :3, 3] = values
    elif kind == "scale":
        out[:, [0, 1, 2], [0, 1, 2]] = values
    else:
        x, y, z, w = values.T
        rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]  # fmt: skip
        out[:, :3, :3] = np.moveaxis(np.array(rows), -1, 0)
    return out


def take(scene: Any, stack: Any, fps: float) -> dict[str, list[list[float]]]:
    """World positions of every node, by name, at every frame."""
    nodes = list(scene.nodes)
    baked = bake_anim(scene, stack.anim, resample_rate=fps)
    count = round((baked.key_time_max - baked.key_time_min) * fps) + 1
    local = {
        node.typed_id: matrices(node.translation_keys, "move", count)
        @ matrices(node.rotation_keys, "turn", count)
        @ matrices(node.scale_keys, "scale", count)
        for node in baked.modified_nodes
    }
    world: dict[int, np.ndarray] = {}
    for node in nodes:
        own = local.get(node.typed_id)
        if own is None:
            still = np.array(node.node_to_parent["v"]).reshape(4, 3).T
            own = np.tile(np.vstack([still, [0, 0, 0, 1]]), (count, 1, 1))
        world[node.typed_id] = own if node.parent is None else world[node.parent.typed_id] @ own
    return {node.name: (world[node.typed_id][:, :3, 3] / 100.0).tolist() for node in nodes if node.parent is not None}


out, fps, *paths = sys.argv[1:]
found = {}
for path in paths:
    scene = pufbx.load_fbx(path)
    vertices = sum(mesh.num_vertices for mesh in scene.meshes)
    takes = {stack.name: take(scene, stack, float(fps)) for stack in scene.anim_stacks}
    found[path] = {"takes": takes, "vertices": vertices}
Path(out).write_text(json.dumps(found))
