"""A reader of binary FBX for tests, written from the format's description, sharing no code with our writer.

It parses the tree node by node, then computes joints and vertices by 4x4 matrices, one frame at a time.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

TICKS = 46186158000
PLAIN = {"Y": "<h", "I": "<i", "F": "<f", "D": "<d", "L": "<q"}
ARRAYS = {"f": "<f4", "d": "<f8", "l": "<i8", "i": "<i4", "b": "<u1"}


@dataclass
class Node:
    name: str
    values: list[Any]
    inside: list[Node] = field(default_factory=list)

    def all(self, name: str) -> list[Node]:
        return [child for child in self.inside if child.name == name]

    def one(self, name: str) -> Node:
        (found,) = self.all(name)
        return found

    def props(self) -> dict[str, list[Any]]:
        return {p.values[0]: p.values[4:] for p in self.one("Properties70").inside}


def parse(data: bytes) -> Node:
    """The whole tree; every length in the file must be right."""
    assert data[:23] == b"Kaydara FBX Binary  \x00\x1a\x00"
    assert struct.unpack_from("<I", data, 23) == (7400,)
    top = Node("", [])
    place = 27
    while True:
        child, place = parse_node(data, place)
        if child is None:
            break
        top.inside.append(child)
    footer = data[place:]
    assert footer[-16:].hex() == "f85a8c6adef5d97eece90ce3758f290b"
    assert struct.unpack_from("<I", footer, len(footer) - 16 - 120 - 4) == (7400,)
    assert (len(data) - 16 - 120 - 4) % 16 == 0
    return top


def parse_node(data: bytes, place: int) -> tuple[Node | None, int]:
    end, count, size, letters = struct.unpack_from("<IIIB", data, place)
    start = place + 13 + letters
    if end == 0:
        assert data[place : place + 13] == bytes(13)
        return None, place + 13
    node = Node(data[place + 13 : start].decode(), [])
    place = start
    for _ in range(count):
        value, place = parse_value(data, place)
        node.values.append(value)
    assert place == start + size
    while place < end:
        child, place = parse_node(data, place)
        if child is None:
            break
        node.inside.append(child)
    assert place == end
    return node, place


def parse_value(data: bytes, place: int) -> tuple[Any, int]:
    kind = chr(data[place])
    place += 1
    if kind == "C":
        return bool(data[place]), place + 1
    if kind in PLAIN:
        (value,) = struct.unpack_from(PLAIN[kind], data, place)
        return value, place + struct.calcsize(PLAIN[kind])
    if kind in "SR":
        (size,) = struct.unpack_from("<I", data, place)
        content = data[place + 4 : place + 4 + size]
        return content.decode() if kind == "S" else content, place + 4 + size
    count, packed, size = struct.unpack_from("<III", data, place)
    content = data[place + 12 : place + 12 + size]
    values = np.frombuffer(zlib.decompress(content) if packed else content, ARRAYS[kind])
    assert len(values) == count
    return values, place + 12 + size


def turn(x: float, y: float, z: float) -> np.ndarray:
    """Degrees, x first."""
    x, y, z = map(math.radians, (x, y, z))
    cx, sx, cy, sy, cz, sz = math.cos(x), math.sin(x), math.cos(y), math.sin(y), math.cos(z), math.sin(z)
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


class Scene:
    """Objects by number, and their parents."""

    def __init__(self, path: Path) -> None:
        self.top = parse(path.read_bytes())
        self.objects = {node.values[0]: node for node in self.top.one("Objects").inside}
        assert len(self.objects) == len(self.top.one("Objects").inside)
        self.children: dict[int, list[tuple[int, str]]] = defaultdict(list)
        self.parent: dict[int, int] = {}
        for link in self.top.one("Connections").inside:
            kind, child, parent, *role = link.values
            assert child in self.objects and (parent == 0 or parent in self.objects)
            self.children[parent].append((child, role[0] if role else ""))
            if kind == "OO" and self.objects[child].name == "Model" and (parent == 0 or self.is_a(parent, "Model")):
                self.parent[child] = parent
        self.joints = {self.name(n): n for n in self.objects if self.is_a(n, "Model") and self.form(n) == "LimbNode"}
        self.takes = {self.name(n): n for n in self.objects if self.is_a(n, "AnimationStack")}

    def is_a(self, number: int, kind: str) -> bool:
        return self.objects[number].name == kind

    def form(self, number: int) -> str:
        return self.objects[number].values[2]

    def name(self, number: int) -> str:
        return self.objects[number].values[1].split("\x00\x01")[0]

    def below(self, number: int, kind: str) -> list[int]:
        return [child for child, _ in self.children[number] if self.is_a(child, kind)]

    def curves(self, take: str) -> dict[tuple[int, str, str], tuple[np.ndarray, np.ndarray]]:
        """Times in seconds and values by (model, property, axis)."""
        (layer,) = self.below(self.takes[take], "AnimationLayer")
        out = {}
        for holder in self.below(layer, "AnimationCurveNode"):
            ((model, role),) = [
                (p, role) for p, links in self.children.items() for c, role in links if c == holder and role
            ]
            for curve, axis in self.children[holder]:
                node = self.objects[curve]
                times = node.one("KeyTime").values[0] / TICKS
                assert node.one("KeyAttrRefCount").values[0].sum() == len(times)
                out[model, role, axis] = (times, node.one("KeyValueFloat").values[0])
        return out

    def world(self, model: int, curves: dict[Any, Any], time: float) -> np.ndarray:
        own = self.objects[model].props()

        def value(role: str) -> list[float]:
            out = []
            for axis, rest in zip("XYZ", own[role], strict=True):
                if (model, role, f"d|{axis}") in curves:
                    out.append(float(np.interp(time, *curves[model, role, f"d|{axis}"])))
                else:
                    out.append(rest)
            return out

        local = np.eye(4)
        local[:3, :3] = turn(*value("Lcl Rotation")) @ np.diag(value("Lcl Scaling"))
        local[:3, 3] = value("Lcl Translation")
        parent = self.parent[model]
        return local if parent == 0 else self.world(parent, curves, time) @ local

    def unit(self) -> float:
        """Metres per unit of length."""
        return self.top.one("GlobalSettings").props()["UnitScaleFactor"][0] / 100

    def positions(self, take: str, names: tuple[str, ...], times: np.ndarray) -> np.ndarray:
        """Joints (times, joints, 3) in metres."""
        curves = self.curves(take)
        return np.array(
            [[self.world(self.joints[name], curves, t)[:3, 3] * self.unit() for name in names] for t in times]
        )

    def vertices(self, take: str, times: np.ndarray) -> list[np.ndarray]:
        """Of every mesh (times, vertices, 3) in metres: the sum of w link(t) transform v."""
        curves = self.curves(take)
        out = []
        for model in (n for n in self.objects if self.is_a(n, "Model") and self.form(n) == "Mesh"):
            (geometry,) = self.below(model, "Geometry")
            points = self.objects[geometry].one("Vertices").values[0].reshape(-1, 3)
            points = np.hstack([points, np.ones((len(points), 1))])
            (skin,) = self.below(geometry, "Deformer")
            moved = np.zeros((len(times), len(points), 3))
            total = np.zeros(len(points))
            for cluster in self.below(skin, "Deformer"):
                node = self.objects[cluster]
                which, shares = node.one("Indexes").values[0], node.one("Weights").values[0]
                transform = node.one("Transform").values[0].reshape(4, 4).T
                link = node.one("TransformLink").values[0].reshape(4, 4).T
                np.testing.assert_allclose(link @ transform, np.eye(4), atol=1e-9)
                (joint,) = self.below(cluster, "Model")
                for k, time in enumerate(times):
                    matrix = self.world(joint, curves, time) @ transform
                    moved[k, which] += shares[:, None] * (points[which] @ matrix.T)[:, :3]
                total[which] += shares
            np.testing.assert_allclose(total, 1.0, atol=1e-9)
            out.append(moved * self.unit())
        return out
