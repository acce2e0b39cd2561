"""Writing clips as glTF: as a bone figure of their own, or as the animations of a given character.

A visible figure for a clip without a character: an octahedral bone from every joint to each of its children.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError
from freshtake.formats.clip_sets import same_skeleton
from freshtake.formats.files import write_bytes
from freshtake.formats.gltf.build import INDICES, VERTICES, Builder, NodeMotion, add_animation
from freshtake.formats.gltf.container import packed
from freshtake.formats.gltf.nodes import distinct
from freshtake.formats.gltf.onto import onto_character
from freshtake.formats.read_options import WriteOptions
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.roles import rest_positions
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import rotate, shortest_arc

FIGURE = "figure"  # the mesh of clips without a character
_WAIST = 0.18  # where along a bone it is thickest
_THICK = 0.1  # half its width there, in lengths of the bone
# Unit bone along y: tail, four corners of the waist, tip; then the eight triangles, seen from outside.
_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1], [-1, 0, 0], [0, 0, -1], [0, 1, 0]], dtype=np.float64)
_TRIANGLES = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]])
_MATERIAL = {
    "name": "bones",
    "pbrMetallicRoughness": {"baseColorFactor": [0.85, 0.6, 0.32, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7},
}


class Figure(NamedTuple):
    """Flat-shaded triangles at rest: every vertex (n, 3) has a normal and one joint that carries it."""

    vertices: Floats
    normals: Floats
    joints: npt.NDArray[np.intp]
    faces: npt.NDArray[np.intp]


def bone_figure(skeleton: Skeleton) -> Figure:
    """Bones from every joint to its children and end sites; a small diamond where a joint has neither."""
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
        vertices.append(rest[joint] + _diamond(0.1 * longest))
        owners.append(joint)
    corners = np.array(vertices)[:, _TRIANGLES].reshape(-1, 3, 3)  # (triangles, corners, 3)
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing /= np.linalg.norm(facing, axis=-1, keepdims=True)
    flat = corners.reshape(-1, 3)
    joints = np.repeat(np.array(owners), _TRIANGLES.size)
    return Figure(flat, np.repeat(facing, 3, axis=0), joints, np.arange(len(flat)))


def _bone(vector: Floats, length: float, least: float) -> Floats:
    """The unit bone stretched along a vector, at least `least` thick unless that would make it a disk."""
    half = max(_THICK * length, min(least / 2, 0.4 * length))
    shape = _CORNERS * np.array([half, length, half])
    shape[1:5, 1] = _WAIST * length
    turn = shortest_arc(np.array([0.0, 1.0, 0.0]), vector / length)
    return rotate(turn, shape)


def _diamond(size: float) -> Floats:
    shape = _CORNERS * np.array([size / 2, size, size / 2])
    shape[1:5, 1] = size / 2
    return np.asarray(shape - np.array([0.0, size / 2, 0.0]))


def write_clips(path: Path, clips: Sequence[Clip], options: WriteOptions) -> None:
    """One file with one named animation per clip, in metres and y up; the clips share one skeleton."""
    ready = same_skeleton(path, clips, options, "glTF")
    names = distinct([clip.name or "clip" for clip in ready])
    if options.character is not None:
        builder = onto_character(path, Path(options.character), ready, names)
    else:
        builder = _figure(path, ready, names)
    write_bytes(path, packed(path, builder.document, bytes(builder.binary)))


def _figure(path: Path, clips: list[Clip], names: list[str]) -> Builder:
    skeleton = clips[0].skeleton
    try:
        document, binary = _still_figure(skeleton)
    except FormatError as error:
        raise FormatError(path, error.problem) from None
    copied = {key: [*value] if isinstance(value, list) else value for key, value in document.items()}
    builder = Builder(path, copied, binary)
    for clip, name in zip(clips, names, strict=True):
        moving = clip.joint_translations
        motions = [
            NodeMotion(joint, clip.rotations[:, joint], None if moving is None else moving[:, joint])
            for joint in range(len(skeleton))
        ]
        motions[0] = motions[0]._replace(translations=clip.root)
        add_animation(builder, name, clip, motions)
    return builder


@lru_cache(maxsize=16)
def _still_figure(skeleton: Skeleton) -> tuple[dict[str, Any], bytes]:
    """Document and buffer of a figure that does not move yet, which many files share."""
    builder = Builder(Path(), {"asset": {"version": "2.0", "generator": "freshtake"}, "scene": 0})
    _add_joints(builder, skeleton)
    _add_mesh(builder, skeleton)
    return builder.document, bytes(builder.binary)


def _add_joints(builder: Builder, skeleton: Skeleton) -> None:
    """Node k is joint k; end sites follow as bare leaves, without a name where the skeleton gives none."""
    children: list[list[int]] = [skeleton.children(joint) for joint in range(len(skeleton))]
    for number, site in enumerate(skeleton.end_sites):
        children[site.joint].append(len(skeleton) + number)
    for joint, name in enumerate(skeleton.names):
        node: dict[str, Any] = {"name": name, "translation": skeleton.offsets[joint].tolist()}
        builder.append("nodes", node | ({"children": children[joint]} if children[joint] else {}))
    for site in skeleton.end_sites:
        builder.append("nodes", {"translation": list(site.offset)} | ({"name": site.name} if site.name else {}))


def _add_mesh(builder: Builder, skeleton: Skeleton) -> None:
    figure = bone_figure(skeleton)
    count = len(skeleton)
    bind = np.tile(np.eye(4), (count, 1, 1))
    bind[:, :3, 3] = -(rest_positions(skeleton) + skeleton.offsets[0])
    carriers = np.zeros((len(figure.vertices), 4), np.uint8 if count <= 256 else np.uint16)
    carriers[:, 0] = figure.joints
    attributes = {
        "POSITION": builder.accessor(figure.vertices, "VEC3", VERTICES, bounds=True),
        "NORMAL": builder.accessor(figure.normals, "VEC3", VERTICES),
        "JOINTS_0": builder.accessor(carriers, "VEC4", VERTICES),
        "WEIGHTS_0": builder.accessor(np.tile([1.0, 0.0, 0.0, 0.0], (len(carriers), 1)), "VEC4", VERTICES),
    }
    faces = builder.accessor(figure.faces.astype(np.uint32), "SCALAR", INDICES)
    builder.append("materials", _MATERIAL)
    primitive = {"attributes": attributes, "indices": faces, "material": 0}
    mesh = builder.append("meshes", {"name": FIGURE, "primitives": [primitive]})
    matrices = builder.accessor(bind.transpose(0, 2, 1).reshape(count, 16), "MAT4")
    skin = {"name": FIGURE, "inverseBindMatrices": matrices, "skeleton": 0, "joints": list(range(count))}
    node = builder.append("nodes", {"name": FIGURE, "mesh": mesh, "skin": builder.append("skins", skin)})
    builder.append("scenes", {"nodes": [0, node]})
