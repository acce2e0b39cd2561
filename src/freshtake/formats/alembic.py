"""Read and write Alembic (.abc): meshes as vertex caches, with the extra `freshtake[alembic]`.

Alembic states neither unit nor vertical axis. By convention y is up, and face corners are clockwise, unlike in OBJ,
glTF and USD. Facts for which Alembic has no field (unit, exact frame time) are in the archive's description.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake import __version__
from freshtake.errors import FormatError, MissingExtra
from freshtake.formats.files import MOST_NUMBERS, SINGLE, read_head, replacing, stored_note, try_apart
from freshtake.formats.numbers import fans, per_vertex
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.motion import MeshSequence
from freshtake.motion.edit import nominal_frame_time
from freshtake.motion.kinds import kind_word
from freshtake.numeric.arrays import Floats

Single = npt.NDArray[np.float32]
Whole = npt.NDArray[np.int32]


@lru_cache(maxsize=1)
def _library() -> Any:
    """Return the modules of the bindings by name."""
    try:
        parts = {name: import_module("alembic3d").__dict__[name] for name in ("Abc", "AbcGeom", "AbcCoreAbstract")}
        return SimpleNamespace(**parts, imath=import_module("imath"))
    except ImportError:
        raise MissingExtra("Alembic files", "alembic") from None


class _Part(NamedTuple):
    """A mesh of the file: its schema, and the transforms above it, nearest first."""

    schema: Any
    above: list[Any]
    name: str


def read(path: Path, options: ReadOptions) -> MeshSequence:
    """Read all meshes of a file as one mesh sequence, in world space.

    Polygons are cut into triangles, and texture coordinates are kept if each vertex has one.
    """
    read_head(path)  # a missing file gets the same message as in all formats
    lib = _library()
    # If a file is damaged, the library reads beyond its buffers instead of raising an exception.
    try_apart(path, __name__, "read")
    try:
        archive = lib.Abc.IArchive(str(path))
        note = stored_note(lib.Abc.GetArchiveInfo(archive).get("userDescription"))
        parts = list(_meshes(lib, archive.getTop(), []))
        if not parts:
            raise FormatError(path, "there is no mesh in the file: export the geometry, not curves or cameras alone")
        return _sequence(path, lib, parts, options, note)
    except (RuntimeError, ValueError, TypeError, OverflowError, IndexError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(path, "the file is damaged, or not Alembic: get it again") from None


def _meshes(lib: Any, node: Any, above: list[Any]) -> Iterator[_Part]:
    """Yield every mesh below an object, with the transforms that move it."""
    geometry = lib.AbcGeom
    for k in range(node.getNumChildren()):
        header = node.getChildHeader(k)
        if geometry.IPolyMesh.matches(header):
            yield _Part(geometry.IPolyMesh(node, header.getName()).getSchema(), above, header.getName())
        is_transform = geometry.IXform.matches(header)
        nearer = [geometry.IXform(node, header.getName()).getSchema()] if is_transform else []
        yield from _meshes(lib, node.getChild(k), [*nearer, *above])


def _times(path: Path, parts: list[_Part], options: ReadOptions, note: dict[str, Any]) -> tuple[list[float], float]:
    """Return the times of all frames, and the time between frames, in seconds.

    The object with the most samples sets the times: a rigid mesh may be the child of a transform with a sample per
    frame.
    """
    schemas = [schema for part in parts for schema in (part.schema, *part.above)]
    sampled = max(schemas, key=lambda schema: int(schema.getNumSamples()))
    count = int(sampled.getNumSamples())
    sampling = sampled.getTimeSampling()
    if count < 1:
        raise FormatError(path, "a mesh has no sample: get the file again")
    times = [float(sampling.getSampleTime(k)) for k in range(count)]
    if count == 1:
        return times, 1.0 / (options.fps or 30.0)
    steps = np.diff(times)
    if not (np.isfinite(steps).all() and steps.min() > 0.0):
        raise FormatError(path, "the times of its samples do not increase: export it again")
    if not np.allclose(steps, steps.mean(), rtol=1e-3, atol=0.0):
        raise FormatError(path, "its samples are not evenly spaced in time: export it with one sample per frame")
    exact, step = note.get("frame_time"), float(steps.mean())
    if isinstance(exact, float) and abs(exact / step - 1.0) < SINGLE:
        return times, exact
    return times, nominal_frame_time(step, SINGLE)


def _sequence(path: Path, lib: Any, parts: list[_Part], options: ReadOptions, note: dict[str, Any]) -> MeshSequence:
    times, frame_time = _times(path, parts, options, note)
    first = [part.schema.getValue(lib.Abc.ISampleSelector(times[0])) for part in parts]
    counts = [len(sample.getPositions()) for sample in first]
    faces = [_triangles(path, sample, part.name) for sample, part in zip(first, parts, strict=True)]
    if sum(counts) * len(times) * 3 > max(MOST_NUMBERS, 100 * path.stat().st_size):
        raise FormatError(path, f"{len(times)} frames of {sum(counts)} vertices are too many for a file of this size")
    vertices = np.empty((len(times), sum(counts), 3), np.float32)
    places = np.concatenate([[0], np.cumsum(counts)])
    for frame, time in enumerate(times):
        for k, part in enumerate(parts):
            points = np.asarray(part.schema.getValue(lib.Abc.ISampleSelector(time)).getPositions(), dtype=np.float64)
            if len(points) != counts[k]:
                problem = f"{part.name!r} changes its number of vertices, which must be constant in a mesh sequence"
                raise FormatError(path, problem, f"{time:g} s")
            matrix = _world(lib, part, time)
            vertices[frame, places[k] : places[k + 1]] = points @ matrix[:3, :3] + matrix[3, :3]
    coordinates = [_coordinates(part.schema, sample) for part, sample in zip(parts, first, strict=True)]
    per_part = [values for values in coordinates if values is not None]
    unit = note.get("unit_m")
    return MeshSequence(
        vertices,
        np.concatenate([rows + start for rows, start in zip(faces, places, strict=False)]).astype(np.int32),
        frame_time,
        attributes={"uv": np.concatenate(per_part)} if len(per_part) == len(parts) else {},
        name=str(note.get("name") or path.stem),
        provenance=path.name,
        up=options.up or "y",
        unit_m=options.unit_m or (float(unit) if isinstance(unit, float) and unit > 0 else None),
    )


def _world(lib: Any, part: _Part, time: float) -> Floats:
    """Return the matrix (4, 4) that takes row vectors from the mesh to the world."""
    out = np.eye(4)
    for schema in part.above:
        sample = schema.getValue(lib.Abc.ISampleSelector(time))
        matrix = sample.getMatrix()
        out = out @ np.array([[matrix[i][j] for j in range(4)] for i in range(4)])
        if not sample.getInheritsXforms():
            break
    return out


def _triangles(path: Path, sample: Any, name: str) -> Whole:
    """Return triangles (n, 3), fanned from the polygons, counter-clockwise as seen from outside."""
    corners = np.asarray(sample.getFaceIndices(), dtype=np.int64)
    sizes = np.asarray(sample.getFaceCounts(), dtype=np.int64)
    inside = corners.min(initial=0) >= 0 and corners.max(initial=0) < len(sample.getPositions())
    if sizes.sum() != len(corners) or sizes.min(initial=3) < 0 or not inside:
        raise FormatError(path, f"the corners of {name!r} do not match the counts of its faces: get the file again")
    return corners[fans(sizes)[0][:, [0, 2, 1]]].astype(np.int32)


def _coordinates(schema: Any, sample: Any) -> Single | None:
    """Return texture coordinates (vertices, 2) if each vertex has one, else None."""
    param = schema.getUVsParam()
    if not param.valid():
        return None
    values = np.asarray(param.getExpandedValue().getVals(), dtype=np.float32)
    count, corners = len(sample.getPositions()), np.asarray(sample.getFaceIndices(), dtype=np.int64)
    if len(values) == count:
        return values
    return per_vertex(values, corners, count) if len(values) == len(corners) else None


def write(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write a mesh sequence as one mesh with a sample per frame, y up, in the unit of the sequence."""
    if not isinstance(motion, MeshSequence):
        problem = f"Alembic is written for meshes, not for a {kind_word(motion)}: choose .glb, .fbx or .bvh"
        raise FormatError(path, problem)
    lib = _library()
    with replacing(path) as temporary:
        try:
            _write(lib, temporary, motion, options)
        except RuntimeError:
            raise FormatError(path, "the file could not be written: is the disk full?") from None


