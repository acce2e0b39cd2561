"""Read and write meshes as Wavefront OBJ: one file, or a folder with one file per frame."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError
from freshtake.formats.files import read_json, read_text, replacing_folder, write_bytes
from freshtake.formats.numbers import fans, finite_number, parse_numbers, per_vertex, words_per_line
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.motion import MeshSequence
from freshtake.motion.kinds import kind_word
from freshtake.numeric.arrays import Floats, Ints

_JOINED = "\v"  # replaces a line end after a backslash; it counts as white space and as a line
_KEYWORDS = (  # keywords of OBJ that are ignored
    "vp l p o g s mg usemtl mtllib usemap maplib cstype deg bmat step curv curv2 surf parm trim hole scrv sp end "
    "con fo shadow_obj trace_obj bevel c_interp d_interp lod ctech stech call csh bsp bzp cdc cdp res"
)
_IGNORED = frozenset(_KEYWORDS.split())
_BLOCKS = re.compile(
    r"(?P<v>(?:v[ \t\v][^\n]*\n)+)|(?P<vn>(?:vn[ \t\v][^\n]*\n)+)|(?P<vt>(?:vt[ \t\v][^\n]*\n)+)"
    r"|(?P<f>(?:f[ \t\v][^\n]*\n)+)|(?P<other>[^\n]*)\n"
)


def plain(text: str) -> str:
    """Normalize a text: newlines as line ends, no leading blanks, no comments, continued lines joined."""
    text = text.replace(_JOINED, " ").replace("\f", " ")
    if "\n " in text or "\n\t" in text or text[:1] in (" ", "\t"):
        text = re.sub(r"^[ \t]+", "", text, flags=re.MULTILINE)
    if "#" in text:
        text = re.sub(r"#[^\n]*", "", text)
    return text.replace("\\\n", _JOINED) + "\n"


def blocks(path: Path, text: str) -> Iterator[tuple[str, str]]:
    """Yield runs of lines with the same keyword, as (v, vt, vn or f; text); unknown keywords are refused."""
    for match in _BLOCKS.finditer(text):
        kind = match.lastgroup or ""
        if kind != "other":
            yield kind, match[0]
        elif match[kind].strip() and match[kind].split(" ")[0].split("\t")[0].lower() not in _IGNORED:
            before = text[: match.start()]
            line = before.count("\n") + before.count(_JOINED) + 1
            start = match[kind][:40]
            raise FormatError(path, f"an OBJ keyword (v, vt, vn, f ...) was expected, not {start!r}", f"line {line}")


def place_of(text: str, word: str, wrong: Callable[[str], bool]) -> str:
    """Return 'line N' for the first line that starts with the word and whose rest is wrong."""
    number = 1
    for line in text.split("\n"):
        start, *rest = line.split(maxsplit=1)[:2] or [""]
        if start == word and wrong(rest[0] if rest else ""):
            return f"line {number}"
        number += 1 + line.count(_JOINED)
    return ""


_CORNER = re.compile(r"-?[0-9]{1,10}(?:/(?:-?[0-9]{1,10})?){0,2}")
_TABLES = ("v", "vt", "vn")

Sizes = tuple[int, int, int]  # rows in the tables v, vt and vn


class Corners(NamedTuple):
    """The rows of each face corner in the tables (corners, 3; -1: none), and the triangles (T, 3) as corner numbers."""

    rows: Ints
    triangles: Ints

    @property
    def faces(self) -> Ints:
        """Triangles (T, 3) as vertex numbers."""
        return self.rows[:, 0][self.triangles]


def corners(path: Path, text: str, blocks_of_faces: Sequence[tuple[str, Sizes]], sizes: Sizes) -> Corners:
    """Return the faces of blocks, each with the sizes of the tables before it; polygons become fans."""
    per_face: list[int] = []
    rows: list[tuple[int, ...]] = []
    for block, before in blocks_of_faces:
        parsed: dict[str, tuple[int, ...]] = {}  # most corners belong to several faces
        for line in block.split("\n")[:-1]:
            words = line.split()[1:]
            if len(words) < 3:
                place = place_of(text, "f", lambda rest: len(rest.split()) < 3)
                raise FormatError(path, "a face with at least three corners was expected", place)
            for word in words:
                if word not in parsed:
                    problem, parsed[word] = _corner(word, before, sizes)
                    if problem:
                        raise FormatError(path, problem, _place_of_corner(text, word))
                rows.append(parsed[word])
            per_face.append(len(words))
    table = np.array(rows, dtype=np.intp).reshape(-1, 3)
    return Corners(table, fans(np.array(per_face, dtype=np.intp))[0])


def _place_of_corner(text: str, word: str) -> str:
    """Return the place of the first face that has a corner; a wrong corner is wrong in all its faces."""
    return place_of(text, "f", lambda rest: word in rest.split())


def _corner(word: str, before: Sizes, sizes: Sizes) -> tuple[str, tuple[int, ...]]:
    """Return the problem with a corner (empty if none), and its rows in the tables, counted from 0, -1 for none.

    Indices count from 1, or back from the end of the table so far.
    """
    if _CORNER.fullmatch(word) is None:
        return "corners like 1, 1/2, 1//3 or 1/2/3 were expected after 'f'", ()
    rows = [-1, -1, -1]
    for column, part in enumerate(word.split("/")):
        index, size = int(part or "0"), sizes[column]
        rows[column] = row = before[column] + index if index < 0 else index - 1
        if row >= size or (index < 0 and row < 0):
            return f"a face uses {_TABLES[column]} {index}, but there are {size}", ()
    return ("", tuple(rows)) if rows[0] >= 0 else ("vertices are counted from 1, not from 0", ())


_LENGTHS = {"v": (3, 7), "vt": (1, 3), "vn": (3, 3)}  # fewest and most numbers in a line


class ObjMesh(NamedTuple):
    """Per-vertex values (V, width): positions, and colors, texture coordinates, normals if every vertex has one.

    `torn`: the file has vt or vn, but they differ between the faces around a vertex, so they are not per vertex.
    """

    positions: Floats
    colors: Floats | None
    texture: Floats | None
    normals: Floats | None
    torn: bool
    corners: Corners
    sizes: Sizes
    face_blocks: list[tuple[str, Sizes]]


def parse_obj(path: Path, text: str, first: ObjMesh | None = None) -> ObjMesh:
    """Return the file's mesh; if its faces have the same text as those of the first frame, they are not parsed."""
    text = plain(text)
    lines_of: dict[str, list[str]] = {table: [] for table in _TABLES}
    counts = dict.fromkeys(_TABLES, 0)
    faces: list[tuple[str, Sizes]] = []
    for kind, block in blocks(path, text):
        if kind == "f":
            faces.append((block, (counts["v"], counts["vt"], counts["vn"])))
        else:
            lines_of[kind].append(block)
            counts[kind] += block.count("\n")
    if not counts["v"]:
        raise FormatError(path, "lines with 'v x y z' were expected, but there are none")
    sizes = (counts["v"], counts["vt"], counts["vn"])
    if first is not None and (faces, sizes) == (first.face_blocks, first.sizes):
        where = first.corners
    else:
        where = corners(path, text, faces, sizes)
    vertices, per_line = _table(path, text, "".join(lines_of["v"]), "v")
    vt = _table(path, text, "".join(lines_of["vt"]), "vt")[0][:, :2]
    vn = _table(path, text, "".join(lines_of["vn"]), "vn")[0]
    texture, normals = (_per_vertex(table, where.rows, k, sizes[0]) for k, table in ((1, vt), (2, vn)))
    colors = vertices[:, 3:6] if per_line.min() == per_line.max() == 6 else None
    torn = (texture is None and sizes[1] > 0) or (normals is None and sizes[2] > 0)
    return ObjMesh(vertices[:, :3], colors, texture, normals, torn, where, sizes, faces)


