"""The binary form of FBX 7.4: a tree of named nodes, each with typed values and further nodes."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError

VERSION = 7400
_MAGIC = b"Kaydara FBX Binary  \x00\x1a\x00"
_HEAD = struct.Struct("<IIIB")  # end of the node in the file, how many values, their bytes, length of the name
_END = bytes(_HEAD.size)  # closes a list of nodes
_MOST = 1 << 32
_PACKED = 128  # bytes from which an array is compressed
_ALWAYS_LISTS = (b"AnimationStack", b"AnimationLayer")  # strict readers (assimp) skip these without a list of nodes
_CODES = {"f4": b"f", "f8": b"d", "i4": b"i", "i8": b"l"}
# A file of 7.4 names a date and two keys that are computed from it; for this date they are these.
MADE = "1970-01-01 10:00:00:000"
FILE_ID = bytes.fromhex("28b32aebb624ccc2bfc8b02aa92bfcf1")
_FOOT = bytes.fromhex("fabcab09d0c8d466b176fb831cf7267e")
_LAST = bytes.fromhex("f85a8c6adef5d97eece90ce3758f290b")


class Node(NamedTuple):
    """A name, values that are encoded already, and the nodes inside."""

    name: bytes
    values: Sequence[bytes] = ()
    inside: Sequence[Node] = ()


def node(name: str, *values: bytes, inside: Sequence[Node] = ()) -> Node:
    """A node of encoded values."""
    return Node(name.encode(), values, inside)


def whole(value: int) -> bytes:
    """A 32-bit integer."""
    return struct.pack("<ci", b"I", value)


def long(value: int) -> bytes:
    """A 64-bit integer, such as an object's number or a time."""
    return struct.pack("<cq", b"L", value)


def real(value: float) -> bytes:
    """A double."""
    return struct.pack("<cd", b"D", value)


def text(value: str) -> bytes:
    """A string."""
    coded = value.encode("utf-8", "replace")
    return struct.pack("<cI", b"S", len(coded)) + coded


def titled(name: str, kind: str) -> bytes:
    """An object's name with its class, the two kept apart by 0 and 1."""
    coded = name.replace("\0", " ").encode("utf-8", "replace") + b"\x00\x01" + kind.encode()
    return struct.pack("<cI", b"S", len(coded)) + coded


def raw(value: bytes) -> bytes:
    """Bytes as they are."""
    return struct.pack("<cI", b"R", len(value)) + value


def array(values: npt.NDArray[Any], kind: str) -> bytes:
    """All numbers of an array as `kind` (f4, f8, i4 or i8), compressed where that pays."""
    data = np.ascontiguousarray(values, dtype=f"<{kind}").tobytes()
    count = data if len(data) < _PACKED else zlib.compress(data, 1)
    packed = int(count is not data)
    return _CODES[kind] + struct.pack("<III", values.size, packed, len(count)) + count


def put_together(path: Path, nodes: Sequence[Node]) -> bytes:
    """The bytes of a whole file."""
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
    if len(out) >= _MOST:
        raise FormatError(path, "an FBX 7.4 file holds less than 4 GiB: write fewer clips to a file")
    struct.pack_into("<I", out, start, len(out))
