"""Open Sound Control 1.0 in bytes: messages of strings, whole numbers and floats, and bundles of them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from freshtake.errors import UsageError

Value = int | float | str
BUNDLE = b"#bundle\0"
NOW = struct.pack(">Q", 1)  # the time tag that means at once
LARGEST = 1400  # bytes of a packet: with the headers of IP and UDP below what one Ethernet frame holds
DEEPEST = 4  # bundles within bundles
_NUMBERS = {"i": ">i", "f": ">f", "h": ">q", "d": ">d"}
_CONSTANTS: dict[str, Value] = {"T": 1, "F": 0}


class Message(NamedTuple):
    """An address and its arguments."""

    address: str
    values: tuple[Value, ...]


def padded(text: str) -> bytes:
    """A string, closed by a zero byte and filled up to a multiple of four."""
    data = text.encode("utf-8") + b"\0"
    return data + bytes(-len(data) % 4)


def message(address: str, *values: Value) -> bytes:
    """One message; whole numbers have 32 bits, floats too."""
    tags = "".join("s" if isinstance(x, str) else "i" if isinstance(x, int) else "f" for x in values)
    body = b"".join(
        padded(x) if isinstance(x, str) else struct.pack(_NUMBERS[tag], x) for tag, x in zip(tags, values, strict=True)
    )
    return padded(address) + padded("," + tags) + body


def bundles(messages: Iterable[bytes], largest: int = LARGEST) -> Iterator[bytes]:
    """The messages in their order, in as few packets of at most `largest` bytes as hold them."""
    parts, size = [BUNDLE + NOW], 16
    for one in messages:
        if size + 4 + len(one) > largest and len(parts) > 1:
            yield b"".join(parts)
            parts, size = [BUNDLE + NOW], 16
        parts.append(struct.pack(">i", len(one)) + one)
        size += 4 + len(one)
    if len(parts) > 1:
        yield b"".join(parts)


def decoded(packet: bytes, deepest: int = DEEPEST) -> list[Message]:
    """All messages of a packet; one that is broken is refused with a sentence."""
    try:
        return list(_messages(packet, deepest))
    except (struct.error, UnicodeDecodeError, ValueError, IndexError):
        raise UsageError(f"a packet of {len(packet)} bytes is no OSC message or bundle") from None


def _messages(packet: bytes, deepest: int) -> Iterator[Message]:
    if not packet.startswith(BUNDLE):
        yield _message(packet)
        return
    if deepest == 0:
        raise ValueError
    at = 16
    while at < len(packet):
        (size,) = struct.unpack_from(">i", packet, at)
        if size <= 0 or at + 4 + size > len(packet):
            raise ValueError
        yield from _messages(packet[at + 4 : at + 4 + size], deepest - 1)
        at += 4 + size


def _message(data: bytes) -> Message:
    address, at = _string(data, 0)
    tags, at = _string(data, at)
    if not address.startswith("/") or not tags.startswith(","):
        raise ValueError
    values: list[Value] = []
    for tag in tags[1:]:
        if tag == "s":
            text, at = _string(data, at)
            values.append(text)
        elif tag in _NUMBERS:
            values.extend(struct.unpack_from(_NUMBERS[tag], data, at))
            at += struct.calcsize(_NUMBERS[tag])
        elif tag in _CONSTANTS:
            values.append(_CONSTANTS[tag])
        else:
            raise ValueError
    return Message(address, tuple(values))


def _string(data: bytes, at: int) -> tuple[str, int]:
    end = data.index(b"\0", at)
    return data[at:end].decode("utf-8"), at + (end - at) // 4 * 4 + 4