def _table(path: Path, text: str, block: str, word: str) -> tuple[Floats, Ints]:
    """Return all lines of one keyword as rows, padded with zeros, and how many numbers each line has."""
    low, high = _LENGTHS[word]
    bare = re.sub(rf"^{word}(?=[ \t\v])", "", block, flags=re.MULTILINE)
    per_line = words_per_line(bare)[:-1]  # the text ends with a line end
    if not len(per_line):
        return np.zeros((0, high)), per_line
    if per_line.min() < low or per_line.max() > high:
        place = place_of(text, word, lambda rest: not low <= len(rest.split()) <= high)
        expected = f"{low} to {high}" if low < high else str(low)
        raise FormatError(path, f"{expected} numbers were expected after {word!r}", place)
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


def _per_vertex(table: Floats, corner_rows: Ints, which: int, count: int) -> Floats | None:
    """Return one row of the table for every vertex, or None if the faces around a vertex disagree."""
    vertices, rows = corner_rows[:, 0], corner_rows[:, which]
    if len(table) == count and np.array_equal(rows, vertices):
        return table
    if not len(table) or not len(vertices) or (rows < 0).any():
        return None
    return per_vertex(table[rows], vertices, count)


SIDECAR = "freshtake.json"
_TAG = "freshtake mesh sequence"
_KINDS: dict[str, tuple[type, ...]] = {
    "frame_time": (int, float),
    "unit_m": (int, float, type(None)),
    "up": (str,),
    "name": (str,),
    "provenance": (str,),
}
_DEFAULT_FPS = 30.0


