"""Write glTF: clips as a bone figure or on a character, VRM animations, and meshes with morph targets."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import write_bytes
from freshtake.formats.gltf.build import INDICES, VERTICES, Builder, NodeMotion, add_animation, add_keys, add_tracks
from freshtake.formats.gltf.character import onto_character
from freshtake.formats.read_options import WriteOptions
from freshtake.formats.rig import distinct, in_metres, same_skeleton
from freshtake.formats.vrm import as_humanoid
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.roles import rest_positions
from freshtake.motion.features.angles import Path as GroundPath
from freshtake.motion.skeleton import require_compatible
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import about_axis, continuous, rotate, shortest_arc

FIGURE = "figure"  # name of the mesh for clips without a character
# Unit bone along y: tail, four corners of the waist, tip; then the eight triangles, seen from outside.
_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1], [-1, 0, 0], [0, 0, -1], [0, 1, 0]], dtype=np.float64)
_TRIANGLES = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]])
_MATERIAL = {
    "name": "bones",
    "pbrMetallicRoughness": {"baseColorFactor": [0.85, 0.6, 0.32, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7},
}


def _bone_figure(skeleton: Skeleton) -> tuple[Floats, Floats, Ints]:
    """Return vertices (n, 3) of triangles at rest, their normals, and the joint (n,) that carries each vertex.

    Bones reach from every joint to its children and end sites; leaf joints without end sites have a small diamond.
    """
    rest = rest_positions(skeleton) + skeleton.offsets[0]
    bones = [(int(parent), skeleton.offsets[j]) for j, parent in enumerate(skeleton.parents) if parent >= 0]
    bones += [(site.joint, np.array(site.offset)) for site in skeleton.end_sites]
    lengths = [float(np.linalg.norm(vector)) for _, vector in bones]
    longest = max(lengths, default=0.0) or 0.2
    vertices, owners = [], []
    for (joint, vector), length in zip(bones, lengths, strict=True):
        if length > 1e-4 * longest:
            vertices.append(rest[joint] + _bone(vector, length, 0.06 * longest))
            owners.append(joint)
    for joint in sorted(set(range(len(skeleton))) - set(owners)):
        # A diamond about the joint, as wide as it is high.
        size = 0.1 * longest
        shape = _CORNERS * np.array([size / 2, size, size / 2])
        shape[1:5, 1] = size / 2
        vertices.append(rest[joint] + shape - np.array([0.0, size / 2, 0.0]))
        owners.append(joint)
    corners = np.array(vertices)[:, _TRIANGLES].reshape(-1, 3, 3)  # (triangles, corners, 3)
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing /= np.linalg.norm(facing, axis=-1, keepdims=True)
    return corners.reshape(-1, 3), np.repeat(facing, 3, axis=0), np.repeat(np.array(owners), _TRIANGLES.size)


def _bone(vector: Floats, length: float, least: float) -> Floats:
    """Return the unit bone scaled along a vector, at least `least` thick unless that would make it a disk."""
    # Half the thickness is a tenth of the length, with a lower bound.
    half = max(0.1 * length, min(least / 2, 0.4 * length))
    shape = _CORNERS * np.array([half, length, half])
    # A bone is thickest near its joint.
    shape[1:5, 1] = 0.18 * length
    turn = shortest_arc(np.array([0.0, 1.0, 0.0]), vector / length)
    return rotate(turn, shape)


def write_clips(path: Path, clips: Sequence[Clip], options: WriteOptions) -> None:
    """Write one file with one named animation per clip, in metres and y up; the clips share one skeleton."""
    ready = same_skeleton(path, clips, options, "glTF")
    names = distinct([clip.name or "clip" for clip in ready])
    if options.character is not None:
        builder = onto_character(path, Path(options.character), ready, names)
    else:
        try:
            still = _still_figure(ready[0].skeleton)
        except FormatError as error:
            raise FormatError(path, error.problem) from None
        copied = {key: [*value] if isinstance(value, list) else value for key, value in still.document.items()}
        builder = Builder(path, copied, bytes(still.binary))
        _add_animations(builder, ready, names)
    write_bytes(path, builder.packed(path))


@lru_cache(maxsize=16)
def _still_figure(skeleton: Skeleton) -> Builder:
    """Return a figure without animations, which many files share."""
    builder = Builder(Path())
    _add_joints(builder, skeleton)
    _add_mesh(builder, skeleton)
    return builder


def _add_animations(builder: Builder, clips: Sequence[Clip], names: Sequence[str]) -> None:
    """Add an animation of node k by joint k for every clip."""
    for clip, name in zip(clips, names, strict=True):
        moving = clip.joint_translations
        places = [clip.root, *[None if moving is None else moving[:, k] for k in range(1, len(clip.skeleton))]]
        motions = [NodeMotion(k, clip.rotations[:, k], place) for k, place in enumerate(places)]
        add_animation(builder, name, clip, motions)


def _add_joints(builder: Builder, skeleton: Skeleton) -> None:
    """Add node k for joint k, then a leaf for each end site, named if the skeleton names it."""
    children = [skeleton.children(joint) for joint in range(len(skeleton))]
    for number, site in enumerate(skeleton.end_sites):
        children[site.joint].append(len(skeleton) + number)
    for joint, name in enumerate(skeleton.names):
        node: dict[str, Any] = {"name": name, "translation": skeleton.offsets[joint].tolist()}
        builder.append("nodes", node | ({"children": children[joint]} if children[joint] else {}))
    for site in skeleton.end_sites:
        builder.append("nodes", {"translation": list(site.offset)} | ({"name": site.name} if site.name else {}))


def _add_mesh(builder: Builder, skeleton: Skeleton) -> None:
    vertices, normals, joints = _bone_figure(skeleton)
    count = len(skeleton)
    bind = np.tile(np.eye(4), (count, 1, 1))
    bind[:, :3, 3] = -(rest_positions(skeleton) + skeleton.offsets[0])
    carriers = np.zeros((len(vertices), 4), np.uint8 if count <= 256 else np.uint16)
    carriers[:, 0] = joints
    attributes = {
        "POSITION": builder.accessor(vertices, "VEC3", VERTICES, bounds=True),
        "NORMAL": builder.accessor(normals, "VEC3", VERTICES),
        "JOINTS_0": builder.accessor(carriers, "VEC4", VERTICES),
        "WEIGHTS_0": builder.accessor(np.tile([1.0, 0.0, 0.0, 0.0], (len(carriers), 1)), "VEC4", VERTICES),
    }
    faces = builder.accessor(np.arange(len(vertices), dtype=np.uint32), "SCALAR", INDICES)
    builder.append("materials", _MATERIAL)
    primitive = {"attributes": attributes, "indices": faces, "material": 0}
    mesh = builder.append("meshes", {"name": FIGURE, "primitives": [primitive]})
    matrices = builder.accessor(bind.transpose(0, 2, 1).reshape(count, 16), "MAT4")
    skin = {"name": FIGURE, "inverseBindMatrices": matrices, "skeleton": 0, "joints": list(range(count))}
    node = builder.append("nodes", {"name": FIGURE, "mesh": mesh, "skin": builder.append("skins", skin)})
    builder.append("scenes", {"nodes": [0, node]})


EXTENSION = "VRMC_vrm_animation"


def write_vrma(path: Path, clips: Sequence[Clip], options: WriteOptions) -> None:
    """Write one file with an animation per clip; the clips share one skeleton, that of the first."""
    if options.character is not None:
        raise UsageError(f"{path}: a VRM animation has no character, it moves any avatar: omit --character")
    ready = [as_humanoid(in_metres(path, clip, options, "VRM animation")) for clip in clips]
    for clip in ready[1:]:
        require_compatible(ready[0].skeleton, clip.skeleton)
    skeleton = ready[0].skeleton
    builder = Builder(path)
    _add_joints(builder, skeleton)
    builder.append("scenes", {"nodes": [0]})
    bones = {name: {"node": joint} for joint, name in enumerate(skeleton.names)}
    builder.document["extensionsUsed"] = [EXTENSION]
    builder.document["extensions"] = {EXTENSION: {"specVersion": "1.0", "humanoid": {"humanBones": bones}}}
    _add_animations(builder, ready, distinct([clip.name or "clip" for clip in ready]))
    write_bytes(path, builder.packed(path))


Values = npt.NDArray[Any]
_MESH_MATERIAL = {
    "name": "mesh", "doubleSided": True,
    "pbrMetallicRoughness": {"baseColorFactor": [0.75, 0.72, 0.68, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8},
}  # fmt: skip


class Morphs(NamedTuple):
    """A mean mesh (vertices, 3) and its modes (targets, vertices, 3) in the frame of the body, and their normals."""

    base: Values
    modes: Values
    faces: Values
    normals: Values | None = None
    normal_modes: Values | None = None
    uv: Values | None = None
    up: str = "y"


class Playing(NamedTuple):
    """The animation: weights (frames, targets), and the mesh's position and heading, None if constant."""

    weights: Floats
    frame_time: float
    path: GroundPath | None
    name: str = "texture"


