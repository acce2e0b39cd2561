"""Read typed arrays of a glTF file, checked against bounds, and the triangles of meshes."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.formats.gltf.container import Container, Item
from freshtake.formats.read_options import ReadOptions
from freshtake.numeric.arrays import Floats

_TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}  # components of an element

Array = npt.NDArray[Any]


def floats(container: Container, index: int, kind: str) -> Floats:
    """Return finite values (count, width); normalized integers are converted as the standard defines."""
    item, raw = _raw(container, index, kind)
    values: Floats = raw.astype(np.float64)
    if item.flag("normalized") and raw.dtype.kind in "iu":
        values = np.maximum(values / np.iinfo(raw.dtype).max, -1.0)
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0, 0])
        item.fail(f"element {row} is not finite")
    return values


def integers(container: Container, index: int, kind: str) -> npt.NDArray[np.int64]:
    """Return values (count, width) of an accessor of unsigned integers, such as vertex or joint numbers."""
    item, raw = _raw(container, index, kind)
    if raw.dtype.kind != "u":
        item.fail("unsigned integers were expected", "componentType")
    return raw.astype(np.int64)


def _raw(container: Container, index: int, kind: str) -> tuple[Item, Array]:
    item = container.accessors[index]
    if item.text("type") != kind:
        item.fail(f"{kind} was expected, not {item.text('type')[:20]!r}", "type")
    dtype, width = _component(item), _WIDTHS[kind]
    count = item.integer("count", low=1)
    if "bufferView" in item:
        raw = _elements(container, item, dtype, width, count)
    else:
        # An accessor without data is all zeros; its size is bounded by that of the file.
        if count > max((1 << 16), container.size):
            item.fail(f"{count} elements are declared, but there is no data for them", "count")
        raw = np.zeros((count, width), dtype)
    sparse = item.child("sparse")
    return item, raw if sparse is None else _with_sparse(container, sparse, raw)


def _component(item: Item) -> np.dtype[Any]:
    code = item.integer("componentType")
    if code not in _TYPES:
        item.fail(f"one of {', '.join(map(str, _TYPES))} was expected, not {code}", "componentType")
    return np.dtype(_TYPES[code])


def _elements(
    container: Container, item: Item, dtype: np.dtype[Any], width: int, count: int, stride: int | None = None
) -> Array:
    """Return elements (count, width) of a buffer view, with the view's stride unless one is given."""
    number = item.needed_index("bufferView", len(container.views), "buffer view")
    view = container.views[number]
    data = view_bytes(container, number)
    size = width * dtype.itemsize
    step = stride or view.integer("byteStride", size, low=1, high=1 << 16)
    offset = item.integer("byteOffset", 0)
    if step < size:
        view.fail(f"a stride of {step} bytes is less than an element's {size}", "byteStride")
    end = offset + step * (count - 1) + size
    if end > len(data):
        item.fail(f"{count} elements reach to byte {end} of a buffer view of {len(data)} bytes", "count")
    rows = np.ndarray((count, size), np.uint8, data, offset, (step, 1))
    return np.ascontiguousarray(rows).view(dtype)


def view_bytes(container: Container, number: int) -> memoryview:
    """Return the bytes of a buffer view, checked to be inside its buffer."""
    view = container.views[number]
    index = view.needed_index("buffer", len(container.buffers), "buffer")
    buffer = container.buffers[index]
    if buffer is None:
        view.fail(f"buffer {index} has no data", "buffer")
    start, length = view.integer("byteOffset", 0), view.integer("byteLength", low=1)
    if start + length > len(buffer):
        view.fail(f"bytes {start} to {start + length} are not all in the buffer of {len(buffer)}", "byteLength")
    return memoryview(buffer)[start : start + length]


