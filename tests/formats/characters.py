"""Small skinned glTF characters, made by the tests' own writer, for formats that carry a character over."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.formats.gltf.scenes import Scene, rig, turns


def skinned(seed: int = 4, *, armature: dict[str, Any] | None = None, bent: bool = False, prop: bool = False) -> Scene:
    """The rig of `scenes` with a mesh of 12 vertices and an animation of 5 frames.

    `bent`: the skin was bound in another pose than the nodes' rest. `prop`: a mesh without a skin hangs on a joint.
    """
    rng = np.random.default_rng(seed)
    scene = rig(rng, armature=armature)
    nodes, joints = scene.json["nodes"], scene.json["skins"][0]["joints"]
    rest = {n: nodes[n]["rotation"] for n in joints}
    if bent:
        for n in joints[1:]:
            nodes[n]["rotation"] = turns(rng).tolist()
    binds = np.stack([np.linalg.inv(scene.world(n, 0.0)) for n in joints])
    for n in joints:
        nodes[n]["rotation"] = rest[n]
    scene.json["skins"][0]["inverseBindMatrices"] = scene.add(binds.transpose(0, 2, 1).reshape(-1, 16))
    weights = rng.dirichlet(np.ones(4), size=12).astype(np.float32)
    which = np.stack([rng.permutation(4) for _ in range(12)])
    attributes = {
        "POSITION": scene.add(rng.normal(size=(12, 3))),
        "NORMAL": scene.add(unit_rows(rng.normal(size=(12, 3)))),
        "TEXCOORD_0": scene.add(rng.random((12, 2))),
        "JOINTS_0": scene.add(which, "uint8"),
        "WEIGHTS_0": scene.add(weights),
    }
    primitive = {"attributes": attributes, "indices": scene.add(rng.permutation(12), "uint8"), "material": 0}
    color = {"baseColorFactor": [0.25, 0.5, 0.75, 1.0]}
    scene.json["materials"] = [{"name": "cloth", "pbrMetallicRoughness": color}]
    scene.json["meshes"] = [{"name": "body", "primitives": [primitive]}]
    nodes[7] |= {"mesh": 0, "skin": 0}
    if prop:
        held = {"attributes": {"POSITION": scene.add(rng.normal(size=(3, 3)))}}
        scene.json["meshes"].append({"name": "hat", "primitives": [held]})
        nodes.append({"name": "hat", "mesh": 1, "scale": [2.0, 1.0, 0.5], "translation": [0.0, 0.3, 0.0]})
        nodes[4]["children"] = [8]
    times = np.arange(5) / 30
    moves = [(n, "rotation", times, smooth_turns(rng), "LINEAR") for n in joints]
    scene.animate("dance", (1, "translation", times, rng.normal(size=(5, 3)), "LINEAR"), *moves)
    return scene


def unit_rows(values: np.ndarray) -> np.ndarray:
    return values / np.linalg.norm(values, axis=1, keepdims=True)


def smooth_turns(rng: np.random.Generator) -> np.ndarray:
    base, step = turns(rng), 0.1 * rng.normal(size=4)
    return unit_rows(base + np.arange(5)[:, None] * step)
