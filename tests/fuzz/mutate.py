"""Random damage to a file's bytes, which depends only on a generator."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

import numpy as np

Rng = np.random.Generator

WORDS = tuple(
    b"0 -1 1 2 -0 255 256 65535 65536 2147483647 -2147483648 4294967295 9999999999999999999999 1e308 -1e308 1e999 "
    b'1e-320 nan inf -inf 0.5 .5 5. 1_000 0x10 true null [] {} "" , : ; { } [ ] \xff \xc3\xa9 \xe2\x80\xa8 \n \r '
    b"\t \x0b ../x /etc/hostname".split(b" ")
)
INTEGERS = (0, 1, -1, 2, 127, 128, 255, 256, 32767, 32768, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1)
REALS = (0.0, -0.0, 1.0, -1.0, 1e38, -1e38, float("nan"), float("inf"), 1e-40)
_NUMBER = re.compile(rb"[-+]?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?")
_TOKEN = re.compile(rb"[^\s,{}\[\]:]+")


def place(data: bytes, rng: Rng) -> int:
    return int(rng.integers(0, len(data) + 1))


def span(data: bytes, rng: Rng, longest: int = 64) -> tuple[int, int]:
    start = place(data, rng)
    return start, min(len(data), start + int(rng.integers(1, longest)))


def flip(data: bytes, other: bytes, rng: Rng) -> bytes:
    out = bytearray(data)
    for at in rng.integers(0, max(len(out), 1), size=int(rng.integers(1, 8))).tolist():
        if at < len(out):
            out[at] ^= 1 << int(rng.integers(0, 8))
    return bytes(out)


def scribble(data: bytes, other: bytes, rng: Rng) -> bytes:
    at, end = span(data, rng, 12)
    return data[:at] + rng.bytes(end - at) + data[end:]


def truncate(data: bytes, other: bytes, rng: Rng) -> bytes:
    return data[: place(data, rng)]


def delete(data: bytes, other: bytes, rng: Rng) -> bytes:
    at, end = span(data, rng, 200)
    return data[:at] + data[end:]


def repeat(data: bytes, other: bytes, rng: Rng) -> bytes:
    at, end = span(data, rng, 200)
    return data[:end] + data[at:end] * int(rng.integers(1, 50)) + data[end:]


def splice(data: bytes, other: bytes, rng: Rng) -> bytes:
    at, end = span(other, rng, 400)
    start, stop = span(data, rng, 400)
    return data[:start] + other[at:end] + data[stop:]


def edit_number(data: bytes, other: bytes, rng: Rng) -> bytes:
    return _replaced(data, _NUMBER, rng)


def edit_token(data: bytes, other: bytes, rng: Rng) -> bytes:
    return _replaced(data, _TOKEN, rng)


def _replaced(data: bytes, pattern: re.Pattern[bytes], rng: Rng) -> bytes:
    found = list(pattern.finditer(data, place(data, rng)))[:20] or list(pattern.finditer(data))[:20]
    if not found:
        return data
    chosen, donor = (found[int(rng.integers(0, len(found)))] for _ in range(2))
    word = WORDS[int(rng.integers(0, len(WORDS)))] if rng.random() < 0.7 else donor[0]
    return data[: chosen.start()] + word + data[chosen.end() :]


def shuffle_lines(data: bytes, other: bytes, rng: Rng) -> bytes:
    lines = data.split(b"\n")
    a, b = rng.integers(0, len(lines), size=2).tolist()
    if rng.random() < 0.5:
        lines[a], lines[b] = lines[b], lines[a]
    else:
        lines.insert(a, lines[b])
    return b"\n".join(lines)


def edit_field(data: bytes, other: bytes, rng: Rng) -> bytes:
    """Overwrite a binary number of one to eight bytes."""
    if rng.random() < 0.3:
        value = struct.pack("<f", REALS[int(rng.integers(0, len(REALS)))])
    else:
        size = int(rng.choice([1, 2, 4, 8]))
        number = INTEGERS[int(rng.integers(0, len(INTEGERS)))] % (1 << (8 * size))
        value = number.to_bytes(size, "little" if rng.random() < 0.8 else "big")
    at = place(data, rng) // len(value) * len(value)
    return data[:at] + value + data[at + len(value) :]


WAYS: tuple[Callable[[bytes, bytes, Rng], bytes], ...] = (
    flip,
    scribble,
    truncate,
    delete,
    repeat,
    splice,
    edit_number,
    edit_number,
    edit_number,
    edit_token,
    edit_token,
    shuffle_lines,
    edit_field,
    edit_field,
)


def mutate(data: bytes, other: bytes, rng: Rng) -> bytes:
    """Apply one to a few kinds of damage; `other` is another good file, whose pieces are inserted."""
    for _ in range(int(rng.geometric(0.5))):
        data = WAYS[int(rng.integers(0, len(WAYS)))](data, other, rng)
    return data[: 1 << 20]
