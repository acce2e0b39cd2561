"""Read the node tree of a glTF file, and choose the nodes that are the joints of a character."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from freshtake.formats.files import DEEPEST
from freshtake.formats.gltf.container import Container, Item
from freshtake.formats.rig import distinct
from freshtake.formats.vrm import BONES, vrm_name
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import from_matrix, to_matrix


@dataclass(frozen=True, eq=False)
class Nodes:
    """All nodes: parents (-1 for roots), depths, rest translations, rotations (w x y z) and scales.

    `sheared`: by node, the matrices (4, 4) that translation, rotation and scale cannot express.
    """

    items: list[Item]
    parents: Ints
    depths: Ints
    translations: Floats
    rotations: Floats
    scales: Floats
    sheared: dict[int, Floats]

    def __len__(self) -> int:
        return len(self.items)

    def chain(self, node: int) -> list[int]:
        """Return the nodes from the tree's root down to this one."""
        path = [node]
        while self.parents[path[-1]] >= 0:
            path.append(int(self.parents[path[-1]]))
        return path[::-1]

    def with_ancestors(self, chosen: Iterable[int]) -> list[int]:
        """Return the chosen nodes and all above them, parents first."""
        collected: set[int] = set()
        for node in chosen:
            while node >= 0 and node not in collected:
                collected.add(node)
                node = int(self.parents[node])
        return sorted(collected, key=lambda n: (self.depths[n], n))


def read_nodes(container: Container) -> Nodes:
    """Parse and check the tree: every node has at most one parent, and there are no cycles."""
    items = container.nodes
    if not items:
        container.top.fail("there are no nodes, so there is no motion in the file", "nodes")
    parents = np.full(len(items), -1)
    for number, item in enumerate(items):
        for child in item.indices("children", len(items), "node"):
            if parents[child] >= 0:
                item.fail(f"node {child} is also a child of node {parents[child]}", "children")
            parents[child] = number
    depths = _depths(items, parents)
    translations, rotations, scales = np.zeros((len(items), 3)), np.zeros((len(items), 4)), np.ones((len(items), 3))
    sheared = {}
    for number, item in enumerate(items):
        translations[number], rotations[number], scales[number], matrix = _transform(item)
        if matrix is not None:
            sheared[number] = matrix
    return Nodes(items, parents, depths, translations, rotations, scales, sheared)


def _depths(items: list[Item], parents: Ints) -> Ints:
    depths = np.full(len(items), -1)
    level = np.flatnonzero(parents < 0)
    depth = 0
    while len(level):
        depths[level] = depth
        depth += 1
        level = np.flatnonzero(np.isin(parents, level) & (parents >= 0))
        if depth > DEEPEST:
            items[int(level[0]) if len(level) else 0].fail(f"nodes are nested deeper than {DEEPEST}")
    if (depths < 0).any():
        items[int(np.argmin(depths))].fail("the node is its own ancestor: the hierarchy has a cycle", "children")
    return depths


def _transform(item: Item) -> tuple[Floats, Floats, Floats, Floats | None]:
    """Return rest translation, rotation (w x y z), scale, and the matrix if those three do not express it."""
    if "matrix" in item:
        return _decomposed(item)
    turn = item.numbers("rotation", 4, np.array([0.0, 0.0, 0.0, 1.0]))[[3, 0, 1, 2]]
    length = float(np.linalg.norm(turn))
    if abs(length - 1.0) > 1e-2:
        item.fail(f"a unit quaternion was expected, but its length is {length:.4g}", "rotation")
    rotation = turn if abs(length - 1.0) < 1e-15 else turn / length
    return item.numbers("translation", 3, np.zeros(3)), rotation, item.numbers("scale", 3, np.ones(3)), None