def read_sidecar(path: Path) -> dict[str, Any]:
    """Return the fields of a mesh sequence from its sidecar file; empty if there is none."""
    if not path.is_file():
        return {}
    fields = read_json(path, "this is not JSON: correct it or remove the file")
    if not isinstance(fields, dict) or fields.get("format") != _TAG:
        raise FormatError(path, f'an object with "format": "{_TAG}" was expected: correct it or remove the file')
    for key, kinds in _KINDS.items():
        if key in fields and (not isinstance(fields[key], kinds) or isinstance(fields[key], bool)):
            raise FormatError(path, f"the value of {key!r} has the wrong type: correct it or remove the file")
    return {key: fields[key] for key in _KINDS if key in fields}


def read(path: Path, options: ReadOptions) -> MeshSequence:
    """Read a folder of numbered OBJ files as a mesh sequence, or one OBJ file as a sequence of one frame."""
    files = _numbered_files(path, options) if path.is_dir() else [path]
    fields = read_sidecar(path / SIDECAR) if path.is_dir() else {}
    if "frame_time" not in fields:
        if options.fps is None and len(files) > 1:
            options.warn(f"{path}: OBJ files carry no frame rate, so {_DEFAULT_FPS:g} fps are assumed: give fps")
        fields["frame_time"] = 1.0 / (options.fps or _DEFAULT_FPS)
    first = parse_obj(files[0], read_text(files[0]))
    meshes = [first, *[_like(file, files[0], first) for file in files[1:]]]
    if any(mesh.torn for mesh in meshes):
        options.warn(f"{path}: texture coordinates or normals that differ within a vertex were left out")
    with np.errstate(over="ignore"):  # values beyond float32 become infinite and are refused
        attributes = {}
        for name, column in (("uv", "texture"), ("color", "colors")):
            values = _over_frames([getattr(mesh, column) for mesh in meshes])
            if values is not None:
                attributes[name] = values[0] if (values == values[0]).all() else values
        return MeshSequence(
            np.stack([mesh.positions.astype(np.float32) for mesh in meshes]),
            first.corners.faces.astype(np.int32),
            normals=_over_frames([mesh.normals for mesh in meshes]),
            attributes=attributes,
            **{"name": path.stem, "provenance": path.name, "up": options.up or "y", "unit_m": options.unit_m, **fields},
        )


def _numbered_files(folder: Path, options: ReadOptions) -> list[Path]:
    """Return the folder's OBJ files in the order of the numbers in their names."""
    try:
        files = [f for f in folder.iterdir() if f.suffix.lower() == ".obj" and f.name[0] != "." and f.is_file()]
    except OSError as error:
        raise FormatError(folder, f"the folder cannot be read ({error.strerror})") from None
    if not files:
        raise FormatError(folder, "a folder with numbered .obj files was expected, but there are none in it")
    stems = sorted({re.sub(r"[0-9]+", "#", f.stem) for f in files})
    if len(stems) > 1:
        raise FormatError(folder, f"files of one numbered sequence were expected, not {stems[0]!r} and {stems[1]!r}")
    numbers = sorted((tuple(int(n) for n in re.findall(r"[0-9]+", f.stem)), f) for f in files)
    for (one, first), (other, second) in pairwise(numbers):
        if one == other:
            raise FormatError(folder, f"{first.name} and {second.name} have the same number: remove or rename one")
    if len({other[-1] - one[-1] for (one, _), (other, _) in pairwise(numbers)}) > 1:
        options.warn(f"{folder}: the numbers of the files have gaps, so frames may be missing")
    return [file for _, file in numbers]