def write_morphs(path: Path, morphs: Morphs, playing: Playing, unit_m: float | None) -> None:
    """Write one .glb or .gltf in metres and y up; `unit_m` is the metres per unit of the mesh."""
    if unit_m is None:
        raise FormatError(path, "glTF is in metres, but the mesh does not state its unit: give --unit (1: metres)")
    if not (np.isfinite(unit_m) and unit_m > 0):
        raise FormatError(path, f"the unit must be a number of metres above 0, not {unit_m}")
    if path.suffix.lower() not in (".glb", ".gltf"):
        raise FormatError(path, f"a glTF file's name ends in .glb or .gltf, not {path.suffix!r}")
    builder = Builder(path)
    largest = np.abs(playing.weights).max(axis=0, initial=0.0)
    largest = np.where(largest > 0.0, largest, 1.0)  # scales weights to between -1 and 1, which all viewers handle
    mesh = _add_morphed_mesh(builder, morphs, largest, unit_m)
    builder.append("nodes", {"name": playing.name, "mesh": mesh})
    builder.append("scenes", {"nodes": [0]})
    _add_morph_animation(builder, playing, largest, unit_m)
    write_bytes(path, builder.packed(path))


def _add_morphed_mesh(builder: Builder, morphs: Morphs, largest: Floats, unit: float) -> int:
    attributes = {"POSITION": _vectors(builder, _upright(morphs.base, morphs.up) * unit, bounds=True)}
    if morphs.normals is not None:
        facing = _upright(morphs.normals, morphs.up)
        length = np.linalg.norm(facing, axis=-1, keepdims=True)
        facing = np.where(length > 0.0, facing / np.where(length > 0.0, length, 1.0), [0.0, 1.0, 0.0])
        attributes["NORMAL"] = _vectors(builder, facing)
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
        "attributes": attributes, "indices": faces, "material": builder.append("materials", _MESH_MATERIAL)
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
    """Return vectors with y up."""
    values = np.asarray(vectors, dtype=np.float64)
    return values if up == "y" else np.stack([values[..., 0], values[..., 2], -values[..., 1]], axis=-1)


def _add_morph_animation(builder: Builder, playing: Playing, largest: Floats, unit: float) -> None:
    frames = len(playing.weights)
    outputs: list[tuple[int, str, int]] = []
    if playing.weights.shape[1]:
        outputs.append((0, "weights", builder.accessor((playing.weights / largest).ravel(), "SCALAR")))
    if playing.path is not None:
        ground = playing.path.ground
        places = np.stack([ground.imag, np.zeros(frames), ground.real], axis=1) * unit
        turns = continuous(about_axis([0.0, 1.0, 0.0], playing.path.heading))
        outputs.append((0, "translation", builder.accessor(places, "VEC3")))
        outputs.append((0, "rotation", builder.accessor(np.roll(turns, -1, axis=-1), "VEC4")))
    if outputs:
        keys = add_keys(builder, playing.name, frames, playing.frame_time)
        add_tracks(builder, playing.name, keys, outputs, {"freshtake_frame_time": playing.frame_time})
