"""The node tree of a glTF file: rest transforms, parents, and which nodes are a character's joints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from freshtake.formats.gltf.container import Container
from freshtake.formats.gltf.json_fields import Item
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import from_matrix, to_matrix

_DEEPEST = 500


@dataclass(frozen=True, eq=False)
class Nodes:
    """All nodes: parents (-1 for roots), depths, rest translations, rotations (w x y z) and scales.

    `sheared` maps a node whose matrix is no translation, rotation and scale to that matrix (4, 4).
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
        """From the tree's root down to the node."""
        path = [node]
        while self.parents[path[-1]] >= 0:
            path.append(int(self.parents[path[-1]]))
        return path[::-1]

    def with_ancestors(self, wanted: Iterable[int]) -> list[int]:
        """The wanted nodes and all above them, parents first."""
        collected: set[int] = set()
        for node in wanted:
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
        if depth > _DEEPEST:
            items[int(level[0]) if len(level) else 0].fail(f"nodes are nested deeper than {_DEEPEST}")
    if (depths < 0).any():
        items[int(np.argmin(depths))].fail("the node is its own ancestor: the hierarchy has a cycle", "children")
    return depths


def _transform(item: Item) -> tuple[Floats, Floats, Floats, Floats | None]:
    """Rest translation, rotation (w x y z), scale, and the matrix where those three do not make it up."""
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


def default_roots(container: Container, nodes: Nodes) -> list[int]:
    """The nodes that the file's scene shows, or all roots where there is no scene."""
    scenes = container.top.items("scenes")
    number = container.top.index("scene", len(scenes), "scene")
    if not scenes:
        return [int(n) for n in np.flatnonzero(nodes.parents < 0)]
    return scenes[number or 0].indices("nodes", len(nodes), "node")


def below(nodes: Nodes, tops: Iterable[int]) -> list[int]:
    """The given nodes and all that hang on them, in node order."""
    collected = set(tops)
    for node in np.argsort(nodes.depths, kind="stable").tolist():
        if int(nodes.parents[node]) in collected:
            collected.add(node)
    return sorted(collected)


def unique_names(items: list[Item], chosen: list[int], prefix: str = "joint") -> tuple[str, ...]:
    """Names of the chosen nodes: unnamed ones become `joint_12`, a repeated one `name_2`."""
    wanted = [clean_name(items[n]) or f"{prefix}_{n}" for n in chosen]
    return tuple(distinct(wanted))


def distinct(names: list[str]) -> list[str]:
    """The names in their order, a repeated one with a number behind it."""
    taken, out = set(names), []
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        fresh = name
        while seen[name] > 1 and fresh in taken:
            fresh = f"{name}_{seen[name]}"
            seen[name] += fresh in taken
        taken.add(fresh)
        out.append(fresh)
    return out


def clean_name(item: Item) -> str:
    """The object's name without control characters and lone surrogates; empty where there is none."""
    name = item.text("name", "").encode("utf-8", "replace").decode("utf-8")
    return re.sub(r"[\x00-\x1f\x7f]", " ", name).strip()
