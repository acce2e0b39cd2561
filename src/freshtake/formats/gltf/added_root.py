"""A joint above a character's first, for clips that have their travel there while the character has no such joint."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from freshtake.formats.gltf.character import Character
from freshtake.formats.gltf.container import Container
from freshtake.formats.gltf.json_fields import Item
from freshtake.formats.gltf.nodes import Nodes
from freshtake.formats.gltf.pose import rest_pose, world_matrices
from freshtake.formats.gltf.skin import bind_matrices
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats


def lacking_root(character: Character, clip: Clip) -> str | None:
    """The name of the clip's first joint where the character begins with that joint's only child; else None."""
    skeleton = clip.skeleton
    below = skeleton.children(0)
    lacks = skeleton.names[0] not in character.names
    return skeleton.names[0] if lacks and [skeleton.names[j] for j in below] == [character.names[0]] else None


def with_root(container: Container, nodes: Nodes, character: Character, name: str) -> Container:
    """The file with one more node between the character's first joint and what it hangs on.

    It stands where that does, and is a joint of every skin that moves with the character.
    """
    document: dict[str, Any] = copy.deepcopy(container.top.value)
    first, number = character.root, len(nodes)
    document["nodes"].append({"name": name, "children": [first]})
    parent = int(nodes.parents[first])
    holders = [document["nodes"][parent].get("children", [])] if parent >= 0 else []
    holders += [scene.get("nodes", []) for scene in document.get("scenes", [])] if parent < 0 else []
    for holder in holders:
        holder[:] = [number if child == first else child for child in holder]
    joints, data = set(character.nodes), b""
    for skin, item in zip(document.get("skins", []), container.top.items("skins"), strict=True):
        listed = item.indices("joints", len(nodes), "node")
        if not joints.issuperset(listed):
            continue
        matrices = _inverse_binds(container, nodes, item, listed, parent)
        skin["joints"] = [*listed, number]
        skin["inverseBindMatrices"] = len(document.setdefault("accessors", []))
        place = len(data)
        data += matrices.transpose(0, 2, 1).astype("<f4").tobytes()
        view = {"buffer": len(container.buffers), "byteOffset": place, "byteLength": len(data) - place}
        entry = {"bufferView": len(document.setdefault("bufferViews", [])), "componentType": 5126}
        document["bufferViews"].append(view)
        document["accessors"].append({**entry, "count": len(matrices), "type": "MAT4"})
    document.setdefault("buffers", []).append({"byteLength": max(len(data), 1)})
    return Container(container.path, Item(container.path, "", document), (*container.buffers, data or b"\0"))


def _inverse_binds(container: Container, nodes: Nodes, skin: Item, joints: list[int], parent: int) -> Floats:
    """The skin's matrices and one for a joint that stands at `parent`: bound as the skin's first joint is."""
    stated = bind_matrices(container, skin, len(joints))
    matrices = np.tile(np.eye(4), (len(joints), 1, 1)) if stated is None else stated
    held = _world(nodes, joints[0]) @ matrices[0]
    above = _world(nodes, parent) if parent >= 0 else np.eye(4)
    if abs(np.linalg.det(above)) < 1e-60:
        nodes.items[parent].fail("the scale above the first joint is zero, so no clip can be put onto it")
    return np.concatenate([matrices, (np.linalg.inv(above) @ held)[None]])


def _world(nodes: Nodes, node: int) -> Floats:
    pose = rest_pose(nodes, [node])
    world, place = world_matrices(pose), pose.place(node)
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = world.linear[0, place], world.positions[0, place]
    return out