def _decomposed(item: Item) -> tuple[Floats, Floats, Floats, Floats | None]:
    matrix = item.numbers("matrix", 16).reshape(4, 4).T
    if np.abs(matrix[3] - [0, 0, 0, 1]).max() > 1e-6:
        item.fail("the last row of the matrix must be 0 0 0 1", "matrix")
    linear = matrix[:3, :3]
    scale: Floats = np.linalg.norm(linear, axis=0)
    if scale.min() < 1e-30:
        return matrix[:3, 3], np.array([1.0, 0.0, 0.0, 0.0]), scale, matrix
    if np.linalg.det(linear / scale) < 0:
        scale = scale * np.array([-1.0, 1.0, 1.0])
    u, _, vt = np.linalg.svd(linear / scale)
    rotation = from_matrix(u @ vt)
    error = np.abs(to_matrix(rotation) * scale - linear).max()
    return matrix[:3, 3], rotation, scale, matrix if error > 1e-5 * np.abs(scale).max() else None


MOVES = {"translation": 3, "rotation": 4, "scale": 3}  # the properties that move a node, and their number of values


def animated_nodes(container: Container) -> set[int]:
    """Return all nodes whose translation, rotation or scale any animation of the file moves."""
    out = set()
    for animation in container.top.items("animations"):
        for channel in animation.items("channels"):
            target = channel.needed("target")
            node = target.index("node", len(container.nodes), "node")
            if node is not None and target.text("path") in MOVES:
                out.add(node)
    return out


def default_roots(container: Container, nodes: Nodes) -> list[int]:
    """Return the nodes that the file's scene shows, or all roots if there is no scene."""
    scenes = container.top.items("scenes")
    number = container.top.index("scene", len(scenes), "scene")
    if not scenes:
        return [int(n) for n in np.flatnonzero(nodes.parents < 0)]
    return scenes[number or 0].indices("nodes", len(nodes), "node")


def below(nodes: Nodes, tops: Iterable[int]) -> list[int]:
    """Return the given nodes and all their descendants, in node order."""
    collected = set(tops)
    for node in np.argsort(nodes.depths, kind="stable").tolist():
        if int(nodes.parents[node]) in collected:
            collected.add(node)
    return sorted(collected)


def clean_name(item: Item) -> str:
    """Return the object's name without control characters and lone surrogates; empty if there is none."""
    name = item.text("name", "").encode("utf-8", "replace").decode("utf-8")
    return re.sub(r"[\x00-\x1f\x7f]", " ", name).strip()


@dataclass(frozen=True, eq=False)
class Character:
    """The joints: node numbers (parents first), the index of the parent of each, unique names.

    The first node is -1 if several trees share a root that is not in the file. `tips` are leaf
    nodes that only mark the end of a joint: (joint, node).
    """

    nodes: tuple[int, ...]
    parents: Ints
    names: tuple[str, ...]
    tips: tuple[tuple[int, int], ...]

    @property
    def root(self) -> int:
        """Return the node of the root joint, -1 if the file has none."""
        return self.nodes[0]


class Loaded(NamedTuple):
    """A character's file, its nodes and its joints."""

    container: Container
    nodes: Nodes
    character: Character


def load_joints(container: Container, warn: Callable[[str], None] = lambda message: None) -> Loaded:
    """Read the nodes of a file and find its character."""
    nodes = read_nodes(container)
    return Loaded(container, nodes, find_character(container, nodes, warn))


def find_character(container: Container, nodes: Nodes, warn: Callable[[str], None]) -> Character:
    """Return the joints of the first skin and of those that share its joints; without a skin, the animated nodes."""
    skins, animated = container.top.items("skins"), animated_nodes(container)
    if skins:
        joints = _skin_joints(skins, nodes, warn)
    else:
        joints = sorted(animated) or list(range(len(nodes)))
    order = _connected(nodes, joints, skins[0] if skins else None)
    place = {node: joint for joint, node in enumerate(order)}
    parents = np.array([-1] + [place.get(int(nodes.parents[n]), 0) for n in order[1:]])
    real = [n for n in order if n >= 0]
    names = distinct([clean_name(nodes.items[n]) or f"joint_{n}" for n in real])
    if order[0] < 0:
        names = distinct(["root", *names])
    return Character(tuple(order), parents, tuple(names), _tips(nodes, place, animated) if skins else ())


