"""The faces of an OBJ file: v, v/vt, v//vn and v/vt/vn, counted from the start or back from the line, as triangles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.numbers import finite_number, parse_numbers, words_per_line
from freshtake.formats.obj.text import place_of, without_word
from freshtake.numeric.arrays import Ints

_CORNER = re.compile(r"-?\d{1,10}(?:/(?:-?\d{1,10})?){0,2}")
_TABLES = ("v", "vt", "vn")


class FaceText(NamedTuple):
    """The f lines of a file. `defined` (blocks, 4): lines of each block, and how many v, vt, vn came before it."""

    path: Path
    whole: str
    faces: str
    defined: Ints
    sizes: tuple[int, int, int]  # of the tables v, vt, vn


class Corners(NamedTuple):
    """Per corner of a face its row in the tables (-1: none), and the triangles (T, 3) as numbers of corners."""

    vertex: Ints
    texture: Ints
    normal: Ints
    triangles: Ints

    @property
    def faces(self) -> Ints:
        """Triangles (T, 3) as rows of the table of vertices."""
        return self.vertex[self.triangles]


def corners(source: FaceText) -> Corners:
    """All faces; polygons become fans round their first corner."""
    bare = without_word(source.faces, "f")
    per_face = words_per_line(bare)[:-1]  # the text ends with a line end
    if (per_face < 3).any():
        place = place_of(source.whole, "f", lambda rest: len(rest.split()) < 3)
        raise FormatError(source.path, "a face with at least three corners was expected", place)
    indices = _indices(source, bare, int(per_face.sum()))
    lines, *before = source.defined.T if len(source.defined) else np.zeros((4, 0), dtype=np.intp)
    out = []
    for column, (table, size) in enumerate(zip(_TABLES, source.sizes, strict=True)):
        known = np.repeat(np.repeat(before[column], lines), per_face)
        out.append(_rows(source, indices[:, column], known, size, table))
    if len(out[0]) and out[0].min() < 0:
        raise FormatError(source.path, "vertices are counted from 1, not from 0", _bad_place(source, 0))
    return Corners(out[0], out[1], out[2], _fans(per_face))


def _indices(source: FaceText, bare: str, count: int) -> Ints:
    """(corners, 3): the numbers as written, 0 where a corner has no vt or vn."""
    filled = re.sub(r"/+(?=\s)", "", bare).replace("//", "/0/")
    try:
        slashes = _slashes_per_word(filled)
        numbers = parse_numbers(source.path, filled.replace("/", " "), 1)
    except FormatError:
        raise _bad_corner(source) from None
    whole = np.rint(numbers)
    if len(slashes) != count or slashes.max(initial=0) > 2 or len(numbers) != count + slashes.sum():
        raise _bad_corner(source)
    if (whole != numbers).any() or np.abs(whole).max(initial=0) >= 2**31:
        raise _bad_corner(source)
    out = np.zeros((count, 3), dtype=np.intp)
    out[np.arange(3) <= slashes[:, None]] = whole.astype(np.intp)
    return out


def _slashes_per_word(text: str) -> Ints:
    codes = np.frombuffer(text.encode("latin-1", "replace"), dtype=np.uint8)
    blank = codes <= 32
    starts = ~blank
    starts[1:] &= blank[:-1]
    word = np.cumsum(starts) - 1
    slashes = codes == ord("/")
    return np.bincount(word[slashes], minlength=int(starts.sum())).astype(np.intp)


def _rows(source: FaceText, indices: Ints, known: Ints, size: int, table: str) -> Ints:
    """Rows from 0 (-1 where there is none) of indices from 1, or of negative ones that count back."""
    rows = np.where(indices < 0, known + indices, indices - 1)
    outside = (rows >= size) | ((indices < 0) & (rows < 0))
    if outside.any():
        index = int(indices[outside][0])
        column = _TABLES.index(table)
        raise FormatError(
            source.path, f"a face uses {table} {index}, but there are {size}", _bad_place(source, column, index)
        )
    return rows


def _bad_place(source: FaceText, column: int, index: int = 0) -> str:
    def wrong(rest: str) -> bool:
        parts = [corner.split("/") for corner in rest.split()]
        return any(len(part) > column and finite_number(part[column]) == index for part in parts)

    return place_of(source.whole, "f", wrong)


def _bad_corner(source: FaceText) -> FormatError:
    place = place_of(source.whole, "f", lambda rest: not all(_CORNER.fullmatch(word) for word in rest.split()))
    return FormatError(source.path, "corners like 1, 1/2, 1//3 or 1/2/3 were expected after 'f'", place)


def _fans(per_face: Ints) -> Ints:
    """Triangles (T, 3) of corner numbers: (first, k, k + 1) for every face."""
    first = np.concatenate([[0], np.cumsum(per_face)[:-1]]) if len(per_face) else np.zeros(0, dtype=np.intp)
    triangles = per_face - 2
    starts = np.repeat(first, triangles)
    step = np.arange(int(triangles.sum())) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    return np.stack([starts, starts + step + 1, starts + step + 2], axis=1).astype(np.intp).reshape(-1, 3)
