"""A second reader of OSC packets, so ours is not checked against itself."""

from __future__ import annotations

import struct


def read_packet(packet: bytes) -> list[tuple[str, tuple[int | float | str, ...]]]:
    """All messages of a packet, in order."""
    if packet[:8] == b"#bundle\0":
        assert packet[8:16] == b"\0" * 7 + b"\1"
        rest, out = packet[16:], []
        while rest:
            size = int.from_bytes(rest[:4], "big")
            assert size % 4 == 0 and size <= len(rest) - 4
            out += read_packet(rest[4 : 4 + size])
            rest = rest[4 + size :]
        return out
    words = []
    for _ in range(2):
        word, packet = _word(packet)
        words.append(word)
    values: list[int | float | str] = []
    for tag in words[1][1:]:
        if tag == "s":
            word, packet = _word(packet)
            values.append(word)
        else:
            values.append(struct.unpack(">" + tag, packet[:4])[0])
            packet = packet[4:]
    assert not packet
    return [(words[0], tuple(values))]


def _word(packet: bytes) -> tuple[str, bytes]:
    """A string in words of four bytes, the last of which holds a zero; and what comes after it."""
    word = b""
    while b"\0" not in word:
        word, packet = word + packet[:4], packet[4:]
    text, _, filled = word.partition(b"\0")
    assert len(word) % 4 == 0 and not filled.strip(b"\0")
    return text.decode(), packet