def _skin_joints(skins: list[Item], nodes: Nodes, warn: Callable[[str], None]) -> list[int]:
    """Return the joints of the first skin, in its order, and of all skins connected to it by shared joints."""
    lists = [skin.indices("joints", len(nodes), "node") for skin in skins]
    for skin, joints in zip(skins, lists, strict=True):
        if not joints:
            skin.fail("a skin needs at least one joint", "joints")
    connected = dict.fromkeys(lists[0])
    others = lists[1:]
    while True:
        sharing = [joints for joints in others if not connected.keys().isdisjoint(joints)]
        if not sharing:
            break
        others = [joints for joints in others if connected.keys().isdisjoint(joints)]
        for joints in sharing:
            connected |= dict.fromkeys(joints)
    if others:
        path = skins[0].path.name
        warn(f"{path}: {len(others)} of {len(skins)} skins belong to other characters, which are left out")
    return list(connected)


def _connected(nodes: Nodes, joints: list[int], skin: Item | None) -> list[int]:
    """Return the joints and the nodes between them and their lowest common ancestor, parents first, order kept."""
    chains = [nodes.chain(node) for node in joints]
    if len({chain[0] for chain in chains}) > 1:
        if skin is not None:
            skin.fail("the joints have no common root", "joints")
        return [-1, *dict.fromkeys(node for chain in chains for node in chain)]
    shared = 0
    while all(len(chain) > shared and chain[shared] == chains[0][shared] for chain in chains):
        shared += 1
    return list(dict.fromkeys(node for chain in chains for node in chain[shared - 1 :]))


def _tips(nodes: Nodes, place: dict[int, int], animated: set[int]) -> tuple[tuple[int, int], ...]:
    """Return leaf nodes below joints that are not joints, are not animated and carry nothing."""
    inner = {int(parent) for parent in nodes.parents}
    out = []
    for number, item in enumerate(nodes.items):
        joint = place.get(int(nodes.parents[number]))
        bare = not {"mesh", "camera", "skin", "extensions"} & item.value.keys()
        if joint is not None and number not in place and number not in inner | animated and bare:
            out.append((joint, number))
    return tuple(out)


Parts = dict[str, list[str]]


def humanoid_parts(container: Container, character: Character) -> Parts | None:
    """Return the joints by part of the body that a VRM file states; None for other files or unusable statements."""
    stated = _stated(container.top.value.get("extensions"))
    names = dict(zip(character.nodes, character.names, strict=True))
    bones = {bone: names[node] for bone, node in stated.items() if node in names}
    parts: Parts = {}
    for bone, row in BONES.items():
        if bone in bones:
            parts.setdefault(row.part, []).append(bones[bone])
    return parts or None


def _stated(extensions: Any) -> dict[str, int]:
    """Return node numbers by bone; VRM 1 has an object of bones, VRM 0 a list of bones with Unity's names."""
    if not isinstance(extensions, dict):
        return {}
    bones: Any = None
    for name in ("VRMC_vrm", "VRM"):
        extension = extensions.get(name)
        humanoid = extension.get("humanoid") if isinstance(extension, dict) else None
        bones = bones or (humanoid.get("humanBones") if isinstance(humanoid, dict) else None)
    if isinstance(bones, dict):
        pairs = [(bone, entry.get("node")) for bone, entry in bones.items() if isinstance(entry, dict)]
    elif isinstance(bones, list):
        listed = [(entry.get("bone"), entry.get("node")) for entry in bones if isinstance(entry, dict)]
        pairs = [(vrm_name(bone), node) for bone, node in listed if isinstance(bone, str)]
    else:
        pairs = []
    return {bone: node for bone, node in pairs if isinstance(bone, str) and re.fullmatch(r"\w+", bone)
            and isinstance(node, int)}  # fmt: skip
