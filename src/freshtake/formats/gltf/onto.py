"""Put clips onto a glTF character: its nodes get the clips' animations, all else is kept."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError, SkeletonMismatch
from freshtake.formats.files import SINGLE
from freshtake.formats.gltf.animation import animated_nodes
from freshtake.formats.gltf.build import Builder, NodeMotion, add_animation, without_animations
from freshtake.formats.gltf.container import Container, Item, load
from freshtake.formats.gltf.nodes import Character, Nodes, find_character, read_nodes
from freshtake.formats.gltf.pose import rest_pose, world_matrices
from freshtake.formats.gltf.skin import bind_matrices
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.kinematics import forward
from freshtake.numeric.rotations import IDENTITY, inverse, multiply, to_matrix


def lacking_root(character: Character, clip: Clip) -> str | None:
    """Return the name of the clip's first joint where the character begins with that joint's only child; else None."""
    skeleton = clip.skeleton
    below = skeleton.children(0)
    lacks = skeleton.names[0] not in character.names
    return skeleton.names[0] if lacks and [skeleton.names[j] for j in below] == [character.names[0]] else None


def with_root(container: Container, nodes: Nodes, character: Character, name: str) -> Container:
    """Return the file with one more node between the character's first joint and what it hangs on.

    It has the same place, and is a joint of every skin that moves with the character.
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
    """Return the skin's matrices and one for a joint at `parent`: bound as the skin's first joint is."""
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


def onto_character(path: Path, source: Path, clips: list[Clip], names: list[str]) -> Builder:
    """Return the character's file with these clips as its only animations; joints are matched by name."""
    source = Path(source)
    container, nodes, character = load_character(source, clips[0])
    try:
        builder = without_animations(path, container)
    except RecursionError:
        raise FormatError(source, "the JSON is nested too deeply to be carried over") from None
    for clip, name in zip(clips, names, strict=True):
        motions = _node_motions(nodes, character, clip, matched(source, character, clip))
        add_animation(builder, name, clip, motions)
    _free_from_matrices(builder, nodes, character)
    return builder


class Loaded(NamedTuple):
    """A character's file, its nodes and its joints."""

    container: Container
    nodes: Nodes
    character: Character


def load_character(source: Path, clip: Clip) -> Loaded:
    """Read a character that clips can be put onto; where the clip has a joint above its first, so has what is read."""
    loaded = _loaded(load(source))
    if loaded.character.root < 0:
        raise FormatError(source, "the animated nodes have no common root, so no clip can be put onto them", "nodes")
    name = lacking_root(loaded.character, clip)
    return loaded if name is None else _loaded(with_root(*loaded, name))


def _loaded(container: Container) -> Loaded:
    nodes = read_nodes(container)
    animated = animated_nodes(container)
    return Loaded(container, nodes, find_character(container, nodes, animated, lambda message: None))


def matched(source: Path, character: Character, clip: Clip) -> list[int]:
    """For every joint of the character the joint of the clip with its name; parents have to agree too."""
    character_names, clip_names = character.names, clip.skeleton.names
    lacking, extra = (
        [n for n in character_names if n not in clip_names],
        [n for n in clip_names if n not in character_names],
    )
    if lacking or extra:
        parts = [f"the clip lacks {_listed(lacking)}"] if lacking else []
        parts += [f"the character lacks {_listed(extra)}"] if extra else []
        raise SkeletonMismatch(f"{source}: joints are matched by name, but {' and '.join(parts)}")
    order = [clip_names.index(name) for name in character_names]
    for joint, parent in enumerate(character.parents.tolist()):
        above = int(clip.skeleton.parents[order[joint]])
        if (above >= 0) != (parent >= 0) or (parent >= 0 and order[parent] != above):
            raise SkeletonMismatch(
                f"{source}: joint {character_names[joint]!r} hangs on another joint than in the clip"
            )
    return order


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    return ", ".join(repr(name) for name in names[:6]) + more


def _node_motions(nodes: Nodes, character: Character, clip: Clip, order: list[int]) -> list[NodeMotion]:
    """Return local rotations and translations of the nodes that put every joint where the clip has it.

    Constant transforms above the root, and scale anywhere, are undone: translation = (parent's matrix)^-1 position.
    """
    positions = clip.positions()[:, order]
    size = float(np.ptp(positions[0], axis=0).max()) or 1.0
    above_root = _above_root(nodes, character)
    linear: list[Floats] = []  # per joint, (frames, 3, 3)
    out = []
    for joint, node in enumerate(character.nodes):
        parent, rotations = int(character.parents[joint]), clip.rotations[:, order[joint]]
        if parent >= 0:
            above, origin = linear[parent], positions[:, parent]
        else:
            above, origin = above_root.linear, above_root.position
            rotations = multiply(inverse(above_root.rotation), rotations)
        volume = np.abs(np.linalg.det(above))
        if volume.min() < 1e-60:
            nodes.items[node].fail("the scale above this joint is zero, so no clip can be put onto it")
        translations = _solved(above, positions[:, joint] - origin)
        linear.append(above @ (to_matrix(rotations) * nodes.scales[node]))
        largest_shift = np.abs(translations - nodes.translations[node]).max() * volume.max() ** (1 / 3)
        out.append(NodeMotion(node, rotations, translations if parent < 0 or largest_shift > SINGLE * size else None))
    return out


def _solved(linear: Floats, vectors: Floats) -> Floats:
    """x with linear x = vectors, per frame."""
    return np.asarray(np.linalg.solve(linear, vectors[..., None])[..., 0], dtype=np.float64)


class _AboveRoot(NamedTuple):
    """The static transform of the root's parent."""

    linear: Floats
    position: Floats
    rotation: Floats


def _above_root(nodes: Nodes, character: Character) -> _AboveRoot:
    parent = int(nodes.parents[character.root])
    if parent < 0:
        return _AboveRoot(np.eye(3), np.zeros(3), IDENTITY)
    rest = rest_pose(nodes, [parent])
    matrices, place = world_matrices(rest), rest.place(parent)
    turned = forward(rest.parents, rest.translations, rest.rotations).rotations
    return _AboveRoot(matrices.linear[0, place], matrices.positions[0, place], turned[0, place])


def _free_from_matrices(builder: Builder, nodes: Nodes, character: Character) -> None:
    """Joints given by a matrix get translation, rotation and scale instead: a matrix cannot be animated."""
    for node in character.nodes:
        entry = builder.document["nodes"][node]
        if "matrix" not in entry:
            continue
        if node in nodes.sheared:
            nodes.items[node].fail("the matrix of this joint is sheared, so no clip can be put onto it", "matrix")
        del entry["matrix"]
        entry["translation"] = nodes.translations[node].tolist()
        entry["rotation"] = nodes.rotations[node, [1, 2, 3, 0]].tolist()
        entry["scale"] = nodes.scales[node].tolist()