def _write(lib: Any, path: Path, mesh: MeshSequence, options: WriteOptions) -> None:
    note = {"unit_m": options.unit_m or mesh.unit_m, "frame_time": mesh.frame_time, "name": mesh.name}
    archive = lib.Abc.CreateArchiveWithInfo(str(path), f"freshtake {__version__}", json.dumps(note))
    number = archive.addTimeSampling(lib.AbcCoreAbstract.TimeSampling(mesh.frame_time, 0.0))
    schema = lib.AbcGeom.OPolyMesh(archive.getTop(), mesh.name or "mesh", lib.Abc.Argument(number)).getSchema()
    corners = np.ascontiguousarray(mesh.faces[:, [0, 2, 1]], dtype=np.int32).ravel()
    indices, counts = (
        lib.imath.IntArrayFromBuffer(values) for values in (corners, np.full(len(mesh.faces), 3, dtype=np.int32))
    )
    # Texture coordinates are written per corner, as modelling programs expect.
    uv = mesh.attributes.get("uv")
    more = []
    if uv is not None and uv.ndim == 2 and uv.shape[1] == 2:
        values = lib.imath.V2fArrayFromBuffer(np.ascontiguousarray(uv[corners], dtype=np.float32))
        more = [lib.AbcGeom.OV2fGeomParamSample(values, lib.AbcGeom.GeometryScope.kFacevaryingScope)]
    vertices = mesh.vertices if mesh.up == "y" else mesh.vertices[..., [0, 2, 1]] * np.array([1, 1, -1], np.float32)
    for frame in vertices:
        places = lib.imath.V3fArrayFromBuffer(np.ascontiguousarray(frame, dtype=np.float32))
        schema.set(lib.AbcGeom.OPolyMeshSchemaSample(places, indices, counts, *more))
    del schema, archive  # the library completes the file when the last reference is gone
