"""Mesh primitives of a glTF file: triangles, vertex attributes, joint weights and morph targets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.formats.gltf.accessors import floats, integers
from freshtake.formats.gltf.container import Container
from freshtake.formats.gltf.json_fields import Item
from freshtake.formats.read_options import ReadOptions
from freshtake.numeric.arrays import Floats

Whole = npt.NDArray[np.int64]
_TRIANGLES, _STRIP, _FAN = 4, 5, 6


class Primitive(NamedTuple):
    """Vertices (n, 3), triangles (m, 3), and what may come with them; influences are (n, 4 per set)."""

    item: Item
    vertices: Floats
    faces: Whole
    normals: Floats | None
    coordinates: Floats | None
    joints: Whole | None
    weights: Floats | None
    vertex_targets: Floats  # (targets, n, 3)
    normal_targets: Floats

    def morphed(self, weights: Floats | None) -> tuple[Floats, Floats | None]:
        """Vertices and normals with the morph targets added by weight."""
        if weights is None or not len(self.vertex_targets):
            return self.vertices, self.normals
        vertices = self.vertices + np.tensordot(weights, self.vertex_targets, 1)
        normals = None if self.normals is None else self.normals + np.tensordot(weights, self.normal_targets, 1)
        return vertices, normals


def primitives_of(container: Container, mesh: Item, options: ReadOptions) -> list[Primitive]:
    """The triangle primitives of one mesh; points and lines are left out with a warning."""
    out = []
    for item in mesh.items("primitives"):
        mode = item.integer("mode", _TRIANGLES, high=6)
        extensions = item.child("extensions")
        if extensions is not None and "KHR_draco_mesh_compression" in extensions:
            item.fail("the mesh is compressed with Draco, which is not read: export without compression")
        if mode < _TRIANGLES:
            options.warn(f"{container.path.name}: {item.place} is points or lines, which are left out")
            continue
        out.append(_primitive(container, item, mode))
    return out


def _primitive(container: Container, item: Item, mode: int) -> Primitive:
    attributes = item.needed("attributes")
    vertices = _attribute(container, attributes, "POSITION", ("VEC3",))
    if vertices is None:
        attributes.fail("'POSITION' is missing")
    count = len(vertices)
    normals = _attribute(container, attributes, "NORMAL", ("VEC3",), count)
    coordinates = _attribute(container, attributes, "TEXCOORD_0", ("VEC2",), count)
    joints, weights = _influences(container, attributes, count)
    moved, turned = _targets(container, item, vertices, normals)
    faces = _faces(container, item, mode, count)
    return Primitive(item, vertices, faces, normals, coordinates, joints, weights, moved, turned)


def _attribute(
    container: Container, attributes: Item, name: str, kinds: tuple[str, ...], count: int | None = None
) -> Floats | None:
    index = attributes.index(name, len(container.accessors), "accessor")
    if index is None:
        return None
    values = floats(container, index, kinds)
    if count is not None and len(values) != count:
        attributes.fail(f"{count} elements were expected, as many as POSITION has, not {len(values)}", name)
    return values


def _influences(container: Container, attributes: Item, count: int) -> tuple[Whole | None, Floats | None]:
    """All sets JOINTS_k and WEIGHTS_k side by side, the weights of each vertex scaled to sum to 1."""
    joints, weights = [], []
    for number in range(16):
        shares = _attribute(container, attributes, f"WEIGHTS_{number}", ("VEC4",), count)
        index = attributes.index(f"JOINTS_{number}", len(container.accessors), "accessor")
        if shares is None or index is None:
            break
        which = integers(container, index, ("VEC4",))
        if len(which) != count:
            attributes.fail(f"{count} elements were expected, not {len(which)}", f"JOINTS_{number}")
        joints.append(which)
        weights.append(shares)
    if not joints:
        return None, None
    total = np.concatenate(weights, axis=1)
    sums = total.sum(axis=1, keepdims=True)
    return np.concatenate(joints, axis=1), total / np.where(np.abs(sums) > 1e-6, sums, 1.0)


def _targets(container: Container, item: Item, vertices: Floats, normals: Floats | None) -> tuple[Floats, Floats]:
    targets = item.items("targets")
    if len(targets) * len(vertices) > max(5_000_000, container.size):
        item.fail(f"{len(targets)} targets of {len(vertices)} vertices are more than the file can hold", "targets")
    moved = np.zeros((len(targets), len(vertices), 3))
    turned = np.zeros_like(moved) if normals is not None else moved[:, :0]
    for number, target in enumerate(targets):
        shift = _attribute(container, target, "POSITION", ("VEC3",), len(vertices))
        turn = _attribute(container, target, "NORMAL", ("VEC3",), len(vertices)) if normals is not None else None
        if shift is not None:
            moved[number] = shift
        if turn is not None:
            turned[number] = turn
    return moved, turned


def _faces(container: Container, item: Item, mode: int, count: int) -> Whole:
    index = item.index("indices", len(container.accessors), "accessor")
    corners = np.arange(count) if index is None else integers(container, index, ("SCALAR",))[:, 0]
    if corners.max(initial=0) >= count:
        item.fail(f"vertex {int(corners.max())} is used, but there are {count}", "indices")
    if mode == _TRIANGLES:
        if len(corners) % 3:
            item.fail(f"triangles need a multiple of three corners, not {len(corners)}", "indices")
        return corners.reshape(-1, 3)
    if len(corners) < 3:
        item.fail(f"a strip or fan of triangles needs three corners, not {len(corners)}", "indices")
    k = np.arange(len(corners) - 2)
    if mode == _FAN:
        return corners[np.stack([k + 1, k + 2, np.zeros_like(k)], axis=1)]
    odd = k % 2
    return corners[np.stack([k, k + 1 + odd, k + 2 - odd], axis=1)]


def mesh_weights(node: Item, mesh: Item, targets: int) -> Floats:
    """The weights of the morph targets at rest: the node's, else the mesh's, else zero."""
    owner = node if "weights" in node else mesh
    return owner.numbers("weights", targets, np.zeros(targets))
