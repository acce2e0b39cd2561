"""Encode and parse binary FBX: a tree of named nodes, each with typed values and child nodes."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError

VERSION = 7400
_MAGIC = b"Kaydara FBX Binary  \x00\x1a\x00"
_HEAD = struct.Struct("<IIIB")  # end of the node in the file, number of values, their bytes, length of the name
_END = bytes(_HEAD.size)  # closes a list of nodes
_ALWAYS_LISTS = (b"AnimationStack", b"AnimationLayer")  # these need a child list for strict readers (assimp)
_CODES = {"f4": b"f", "f8": b"d", "i4": b"i", "i8": b"l"}
# A file of version 7.4 holds a date and two keys computed from it; change them only together.
MADE = "1970-01-01 10:00:00:000"
FILE_ID = bytes.fromhex("28b32aebb624ccc2bfc8b02aa92bfcf1")
_FOOT = bytes.fromhex("fabcab09d0c8d466b176fb831cf7267e")
_LAST = bytes.fromhex("f85a8c6adef5d97eece90ce3758f290b")


class Node(NamedTuple):
    """A name, encoded values, and child nodes."""

    name: bytes
    values: Sequence[bytes] = ()
    inside: Sequence[Node] = ()


def node(name: str, *values: bytes, inside: Sequence[Node] = ()) -> Node:
    """Return a node from encoded values."""
    return Node(name.encode(), values, inside)


def whole(value: int) -> bytes:
    """Encode a 32-bit integer."""
    return struct.pack("<ci", b"I", value)


def long(value: int) -> bytes:
    """Encode a 64-bit integer, such as an object's number or a time."""
    return struct.pack("<cq", b"L", value)


def real(value: float) -> bytes:
    """Encode a double."""
    return struct.pack("<cd", b"D", value)


def text(value: str) -> bytes:
    """Encode a string."""
    return raw(value.encode("utf-8", "replace"), b"S")


def titled(name: str, kind: str) -> bytes:
    """Encode an object's name and its class, separated by the bytes 0 and 1."""
    return text(name.replace("\0", " ") + "\x00\x01" + kind)


def raw(value: bytes, kind: bytes = b"R") -> bytes:
    """Encode bytes with their count."""
    return struct.pack("<cI", kind, len(value)) + value


def array(values: npt.NDArray[Any], kind: str) -> bytes:
    """Encode an array as `kind` (f4, f8, i4 or i8), compressed if it is large enough."""
    data = np.ascontiguousarray(values, dtype=f"<{kind}").tobytes()
    # Small arrays are not worth compressing.
    count = data if len(data) < 128 else zlib.compress(data, 1)
    packed = int(count is not data)
    return _CODES[kind] + struct.pack("<III", values.size, packed, len(count)) + count


def put_together(path: Path, nodes: Sequence[Node]) -> bytes:
    """Return the bytes of a complete file."""
    out = bytearray(_MAGIC + struct.pack("<I", VERSION))
    for entry in nodes:
        _put(path, out, entry)
    out += _END + _FOOT + bytes(4)
    out += bytes(16 - len(out) % 16) + struct.pack("<I", VERSION) + bytes(120) + _LAST
    return bytes(out)


def _put(path: Path, out: bytearray, entry: Node) -> None:
    start = len(out)
    values = b"".join(entry.values)
    out += _HEAD.pack(0, len(entry.values), len(values), len(entry.name))
    out += entry.name
    out += values
    if entry.inside or not entry.values or entry.name in _ALWAYS_LISTS:
        for child in entry.inside:
            _put(path, out, child)
        out += _END
    # Offsets have 32 bits in 7.4.
    if len(out) >= (1 << 32):
        raise FormatError(path, "an FBX 7.4 file holds less than 4 GiB: write fewer clips to a file")
    struct.pack_into("<I", out, start, len(out))


_START = _MAGIC[:21]
_OLDEST, _WIDE = 7100, 7500  # versions: before 7100, the layout differs; since 7500, lengths have 64 bits
_PLAIN = {b"Y": "<h", b"I": "<i", b"F": "<f", b"D": "<d", b"L": "<q", b"C": "<B", b"B": "<B"}
_ARRAYS = {b"f": "<f4", b"d": "<f8", b"l": "<i8", b"i": "<i4", b"b": "<u1", b"c": "<u1"}


@dataclass
class Entry:
    """A node of the tree: its name, its values (numbers, texts, arrays), and child nodes."""

    name: str
    values: list[Any]
    inside: list[Entry] = field(default_factory=list)

    def all(self, name: str) -> Iterator[Entry]:
        """Yield the child nodes with this name."""
        return (child for child in self.inside if child.name == name)

    def one(self, name: str) -> Entry | None:
        """Return the first child node with this name, or None."""
        return next(self.all(name), None)

    def value(self, place: int, kind: type) -> Any:
        """Return a value of that type, or None."""
        value = self.values[place] if place < len(self.values) else None
        return value if isinstance(value, kind) and not isinstance(value, bool) else None

    def numbers(self, name: str) -> npt.NDArray[np.float64]:
        """Return the array of the first child node with this name; empty if there is none."""
        child = self.one(name)
        values = child.values[0] if child is not None and child.values else None
        return values.astype(np.float64) if isinstance(values, np.ndarray) else np.zeros(0)


