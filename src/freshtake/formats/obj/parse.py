"""One Wavefront OBJ file as arrays, parsed as a whole. Materials and other references are never opened."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.numbers import finite_number, parse_numbers, words_per_line
from freshtake.formats.obj.faces import Corners, FaceText, corners
from freshtake.formats.obj.text import blocks, place_of, plain, without_word
from freshtake.numeric.arrays import Floats, Ints

_LENGTHS = {"v": (3, 7), "vt": (1, 3), "vn": (3, 3)}  # fewest and most numbers in a line


class ObjMesh(NamedTuple):
    """Per-vertex values (V, width): positions, and colors, texture coordinates, normals where every vertex has one.

    `torn` says that vt or vn are there but differ between the faces round a vertex, so that no vertex has its own.
    """

    positions: Floats
    colors: Floats | None
    texture: Floats | None
    normals: Floats | None
    torn: bool
    corners: Corners
    sizes: tuple[int, int, int]
    face_text: str


def parse_obj(path: Path, text: str, known: ObjMesh | None = None) -> ObjMesh:
    """The file's mesh; faces written like those of `known` are taken over from it instead of parsed again."""
    text = plain(text)
    lines_of: dict[str, list[str]] = {"v": [], "vt": [], "vn": [], "f": []}
    counts = dict.fromkeys(lines_of, 0)
    defined: list[tuple[int, ...]] = []  # of each block of faces: its lines, and how many v, vt, vn came before
    for kind, block in blocks(path, text):
        lines = block.count("\n")
        if kind == "f":
            defined.append((lines, counts["v"], counts["vt"], counts["vn"]))
        lines_of[kind].append(block)
        counts[kind] += lines
    if not counts["v"]:
        raise FormatError(path, "lines with 'v x y z' were expected, but there are none")
    sizes = (counts["v"], counts["vt"], counts["vn"])
    faces = "".join(lines_of["f"])
    if known is not None and faces == known.face_text and sizes == known.sizes:
        where = known.corners
    else:
        where = corners(FaceText(path, text, faces, np.array(defined, dtype=np.intp).reshape(-1, 4), sizes))
    vertices, per_line = _table(path, text, "".join(lines_of["v"]), "v")
    vt = _table(path, text, "".join(lines_of["vt"]), "vt")[0][:, :2]
    vn = _table(path, text, "".join(lines_of["vn"]), "vn")[0]
    texture = _per_vertex(vt, where.texture, where.vertex, sizes[0])
    normals = _per_vertex(vn, where.normal, where.vertex, sizes[0])
    colors = vertices[:, 3:6] if per_line.min() == per_line.max() == 6 else None
    torn = (texture is None and sizes[1] > 0) or (normals is None and sizes[2] > 0)
    return ObjMesh(vertices[:, :3], colors, texture, normals, torn, where, sizes, faces)


def _table(path: Path, text: str, block: str, word: str) -> tuple[Floats, Ints]:
    """All lines of one keyword as rows, filled up with zeros, and how many numbers each line has."""
    low, high = _LENGTHS[word]
    bare = without_word(block, word)
    per_line = words_per_line(bare)[:-1]  # the text ends with a line end
    if not len(per_line):
        return np.zeros((0, high)), per_line
    if per_line.min() < low or per_line.max() > high:
        place = place_of(text, word, lambda rest: not low <= len(rest.split()) <= high)
        wanted = f"{low} to {high}" if low < high else str(low)
        raise FormatError(path, f"{wanted} numbers were expected after {word!r}", place)
    try:
        values = parse_numbers(path, bare, 1)
    except FormatError as error:
        place = place_of(text, word, lambda rest: any(finite_number(word) is None for word in rest.split()))
        raise FormatError(path, error.problem, place) from None
    if len(values) != per_line.sum():
        raise FormatError(path, f"only numbers were expected after {word!r}")
    width = max(int(per_line.max()), min(2, high))
    rows = np.zeros((len(per_line), width))
    rows[np.arange(width) < per_line[:, None]] = values
    return rows, per_line


def _per_vertex(table: Floats, rows: Ints, vertices: Ints, count: int) -> Floats | None:
    """One row of the table for every vertex, or None where the faces round a vertex do not agree on it."""
    if len(table) == 0 or (rows < 0).any():
        return None
    if len(table) == count and np.array_equal(rows, vertices):
        return table
    if len(vertices) == 0:
        return None
    out = np.zeros((count, table.shape[1]))
    out[vertices] = table[rows]
    return out if np.array_equal(out[vertices], table[rows]) else None