def _with_sparse(container: Container, sparse: Item, raw: Array) -> Array:
    count = sparse.integer("count", low=1, high=len(raw))
    places, values = sparse.needed("indices"), sparse.needed("values")
    kind = _component(places)
    if kind.kind != "u":
        places.fail("unsigned integers were expected", "componentType")
    where = _elements(container, places, kind, 1, count, kind.itemsize)[:, 0].astype(np.int64)
    if where.max() >= len(raw) or (np.diff(where) <= 0).any():
        places.fail(f"indices must increase and stay below {len(raw)}")
    out = raw.copy()
    width = raw.shape[1]
    out[where] = _elements(container, values, raw.dtype, width, count, width * raw.itemsize)
    return out


Whole = npt.NDArray[np.int64]
_TRIANGLES, _STRIP, _FAN = 4, 5, 6


class Primitive(NamedTuple):
    """Vertices (n, 3), triangles (m, 3), and optional attributes; influences are (n, 4 per set)."""

    item: Item
    vertices: Floats
    faces: Whole
    normals: Floats | None
    coordinates: Floats | None
    joints: Whole | None
    weights: Floats | None
    vertex_targets: Floats  # (targets, n, 3)
    normal_targets: Floats

    def morphed(self, weights: Floats) -> tuple[Floats, Floats | None]:
        """Return vertices and normals with the weighted morph targets added."""
        if not len(self.vertex_targets):
            return self.vertices, self.normals
        vertices = self.vertices + np.tensordot(weights, self.vertex_targets, 1)
        normals = None if self.normals is None else self.normals + np.tensordot(weights, self.normal_targets, 1)
        return vertices, normals


def primitives_of(container: Container, mesh: Item, options: ReadOptions) -> list[Primitive]:
    """Return the triangle primitives of one mesh; points and lines are left out with a warning."""
    out = []
    for item in mesh.items("primitives"):
        mode = item.integer("mode", _TRIANGLES, high=6)
        extensions = item.child("extensions")
        if extensions is not None and "KHR_draco_mesh_compression" in extensions:
            item.fail("the mesh is compressed with Draco, which is not supported: export without compression")
        if mode < _TRIANGLES:
            options.warn(f"{container.path.name}: {item.place} is points or lines, which are left out")
            continue
        attributes = item.needed("attributes")
        position = attributes.needed_index("POSITION", len(container.accessors), "accessor")
        vertices = floats(container, position, "VEC3")
        count = len(vertices)
        normals = _attribute(container, attributes, "NORMAL", "VEC3", count)
        coordinates = _attribute(container, attributes, "TEXCOORD_0", "VEC2", count)
        influences = _influences(container, attributes, count)
        targets = _targets(container, item, vertices, normals)
        faces = _faces(container, item, mode, count)
        out.append(Primitive(item, vertices, faces, normals, coordinates, *influences, *targets))
    return out


def _attribute(container: Container, attributes: Item, name: str, kind: str, count: int) -> Floats | None:
    """Return an attribute of all vertices, None if there is none."""
    index = attributes.index(name, len(container.accessors), "accessor")
    if index is None:
        return None
    values = floats(container, index, kind)
    if len(values) != count:
        attributes.fail(f"{count} elements were expected, as in POSITION, not {len(values)}", name)
    return values


def _influences(container: Container, attributes: Item, count: int) -> tuple[Whole | None, Floats | None]:
    """Return all sets JOINTS_k and WEIGHTS_k side by side, the weights of each vertex scaled to sum to 1."""
    joints, weights = [], []
    for number in range(16):
        shares = _attribute(container, attributes, f"WEIGHTS_{number}", "VEC4", count)
        index = attributes.index(f"JOINTS_{number}", len(container.accessors), "accessor")
        if shares is None or index is None:
            break
        which = integers(container, index, "VEC4")
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
        shift = _attribute(container, target, "POSITION", "VEC3", len(vertices))
        turn = _attribute(container, target, "NORMAL", "VEC3", len(vertices)) if normals is not None else None
        if shift is not None:
            moved[number] = shift
        if turn is not None:
            turned[number] = turn
    return moved, turned


def _faces(container: Container, item: Item, mode: int, count: int) -> Whole:
    """Return the triangles of a primitive with `count` vertices."""
    index = item.index("indices", len(container.accessors), "accessor")
    corners = np.arange(count) if index is None else integers(container, index, "SCALAR")[:, 0]
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
