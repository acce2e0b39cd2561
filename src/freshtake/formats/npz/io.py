"""NumPy archives: every noun as named arrays that anyone can load with numpy.load, and back without loss.

A clip is names, parents, offsets, root, rotations (w x y z), fps, up and unit_m (NaN where unknown) and what else
it holds; a mesh sequence vertices, faces, fps and optional normals and `attribute_NAME`; a point clip names,
positions and fps; a stroke points, times and dimensions. Files by others need only these; `kind` is ours. Archives of
AMASS are recognized by their `poses` and `trans`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, unquote

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.npz.amass import amass_from, is_amass, joints_in_name, write_amass
from freshtake.formats.npz.archive import Archive, open_archive, write_archive
from freshtake.formats.npz.array_fields import (
    Arrays,
    about,
    about_arrays,
    frame_time,
    number,
    numbers,
    space,
    text,
    text_array,
    texts,
    whole_numbers,
)
from freshtake.formats.npz.clip_arrays import clip_arrays, clip_from
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.numeric.arrays import Floats

_VERSION = 1
_ATTRIBUTE = "attribute_"


def read(path: Path, options: ReadOptions) -> Motion:
    """A clip, mesh sequence, point clip or stroke, told by the file's `kind` or else by which arrays it has."""
    archive = open_archive(path)
    if "kind" not in archive and is_amass(archive):
        return amass_from(archive, options)
    kind = text(archive, "kind", "") or _kind_by_keys(archive)
    if "version" in archive and number(archive, "version") > _VERSION:
        raise FormatError(path, "the file was written by a newer freshtake: update it to read this", "array 'version'")
    if kind not in _READERS:
        raise FormatError(path, f"one of {', '.join(_READERS)} was expected, not {kind[:40]!r}", "array 'kind'")
    return _READERS[kind](archive, options)


def _kind_by_keys(archive: Archive) -> str:
    for kind, keys in (
        ("clip", ("rotations", "parents")),
        ("mesh", ("vertices",)),
        ("points", ("positions",)),
        ("stroke", ("points",)),
    ):
        if all(key in archive for key in keys):
            return kind
    actual = ", ".join(archive.keys[:20]) or "no arrays"
    wanted = "rotations and parents (a clip), vertices (a mesh), positions (points) or points (a stroke)"
    raise FormatError(archive.path, f"arrays named {wanted} were expected, not {actual[:200]}")


def _mesh_from(archive: Archive, options: ReadOptions) -> MeshSequence:
    keys = [key for key in archive.keys if key.startswith(_ATTRIBUTE)]
    named = {unquote(key.removeprefix(_ATTRIBUTE), errors="surrogatepass"): key for key in keys}
    return MeshSequence(
        numbers(archive, "vertices", np.float32),
        whole_numbers(archive, "faces").astype(np.int32),
        frame_time(archive, options),
        numbers(archive, "normals", np.float32) if "normals" in archive else None,
        {name: numbers(archive, key, np.float32) for name, key in named.items()},
        **about(archive),
        **space(archive, options),
    )


def _points_from(archive: Archive, options: ReadOptions) -> PointClip:
    positions = numbers(archive, "positions")
    count = positions.shape[1] if positions.ndim == 3 else 0
    return PointClip(
        texts(archive, "names") if "names" in archive else tuple(f"point_{k + 1}" for k in range(count)),
        positions,
        frame_time(archive, options),
        **about(archive),
        **space(archive, options),
    )


def _stroke_from(archive: Archive, options: ReadOptions) -> Stroke:
    points = numbers(archive, "points")
    key = next((key for key in ("times", "t") if key in archive), None)
    times: Floats
    if key is None:
        times = np.arange(len(points), dtype=np.float64) * frame_time(archive, options)
    else:
        times = numbers(archive, key)
    dimensions = texts(archive, "dimensions") if "dimensions" in archive else ()
    return Stroke(points, times, dimensions, **about(archive))


_READERS: dict[str, Callable[[Archive, ReadOptions], Motion]] = {
    "clip": clip_from,
    "mesh": _mesh_from,
    "points": _points_from,
    "stroke": _stroke_from,
}


def write(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write any noun; equal content gives equal bytes. Names that end as those of AMASS are written for its body."""
    count = joints_in_name(path)
    if count is not None:
        return write_amass(path, motion, options, count)
    try:
        kind, arrays = _arrays(motion)
    except ValueError as error:
        raise FormatError(path, str(error)) from None
    arrays = {"kind": text_array(kind), "version": np.array(_VERSION, dtype=np.int64), **arrays}
    # Poses shrink by a quarter, for more time than making them takes.
    return write_archive(path, arrays, compress=not isinstance(motion, Clip))


def _arrays(motion: Motion) -> tuple[str, Arrays]:
    match motion:
        case Clip():
            return "clip", clip_arrays(motion)
        case MeshSequence():
            return "mesh", _mesh_arrays(motion)
        case PointClip():
            return "points", {
                "names": text_array(motion.names),
                "positions": motion.positions,
                **about_arrays(motion),
            }
        case Stroke():
            return "stroke", {
                "points": motion.points,
                "times": motion.times,
                "dimensions": text_array(motion.dimensions),
                "name": text_array(motion.name),
                "provenance": text_array(motion.provenance),
            }
    raise ValueError("one clip, stroke, point clip or mesh sequence goes into an npz file: write one file for each")


def _mesh_arrays(mesh: MeshSequence) -> Arrays:
    arrays: Arrays = {"vertices": mesh.vertices, "faces": mesh.faces, **about_arrays(mesh)}
    if mesh.normals is not None:
        arrays["normals"] = mesh.normals
    for name, values in mesh.attributes.items():
        arrays[_ATTRIBUTE + quote(name, safe="", errors="surrogatepass")] = values
    return arrays
