"""Typed arrays of a glTF file: component types, normalized integers, strides and sparse parts, within bounds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.formats.gltf.container import Container
from freshtake.formats.gltf.json_fields import Item
from freshtake.numeric.arrays import Floats

_TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_SHAPES = {"SCALAR": (1, 1), "VEC2": (2, 1), "VEC3": (3, 1), "VEC4": (4, 1), "MAT2": (2, 2), "MAT3": (3, 3)}
_SHAPES["MAT4"] = (4, 4)
_FREE_ZEROS = 1 << 16  # elements of an accessor without data that need no justification by the file's size

Array = npt.NDArray[Any]


class _Layout(NamedTuple):
    """How one element lies in memory: rows by columns of a component, each column padded to `column` bytes."""

    dtype: np.dtype[Any]
    rows: int
    columns: int

    @property
    def column(self) -> int:
        size = self.rows * self.dtype.itemsize
        return size + (-size % 4 if self.columns > 1 else 0)

    @property
    def size(self) -> int:
        return self.column * self.columns


def floats(container: Container, index: int, kinds: tuple[str, ...]) -> Floats:
    """Values (count, width) as numbers; normalized integers are divided as the standard says. All finite."""
    item, raw = _raw(container, index, kinds)
    values: Floats = raw.astype(np.float64)
    if item.flag("normalized") and raw.dtype.kind in "iu":
        values = np.maximum(values / np.iinfo(raw.dtype).max, -1.0)
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0, 0])
        item.fail(f"element {row} is not finite")
    return values


def integers(container: Container, index: int, kinds: tuple[str, ...]) -> npt.NDArray[np.int64]:
    """Values (count, width) of an accessor of unsigned integers, such as vertex or joint numbers."""
    item, raw = _raw(container, index, kinds)
    if raw.dtype.kind != "u":
        item.fail("unsigned integers were expected", "componentType")
    return raw.astype(np.int64)


def _raw(container: Container, index: int, kinds: tuple[str, ...]) -> tuple[Item, Array]:
    item = container.accessors[index]
    layout = _layout(item, kinds)
    count = item.integer("count", low=1)
    if "bufferView" in item:
        raw = _elements(container, item, layout, count)
    else:
        if count > max(_FREE_ZEROS, container.size):
            item.fail(f"{count} elements are declared, but no data is there for them", "count")
        raw = np.zeros((count, layout.rows * layout.columns), layout.dtype)
    sparse = item.child("sparse")
    return item, raw if sparse is None else _with_sparse(container, sparse, raw, layout)


def _layout(item: Item, kinds: tuple[str, ...]) -> _Layout:
    kind = item.text("type")
    if kind not in kinds:
        item.fail(f"{' or '.join(kinds)} was expected, not {kind[:20]!r}", "type")
    return _Layout(_component(item), *_SHAPES[kind])


def _component(item: Item) -> np.dtype[Any]:
    code = item.integer("componentType")
    if code not in _TYPES:
        item.fail(f"one of {', '.join(map(str, _TYPES))} was expected, not {code}", "componentType")
    return np.dtype(_TYPES[code])


def _elements(container: Container, item: Item, layout: _Layout, count: int, stride: int | None = None) -> Array:
    """Elements (count, rows x columns) out of a buffer view; the view's own stride unless one is given."""
    number = item.index("bufferView", len(container.views), "buffer view")
    if number is None:
        item.fail("'bufferView' is missing")
    view = container.views[number]
    data = view_bytes(container, number)
    step = stride or view.integer("byteStride", layout.size, low=1, high=1 << 16)
    offset = item.integer("byteOffset", 0)
    if step < layout.size:
        view.fail(f"a stride of {step} bytes is less than an element's {layout.size}", "byteStride")
    end = offset + step * (count - 1) + layout.size
    if end > len(data):
        item.fail(f"{count} elements reach to byte {end} of a buffer view of {len(data)} bytes", "count")
    rows = np.ndarray((count, layout.size), np.uint8, data, offset, (step, 1))
    return _components(rows, layout)


def _components(rows: npt.NDArray[np.uint8], layout: _Layout) -> Array:
    count = len(rows)
    columns = rows.reshape(count, layout.columns, layout.column)[:, :, : layout.rows * layout.dtype.itemsize]
    packed = np.ascontiguousarray(columns).view(layout.dtype)
    return packed.reshape(count, layout.columns * layout.rows)


def view_bytes(container: Container, number: int) -> memoryview:
    """The bytes of a buffer view, checked to lie inside its buffer."""
    view = container.views[number]
    index = view.index("buffer", len(container.buffers), "buffer")
    if index is None:
        view.fail("'buffer' is missing")
    buffer = container.buffers[index]
    if buffer is None:
        view.fail(f"buffer {index} has no data", "buffer")
    start, length = view.integer("byteOffset", 0), view.integer("byteLength", low=1)
    if start + length > len(buffer):
        view.fail(f"bytes {start} to {start + length} lie outside the buffer's {len(buffer)}", "byteLength")
    return memoryview(buffer)[start : start + length]


def _with_sparse(container: Container, sparse: Item, raw: Array, layout: _Layout) -> Array:
    count = sparse.integer("count", low=1, high=len(raw))
    places, values = sparse.needed("indices"), sparse.needed("values")
    kind = _component(places)
    if kind.kind != "u":
        places.fail("unsigned integers were expected", "componentType")
    where = _elements(container, places, _Layout(kind, 1, 1), count, kind.itemsize)[:, 0].astype(np.int64)
    if where.max() >= len(raw) or (np.diff(where) <= 0).any():
        places.fail(f"indices must increase and stay below {len(raw)}")
    out = raw.copy()
    out[where] = _elements(container, values, layout, count, layout.size)
    return out
