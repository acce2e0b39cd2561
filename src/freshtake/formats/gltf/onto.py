"""Animating an existing character: its animations are replaced by clips, everything else in the file is kept."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.errors import FormatError, SkeletonMismatch
from freshtake.formats.gltf.added_root import lacking_root, with_root
from freshtake.formats.gltf.animation import animated_nodes
from freshtake.formats.gltf.build import Builder, NodeMotion, add_animation
from freshtake.formats.gltf.character import Character, find_character
from freshtake.formats.gltf.container import Container, load
from freshtake.formats.gltf.nodes import Nodes, read_nodes
from freshtake.formats.gltf.pose import rest_pose, world_matrices
from freshtake.formats.gltf.strip import without_animations
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.kinematics import forward
from freshtake.numeric.rotations import IDENTITY, inverse, multiply, to_matrix

_STILL = 1e-6  # of the character's size: a joint that stays this near to its rest translation needs no keys


def onto_character(path: Path, source: Path, clips: list[Clip], names: list[str]) -> Builder:
    """The character's file with these clips as its only animations; joints are matched by name."""
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
    """Local rotations and translations of the nodes that put every joint where the clip has it.

    What stands still above the root, and scale anywhere, is undone: translation = (parent's matrix)^-1 position.
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
        out.append(NodeMotion(node, rotations, translations if parent < 0 or largest_shift > _STILL * size else None))
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