def _like(file: Path, first_file: Path, first: ObjMesh) -> ObjMesh:
    """Return a later frame, which must have as many vertices as the first and the same faces."""
    mesh = parse_obj(file, read_text(file), first)
    if len(mesh.positions) != len(first.positions):
        count = f"{len(mesh.positions)} vertices, but {first_file.name} has {len(first.positions)}"
        raise FormatError(file, f"the file has {count}: all frames need the same mesh")
    if mesh.corners is not first.corners and not np.array_equal(mesh.corners.faces, first.corners.faces):
        raise FormatError(file, f"the faces differ from those of {first_file.name}: all frames need the same mesh")
    return mesh


def _over_frames(values: Sequence[Floats | None]) -> npt.NDArray[np.float32] | None:
    """Return values (frames, vertices, width) if every frame has them, else None."""
    present = [value.astype(np.float32) for value in values if value is not None]
    same = len(present) == len(values) and len({value.shape for value in present}) == 1
    return np.stack(present) if same else None


def write(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write a folder with one file per frame, which must be new or empty; or one .obj file for one frame."""
    if not isinstance(motion, MeshSequence):
        raise FormatError(path, f"OBJ holds a mesh, not a {kind_word(motion)}: choose .npz or .bvh")
    if path.suffix.lower() == ".obj":
        if len(motion) > 1:
            raise FormatError(path, f"an OBJ file holds one frame, not {len(motion)}: name a folder, without an ending")
        write_bytes(path, _frame_text(motion, 0, _face_text(motion)).encode())
        return
    faces = _face_text(motion)
    digits = max(4, len(str(len(motion))))
    with replacing_folder(path) as folder:
        for frame in range(len(motion)):
            (folder / f"frame_{frame + 1:0{digits}}.obj").write_bytes(_frame_text(motion, frame, faces).encode())
        stated = {key: getattr(motion, key) for key in _KINDS}
        sidecar = {"format": _TAG, "version": 1, "fps": motion.fps, **stated}
        (folder / SIDECAR).write_text(json.dumps(sidecar, indent=2) + "\n", encoding="utf-8")


def _frame_text(mesh: MeshSequence, frame: int, faces: str) -> str:
    """Return the text of one frame; nine digits reproduce a float32 exactly."""
    positions = [mesh.vertices[frame]]
    color, uv = _attribute(mesh, "color", frame, 3), _attribute(mesh, "uv", frame, 2)
    if color is not None:
        positions.append(color)
    parts = [_lines("v", np.concatenate(positions, axis=1))]
    if uv is not None:
        parts.append(_lines("vt", uv))
    if mesh.normals is not None:
        parts.append(_lines("vn", mesh.normals[frame]))
    return "".join([*parts, faces])


def _attribute(mesh: MeshSequence, name: str, frame: int, width: int) -> npt.NDArray[np.float32] | None:
    values = mesh.attributes.get(name)
    if values is None or values.shape[-1] != width:
        return None
    return values if values.ndim == 2 else values[frame]


def _lines(word: str, rows: npt.NDArray[np.float32]) -> str:
    line = " ".join([word, *["%.9g"] * rows.shape[1]]) + "\n"
    return (line * len(rows)) % tuple(rows.ravel().tolist())


def _face_text(mesh: MeshSequence) -> str:
    uv = _attribute(mesh, "uv", 0, 2) is not None
    if mesh.normals is None:
        corner = "%d/%d" if uv else "%d"
    else:
        corner = "%d/%d/%d" if uv else "%d//%d"
    numbers = np.repeat(mesh.faces.ravel() + 1, corner.count("%d"))
    return (" ".join(["f", corner, corner, corner]) + "\n") * len(mesh.faces) % tuple(numbers.tolist())
