"""Parse and format decimal numbers, exact to the last bit, and index the corners of polygons."""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError
from freshtake.numeric.arrays import Floats, Ints

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_ALLOWED = b"0123456789+-.eE \t\n\r\v\f"
_BLANK = re.compile(rb"[ \t\n\r\v\f]")
_CHUNK = 1 << 20  # bytes at a time, so that lists of words stay small
_BLOCK = 100_000  # numbers at a time, for the same reason
Whole = npt.NDArray[np.int64]

COMPUTED_DECIMALS = 9  # for degrees and lengths that we computed; numbers of a file keep all their digits
_DECIMALS = (6, COMPUTED_DECIMALS)  # tried in this order: six are enough for most files


def finite_number(word: str) -> float | None:
    """Return the number that a word spells in plain decimal digits; None for nan, inf, hex, 1_000 and others."""
    if _NUMBER.fullmatch(word) is None:
        return None
    value = float(word)
    return value if math.isfinite(value) else None


def finite_numbers(words: Sequence[str]) -> list[float] | None:
    """Return the numbers that words without blanks spell, as `finite_number` does; None if one is not a number."""
    joined = "".join(words)
    # float() would also accept digits of other scripts, and 1_000.
    if not joined.isascii() or "_" in joined:
        return None
    try:
        values = list(map(float, words))
    except ValueError:
        return None
    return values if all(map(math.isfinite, values)) else None


def parse_numbers(path: Path, text: str, first_line: int) -> Floats:
    """Return all numbers of a text that are separated by white space; other words are refused, with their line."""
    raw = text.encode("ascii", "replace")
    # float() would also accept nan, inf, 1_000 and digits of other scripts.
    if raw.translate(None, _ALLOWED):
        raise _bad_number(path, text, first_line)
    parts, start = [np.empty(0)], 0
    while start < len(raw):
        blank = _BLANK.search(raw, start + _CHUNK)
        stop = blank.start() if blank else len(raw)
        try:
            parts.append(np.array(raw[start:stop].split(), dtype=np.float64))
        except ValueError:
            raise _bad_number(path, text, first_line) from None
        start = stop
    values = np.concatenate(parts)
    if not np.isfinite(values).all():
        raise _bad_number(path, text, first_line)
    return values


def words_per_line(text: str) -> Ints:
    """Return the number of words in each line."""
    data = np.frombuffer(b" " + text.encode("ascii", "replace"), dtype=np.uint8)
    blank = data <= ord(" ")
    begins = np.flatnonzero(blank[:-1] > blank[1:])
    return np.diff(np.searchsorted(begins, np.flatnonzero(data == ord("\n"))), prepend=0, append=len(begins))


def _bad_number(path: Path, text: str, first_line: int) -> FormatError:
    for number, row in enumerate(text.split("\n")):
        for word in row.split():
            if finite_number(word) is None:
                problem = f"a finite number was expected, not {word[:40]!r}"
                return FormatError(path, problem, f"line {first_line + number}")
    return FormatError(path, "a finite number was expected", f"line {first_line}")


def format_rows(values: Floats) -> bytes:
    """Return a line for each row (rows, columns): the shortest decimals that read back as the same bits."""
    step = max(1, _BLOCK // max(1, values.shape[1]))
    return b"".join([_block(values[k : k + step]) for k in range(0, len(values), step)])


def _block(values: Floats) -> bytes:
    for decimals in _DECIMALS:
        power = 10.0**decimals
        with np.errstate(over="ignore"):
            scaled = np.rint(values * power)
        # Whole numbers below this are exact in a float64, and so is their quotient by a power of ten.
        if np.abs(scaled).max(initial=0.0) < 1e15 and np.array_equal(scaled / power, values):
            return _fixed(np.abs(scaled).astype(np.int64), np.signbit(values), decimals)
    return "".join([" ".join(map(repr, row)) + "\n" for row in values.tolist()]).encode()


def _fixed(whole: Whole, negative: npt.NDArray[np.bool_], decimals: int) -> bytes:
    """Format whole numbers (rows, columns) divided by a power of ten, without trailing zeros."""
    before = whole // 10**decimals
    behind = _narrow(whole - before * 10**decimals)
    before = _narrow(before)
    integers = len(str(int(before.max(initial=0))))
    width = integers + decimals + 3  # sign, point and the trailing blank
    text = np.empty((*whole.shape, width), dtype=np.uint8)
    shown = np.empty(text.shape, dtype=bool)
    text[..., 0], shown[..., 0] = ord("-"), negative
    text[..., -1], shown[..., -1] = ord(" "), True
    text[:, -1, -1] = ord("\n")
    for place in range(integers, 0, -1):
        shown[..., place] = True if place == integers else before > 0
        # The digit before the point is always written (0.5), digits to its left only while some remain.
        before, text[..., place] = _last_digit(before)
    started = np.zeros(whole.shape, dtype=bool)
    for place in range(width - 2, integers + 1, -1):  # from the last digit
        behind, digit = _last_digit(behind)
        text[..., place] = digit
        started |= digit != ord("0")
        shown[..., place] = started
    text[..., integers + 1], shown[..., integers + 1] = ord("."), started
    return text[shown].tobytes()


def _narrow(whole: Whole) -> npt.NDArray[Any]:
    """Return the numbers in 32 bits if that is enough, since division is faster."""
    return whole.astype(np.uint32) if whole.max(initial=0) < 1 << 32 else whole


def _last_digit(whole: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint8]]:
    """Return the numbers without their last digit, and that digit as a character."""
    rest = whole // 10
    return rest, (whole - rest * 10 + ord("0")).astype(np.uint8)


def per_vertex(values: npt.NDArray[Any], corners: Ints, count: int) -> npt.NDArray[Any] | None:
    """Return values of corners (corners, width) for each of `count` vertices; None if corners of a vertex disagree."""
    out = np.zeros((count, values.shape[1]), values.dtype)
    out[corners] = values
    return out if np.array_equal(out[corners], values) else None


def fans(sizes: Ints) -> tuple[Ints, Ints]:
    """Return the triangles around the first corner of each polygon, given the number of corners of each polygon.

    Returns:
        Corners of the triangles (triangles, 3), counted through all polygons, and the polygon of each triangle.
    """
    counts = np.maximum(sizes - 2, 0)
    polygons = np.repeat(np.arange(len(sizes)), counts)
    first = np.repeat(np.cumsum(sizes) - sizes, counts)
    number = np.arange(len(polygons)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.stack([first, first + number + 1, first + number + 2], axis=1), polygons