class _Source:
    """The file's bytes with a budget of nodes."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path, self.data = path, data
        (self.version,) = struct.unpack_from("<I", data, 23)
        self.head = struct.Struct("<QQQB" if self.version >= _WIDE else "<IIIB")
        # A budget, so that a damaged file cannot make the tree grow without bound.
        self.left = min(5_000_000, len(data) // self.head.size + 1)

    def fail(self, problem: str, place: int) -> FormatError:
        return FormatError(self.path, problem, f"byte {place}")


def parse(path: Path, data: bytes) -> Entry:
    """Return the tree of a binary file of version 7.1 to 7.7."""
    if not data.startswith(_START) or len(data) < 27:
        remedy = "save it as binary, or open it in Blender and export glTF or BVH"
        raise FormatError(path, f"this is an FBX text file, and only binary FBX is read: {remedy}", "byte 0")
    source = _Source(path, data)
    if not _OLDEST <= source.version < 8000:
        problem = f"FBX {source.version / 1000:.1f} cannot be read, only 7.1 to 7.7: save it as FBX 2014 or later"
        raise source.fail(problem, 23)
    top = Entry("", [])
    place = 27
    while place + source.head.size <= len(data):
        child, place = _node(source, place, len(data), 0)
        if child is None:
            return top
        top.inside.append(child)
    raise source.fail("the file is cut off: get it again", len(data))


def _node(source: _Source, place: int, limit: int, depth: int) -> tuple[Entry | None, int]:
    begin, head = place, source.head
    if place + head.size > limit:
        raise source.fail("a node extends beyond its parent", place)
    end, count, size, letters = head.unpack_from(source.data, place)
    place += head.size
    if end == 0:
        return None, place
    source.left -= 1
    # A limit on the depth, so that recursion ends in a damaged file.
    if source.left < 0 or depth > 64:
        raise source.fail("there are more nodes, or deeper ones, than the file can hold", begin)
    if not place + letters + size <= end <= limit:
        raise source.fail(f"a node claims to end at byte {end}, which is impossible", begin)
    name = source.data[place : place + letters].decode("utf-8", "replace")
    place += letters
    stop = place + size
    entry = Entry(name, [])
    if count > size:
        raise source.fail(f"a node claims to have {count} values in {size} bytes", begin)
    for _ in range(count):
        value, place = _value(source, place, stop)
        entry.values.append(value)
    if place != stop:
        raise source.fail("the values of a node do not fill its stated size", begin)
    while place < end:
        child, place = _node(source, place, end, depth + 1)
        if child is None:
            break
        entry.inside.append(child)
    return entry, end


def _value(source: _Source, place: int, stop: int) -> tuple[Any, int]:
    kind = source.data[place : place + 1]
    begin, place = place, place + 1
    if kind in _PLAIN:
        layout = struct.Struct(_PLAIN[kind])
        if place + layout.size > stop:
            raise source.fail("a value is cut off", begin)
        return layout.unpack_from(source.data, place)[0], place + layout.size
    if kind in (b"S", b"R"):
        if place + 4 > stop:
            raise source.fail("a length is cut off", place)
        (size,) = struct.unpack_from("<I", source.data, place)
        content = source.data[place + 4 : place + 4 + size]
        if place + 4 + size > stop:
            raise source.fail(f"a text of {size} bytes is cut off", begin)
        return content.decode("utf-8", "replace") if kind == b"S" else content, place + 4 + size
    if kind in _ARRAYS:
        return _array(source, place, stop, np.dtype(_ARRAYS[kind]))
    raise source.fail(f"a value of the unknown type {kind!r}", begin)


def _array(source: _Source, place: int, stop: int, dtype: np.dtype[Any]) -> tuple[Any, int]:
    if place + 12 > stop:
        raise source.fail("an array is cut off", place)
    count, packed, size = struct.unpack_from("<III", source.data, place)
    begin, place = place, place + 12
    length = count * dtype.itemsize
    # Deflate expands a byte to about 1,030 at most, so a larger declared size is a bomb.
    if place + size > stop or (length != size if not packed else length > size * 1100 + 64):
        raise source.fail(f"an array of {count} numbers does not fit into {size} bytes", begin)
    content = source.data[place : place + size]
    if packed:
        try:
            unpacker = zlib.decompressobj()
            content = unpacker.decompress(content, length + 1)
        except zlib.error:
            raise source.fail("a packed array is damaged", begin) from None
    if len(content) != length:
        raise source.fail(f"an array of {count} numbers has {len(content)} bytes", begin)
    return np.frombuffer(content, dtype), place + size
