"""A mesh as glTF with its modes as morph targets and their weights animated, so that a graphics card restores it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError
from freshtake.formats.files import write_bytes
from freshtake.formats.gltf.build import INDICES, VERTICES, Builder
from freshtake.formats.gltf.container import packed
from freshtake.motion.features.ground import Path as GroundPath
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, continuous

Values = npt.NDArray[Any]
_MATERIAL = {
    "name": "mesh", "doubleSided": True,
    "pbrMetallicRoughness": {"baseColorFactor": [0.75, 0.72, 0.68, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8},
}  # fmt: skip


class Morphs(NamedTuple):
    """A mean mesh and its modes about the body: base (vertices, 3), modes (targets, vertices, 3), normals alike."""

    base: Values
    modes: Values
    faces: Values
    normals: Values | None = None
    normal_modes: Values | None = None
    uv: Values | None = None
    up: str = "y"


class Playing(NamedTuple):
    """What is animated: weights (frames, targets), and where the mesh stands and faces, None where it stays."""

    weights: Floats
    frame_time: float
    path: GroundPath | None
    name: str = "texture"


def write_morphs(path: Path, morphs: Morphs, playing: Playing, unit_m: float | None) -> None:
    """Write one .glb or .gltf in metres and y up; `unit_m` says how many metres a unit of the mesh has."""
    if unit_m is None:
        raise FormatError(path, "glTF is in metres, but the mesh does not state its unit: give --unit (1: metres)")
    if not (np.isfinite(unit_m) and unit_m > 0):
        raise FormatError(path, f"the unit must be a number of metres above 0, not {unit_m}")
    if path.suffix.lower() not in (".glb", ".gltf"):
        raise FormatError(path, f"a glTF file's name ends in .glb or .gltf, not {path.suffix!r}")
    builder = Builder(path, {"asset": {"version": "2.0", "generator": "freshtake"}, "scene": 0})
    largest = np.abs(playing.weights).max(axis=0, initial=0.0)
    largest = np.where(largest > 0.0, largest, 1.0)  # weights between -1 and 1, which all viewers like
    mesh = _add_mesh(builder, morphs, largest, unit_m)
    builder.append("nodes", {"name": playing.name, "mesh": mesh})
    builder.append("scenes", {"nodes": [0]})
    _add_animation(builder, playing, largest, unit_m)
    write_bytes(path, packed(path, builder.document, bytes(builder.binary)))


def _add_mesh(builder: Builder, morphs: Morphs, largest: Floats, unit: float) -> int:
    attributes = {"POSITION": _vectors(builder, _upright(morphs.base, morphs.up) * unit, bounds=True)}
    if morphs.normals is not None:
        attributes["NORMAL"] = _vectors(builder, _unit(_upright(morphs.normals, morphs.up)))
    if morphs.uv is not None:
        attributes["TEXCOORD_0"] = builder.accessor(np.asarray(morphs.uv, dtype=np.float64), "VEC2", VERTICES)
    targets = []
    for k, mode in enumerate(morphs.modes):
        target = {"POSITION": _vectors(builder, _upright(mode, morphs.up) * (unit * largest[k]), bounds=True)}
        if morphs.normal_modes is not None:
            target["NORMAL"] = _vectors(builder, _upright(morphs.normal_modes[k], morphs.up) * largest[k])
        targets.append(target)
    faces = builder.accessor(np.asarray(morphs.faces, dtype=np.uint32).ravel(), "SCALAR", INDICES)
    primitive: dict[str, Any] = {
        "attributes": attributes, "indices": faces, "material": builder.append("materials", _MATERIAL)
    }  # fmt: skip
    mesh: dict[str, Any] = {"name": "mesh", "primitives": [primitive]}
    if targets:
        primitive["targets"] = targets
        mesh["weights"] = [0.0] * len(targets)
        mesh["extras"] = {"targetNames": [f"mode {k + 1}" for k in range(len(targets))]}
    return builder.append("meshes", mesh)


def _vectors(builder: Builder, values: Values, bounds: bool = False) -> int:
    return builder.accessor(np.asarray(values, dtype=np.float64), "VEC3", VERTICES, bounds=bounds)


def _upright(vectors: Values, up: str) -> Floats:
    """With y up."""
    values = np.asarray(vectors, dtype=np.float64)
    return values if up == "y" else np.stack([values[..., 0], values[..., 2], -values[..., 1]], axis=-1)


def _unit(vectors: Floats) -> Floats:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    upward = np.array([0.0, 1.0, 0.0])
    return np.asarray(np.where(length > 0.0, vectors / np.where(length > 0.0, length, 1.0), upward))


def _add_animation(builder: Builder, playing: Playing, largest: Floats, unit: float) -> None:
    frames = len(playing.weights)
    times = (np.arange(frames) * playing.frame_time).astype("<f4")
    if (np.diff(times) <= 0).any():
        raise FormatError(builder.path, "the sequence is too long for glTF's single precision key times: write less")
    outputs: list[tuple[str, int]] = []
    if playing.weights.shape[1]:
        outputs.append(("weights", builder.accessor((playing.weights / largest).ravel(), "SCALAR")))
    if playing.path is not None:
        ground = playing.path.ground
        places = np.stack([ground.imag, np.zeros(frames), ground.real], axis=1) * unit
        turns = continuous(about_axis([0.0, 1.0, 0.0], playing.path.heading))
        outputs.append(("translation", builder.accessor(places, "VEC3")))
        outputs.append(("rotation", builder.accessor(np.roll(turns, -1, axis=-1), "VEC4")))
    if not outputs:
        return
    keys = builder.accessor(times, "SCALAR", bounds=True)
    samplers = [{"input": keys, "output": output, "interpolation": "LINEAR"} for _, output in outputs]
    channels = [{"sampler": k, "target": {"node": 0, "path": what}} for k, (what, _) in enumerate(outputs)]
    entry = {"name": playing.name, "channels": channels, "samplers": samplers}
    builder.append("animations", {**entry, "extras": {"freshtake_frame_time": playing.frame_time}})
