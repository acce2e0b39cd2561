"""Mesh sequences as a folder of numbered OBJ files, one per frame, all with the same faces.

Texture coordinates become the attribute `uv`, colors behind a vertex's position `color`, and vn the normals, where
each vertex has one; where faces disagree (a seam), they are left out with a warning. OBJ knows no frame rate, unit or
vertical axis: a small `freshtake.json` in folders that we write keeps them. Attributes other than `uv` (two numbers)
and `color` (three) have no place in OBJ and are not written.

`freshtake.json` beside the OBJ files of a sequence: rate, unit, vertical axis, name and origin.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError
from freshtake.formats.files import read_bytes, read_text, replacing_folder, write_bytes
from freshtake.formats.obj.parse import ObjMesh, parse_obj
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.motion import MeshSequence
from freshtake.motion.kind_words import kind_word
from freshtake.numeric.arrays import Floats

SIDECAR = "freshtake.json"
_TAG = "freshtake mesh sequence"
_LARGEST = 1 << 20
_KINDS: dict[str, tuple[type, ...]] = {
    "frame_time": (int, float),
    "unit_m": (int, float, type(None)),
    "up": (str,),
    "name": (str,),
    "provenance": (str,),
}
_DEFAULT_FPS = 30.0


def sidecar_text(mesh: MeshSequence) -> str:
    """What OBJ files cannot say of a sequence."""
    fields = {"format": _TAG, "version": 1, "fps": mesh.fps, **{key: getattr(mesh, key) for key in _KINDS}}
    return json.dumps(fields, indent=2) + "\n"


def read_sidecar(path: Path) -> dict[str, Any]:
    """The fields of a mesh sequence that the file says; none where there is no such file of ours."""
    if not path.is_file():
        return {}
    try:
        fields = json.loads(read_bytes(path, _LARGEST).decode("utf-8"))
    except (ValueError, RecursionError):
        raise FormatError(path, "this is not JSON: correct it or remove the file") from None
    if not isinstance(fields, dict) or fields.get("format") != _TAG:
        raise FormatError(path, f'an object with "format": "{_TAG}" was expected: correct it or remove the file')
    for key, kinds in _KINDS.items():
        if key in fields and (not isinstance(fields[key], kinds) or isinstance(fields[key], bool)):
            raise FormatError(path, f"the value of {key!r} has the wrong type: correct it or remove the file")
    return {key: fields[key] for key in _KINDS if key in fields}


def read(path: Path, options: ReadOptions) -> MeshSequence:
    """A folder of numbered OBJ files as a mesh sequence, or one OBJ file as a sequence of one frame."""
    files = _numbered(path, options) if path.is_dir() else [path]
    fields = read_sidecar(path / SIDECAR) if path.is_dir() else {}
    if "frame_time" not in fields:
        if options.fps is None and len(files) > 1:
            options.warn(f"{path}: OBJ files carry no frame rate, so {_DEFAULT_FPS:g} fps are assumed: give fps")
        fields["frame_time"] = 1.0 / _rate(path, options)
    first = parse_obj(files[0], read_text(files[0]))
    meshes = [first, *[_like(file, files[0], first) for file in files[1:]]]
    if any(mesh.torn for mesh in meshes):
        options.warn(f"{path}: texture coordinates or normals that differ within a vertex were left out")
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite and is refused
        return MeshSequence(
            np.stack([mesh.positions.astype(np.float32) for mesh in meshes]),
            first.corners.faces.astype(np.int32),
            normals=_over_frames([mesh.normals for mesh in meshes]),
            attributes=_attributes(meshes),
            **{"name": path.stem, "provenance": path.name, "up": options.up or "y", "unit_m": options.unit_m, **fields},
        )


def _rate(path: Path, options: ReadOptions) -> float:
    fps = _DEFAULT_FPS if options.fps is None else options.fps
    if not (np.isfinite(fps) and fps > 0):
        raise FormatError(path, f"a frame rate above 0 was expected, not {fps}")
    return fps


def _numbered(folder: Path, options: ReadOptions) -> list[Path]:
    """The folder's OBJ files in the order of the numbers in their names."""
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
        options.warn(f"{folder}: the numbers of the files have gaps, so that frames may be missing")
    return [file for _, file in numbers]


def _like(file: Path, first_file: Path, first: ObjMesh) -> ObjMesh:
    """A later frame, which must have as many vertices as the first and the same faces."""
    mesh = parse_obj(file, read_text(file), first)
    if len(mesh.positions) != len(first.positions):
        count = f"{len(mesh.positions)} vertices, but {first_file.name} has {len(first.positions)}"
        raise FormatError(file, f"the file has {count}: all frames need the same mesh")
    if mesh.corners is not first.corners and not np.array_equal(mesh.corners.faces, first.corners.faces):
        raise FormatError(file, f"the faces differ from those of {first_file.name}: all frames need the same mesh")
    return mesh


def _over_frames(values: Sequence[Floats | None]) -> npt.NDArray[np.float32] | None:
    """(frames, vertices, width) where every frame has the values, else None."""
    present = [value.astype(np.float32) for value in values if value is not None]
    same = len(present) == len(values) and len({value.shape for value in present}) == 1
    return np.stack(present) if same else None


def _attributes(meshes: Sequence[ObjMesh]) -> dict[str, npt.NDArray[np.float32]]:
    by_name = {
        "uv": _over_frames([mesh.texture for mesh in meshes]),
        "color": _over_frames([mesh.colors for mesh in meshes]),
    }
    held = {name: values for name, values in by_name.items() if values is not None}
    return {name: values[0] if (values == values[0]).all() else values for name, values in held.items()}


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
        (folder / SIDECAR).write_text(sidecar_text(motion), encoding="utf-8")


def _frame_text(mesh: MeshSequence, frame: int, faces: str) -> str:
    """One frame; nine digits bring a float32 back exactly."""
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
    corner = {
        (False, False): "%d",
        (True, False): "%d/%d",
        (False, True): "%d//%d",
        (True, True): "%d/%d/%d",
    }[uv, mesh.normals is not None]
    numbers = np.repeat(mesh.faces.ravel() + 1, corner.count("%d"))
    return (" ".join(["f", corner, corner, corner]) + "\n") * len(mesh.faces) % tuple(numbers.tolist())
