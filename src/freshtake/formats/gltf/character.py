"""Which nodes of a glTF file make up the skeleton of a clip, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from freshtake.formats.gltf.container import Container
from freshtake.formats.gltf.json_fields import Item
from freshtake.formats.gltf.nodes import Nodes, clean_name, distinct, unique_names
from freshtake.numeric.arrays import Ints


@dataclass(frozen=True, eq=False)
class Character:
    """The joints: node numbers with parents first, their parents among themselves, their unique names.

    The first node is -1 where several trees have to hang on a root that the file does not have. `tips` are leaf
    nodes that only mark the end of a joint: (joint, node).
    """

    nodes: tuple[int, ...]
    parents: Ints
    names: tuple[str, ...]
    tips: tuple[tuple[int, int], ...]

    @property
    def root(self) -> int:
        """The node of the root joint, -1 where the file has none."""
        return self.nodes[0]


def find_character(container: Container, nodes: Nodes, animated: set[int], warn: Callable[[str], None]) -> Character:
    """The joints of the first skin and of those that share joints with it; without a skin, the animated nodes."""
    skins = container.top.items("skins")
    if skins:
        wanted = _skin_joints(skins, nodes, warn)
    else:
        wanted = sorted(animated) or list(range(len(nodes)))
    order = _connected(nodes, wanted, skins[0] if skins else None)
    place = {node: joint for joint, node in enumerate(order)}
    parents = np.array([-1] + [place.get(int(nodes.parents[n]), 0) for n in order[1:]])
    real = [n for n in order if n >= 0]
    names = list(unique_names(nodes.items, real))
    if order[0] < 0:
        names = distinct(["root", *names])
    return Character(tuple(order), parents, tuple(names), _tips(nodes, place, animated) if skins else ())


def _skin_joints(skins: list[Item], nodes: Nodes, warn: Callable[[str], None]) -> list[int]:
    """Joints of the first skin, in its order, and of all skins that share a joint with those so far."""
    lists = [skin.indices("joints", len(nodes), "node") for skin in skins]
    for skin, joints in zip(skins, lists, strict=True):
        if not joints:
            skin.fail("a skin needs at least one joint", "joints")
    connected = dict.fromkeys(lists[0])
    left = lists[1:]
    while True:
        sharing = [joints for joints in left if not connected.keys().isdisjoint(joints)]
        if not sharing:
            break
        left = [joints for joints in left if connected.keys().isdisjoint(joints)]
        for joints in sharing:
            connected |= dict.fromkeys(joints)
    if left:
        path = skins[0].path.name
        warn(f"{path}: {len(left)} of {len(skins)} skins belong to other characters, which are left out")
    return list(connected)


def _connected(nodes: Nodes, wanted: list[int], skin: Item | None) -> list[int]:
    """The wanted nodes and those between them and their lowest common ancestor, parents first, order kept."""
    chains = [nodes.chain(node) for node in wanted]
    if len({chain[0] for chain in chains}) > 1:
        if skin is not None:
            skin.fail("the joints have no common root", "joints")
        return [-1, *dict.fromkeys(node for chain in chains for node in chain)]
    shared = 0
    while all(len(chain) > shared and chain[shared] == chains[0][shared] for chain in chains):
        shared += 1
    return list(dict.fromkeys(node for chain in chains for node in chain[shared - 1 :]))


def _tips(nodes: Nodes, place: dict[int, int], animated: set[int]) -> tuple[tuple[int, int], ...]:
    """Leaves below joints that are no joints, are not animated and carry nothing."""
    inner = {int(parent) for parent in nodes.parents}
    out = []
    for number, item in enumerate(nodes.items):
        joint = place.get(int(nodes.parents[number]))
        bare = not {"mesh", "camera", "skin", "extensions"} & item.value.keys()
        if joint is not None and number not in place and number not in inner | animated and bare:
            out.append((joint, number))
    return tuple(out)


def tip_name(nodes: Nodes, node: int) -> str:
    """The name of a tip; empty where it has none."""
    return clean_name(nodes.items[node])
