"""Convert a skinned FBX character to glTF, so that it can be used wherever a glTF character can.

A vertex v of an FBX skin is at sum w_j G_j K_j v, with matrices G_j of limbs and K_j (`Transform`) from the mesh into
each limb. Joints M_j of a clip have no scale: G_j = M_j S_j at rest. glTF's inverse bind matrices are then S_j K_j, in
metres U S_j K_j, where U scales by the unit. Images are not converted.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.formats.fbx.objects import Joints, Properties, Scene, find_joints, local_matrices, parent_of
from freshtake.formats.fbx.reading import axis_and_unit, joint_names, moving_joints, rest_world, tips_of
from freshtake.formats.fbx.records import Entry, parse
from freshtake.formats.files import read_bytes
from freshtake.formats.gltf.build import INDICES, VERTICES, Builder
from freshtake.formats.numbers import fans
from freshtake.formats.rig import GRAY, affine, nearest_rotations, scale_free
from freshtake.motion.edit import tilt
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import from_euler, multiply, rotate, to_matrix

_LARGEST = 1e15  # largest length; the product of two such lengths fits into single precision
_Whole = npt.NDArray[np.int64]


class _Corners(NamedTuple):
    """The vertex of each triangle corner, its index in the file's list of corners, and the polygon of each triangle."""

    vertices: _Whole  # (triangles, 3)
    places: _Whole  # (triangles, 3)
    polygons: _Whole  # (triangles,)


def has_skin(path: Path) -> bool:
    """Return whether an FBX file holds a mesh that follows a skeleton."""
    scene = Scene(path, parse(path, read_bytes(path)))
    return any(scene.form(number) == "Skin" for number in scene.of_kind("Deformer"))


def as_glb(path: Path, data: bytes) -> bytes:
    """Return the joints of an FBX file at rest with all meshes that they carry, as GLB in metres and y up."""
    scene = Scene(path, parse(path, data))
    with np.errstate(all="ignore"):
        animated = moving_joints(scene)
        joints = find_joints(scene, animated)
        tips = tips_of(scene, joints, animated)
        up, unit = axis_and_unit(scene)
        builder = Builder(path)
        world = rest_world(scene, joints)
        sizes = np.abs(np.linalg.det(world[:, :3, :3])) if np.isfinite(world).all() else np.zeros(1)
        if not (sizes.min() > 1e-60 and sizes.max() < 1e60 and np.abs(world).max() < _LARGEST):
            raise scene.fail("a joint has no size, or its position is not finite", "Objects")
        numbers = _add_joints(builder, scene, joints, tips, world, up, unit)
        stretch = np.linalg.inv(affine(to_matrix(nearest_rotations(world[:, :3, :3])), world[:, :3, 3])) @ world
        meshes = [number for number in scene.of_kind("Model") if scene.below_of_kind(number, "Geometry")]
        mesh_nodes = [_add_mesh(builder, scene, joints, model, world, stretch, unit, numbers) for model in meshes]
    builder.append("scenes", {"nodes": [numbers[0], *[node for node in mesh_nodes if node is not None]]})
    return builder.packed(path.with_suffix(".glb"))


def _add_joints(
    builder: Builder, scene: Scene, joints: Joints, tips: set[int], world: Floats, up: str, unit: float
) -> list[int]:
    """Add a node for every joint and tip, numbered as they are in `joints`; tips are leaves, and belong to no skin."""
    places, turns = (values[0] for values in scale_free(world[None], joints.parents))
    places = places * unit
    turn = tilt(up, "y")
    places[0], turns[0] = rotate(turn, places[0]), multiply(turn, turns[0])
    names = joint_names(scene, joints)
    for joint, name in enumerate(names):
        below = [k for k, parent in enumerate(joints.parents) if parent == joint]
        node: dict[str, Any] = {"name": name, "translation": places[joint].tolist()}
        node["rotation"] = turns[joint][[1, 2, 3, 0]].tolist()
        builder.append("nodes", node | ({"children": below} if below else {}))
    return [joint for joint in range(len(names)) if joint not in tips]


def _add_mesh(
    builder: Builder, scene: Scene, joints: Joints, model: int, world: Floats, stretch: Floats, unit: float,
    numbers: list[int],
) -> int | None:  # fmt: skip
    """Add one mesh with its skin and return its number; None if no joint carries it."""
    geometry = scene.objects[scene.below_of_kind(model, "Geometry")[0].number]
    vertices = _rows(geometry, "Vertices", 3)
    if np.abs(vertices).max(initial=0.0) > _LARGEST:
        raise scene.fail(f"the mesh {scene.name(model)[:40]!r} has vertices that are too far away", "Objects")
    corners = _corners(scene, geometry, len(vertices))
    into, rows = _skin(scene, joints, model, world, len(vertices))
    if into is None or not len(corners.vertices):
        return None
    place = {joint: number for number, joint in enumerate(numbers)}
    binds = np.stack([np.diag([unit, unit, unit, 1.0]) @ stretch[joint] @ into[joint] for joint in numbers])
    which, shares = _strongest(rows, len(vertices), place)
    count = len(corners.vertices)
    normals = _layer(geometry, "LayerElementNormal", "Normals", "NormalsIndex", 3, corners)
    coordinates = _layer(geometry, "LayerElementUV", "UV", "UVIndex", 2, corners)
    table = [corners.vertices.reshape(-1, 1).astype(np.float64)]
    table += [values.reshape(3 * count, -1) for values in (normals, coordinates) if values is not None]
    _, first, numbered = np.unique(np.concatenate(table, axis=1), axis=0, return_index=True, return_inverse=True)
    sources = corners.vertices.reshape(-1)[first]
    attributes = {"POSITION": builder.accessor(vertices[sources], "VEC3", VERTICES, bounds=True)}
    if normals is not None:
        facing = normals.reshape(-1, 3)[first]
        facing = facing / np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), 1e-12)
        attributes["NORMAL"] = builder.accessor(facing, "VEC3", VERTICES)
    if coordinates is not None:
        flipped = coordinates.reshape(-1, 2)[first] * [1.0, -1.0] + [0.0, 1.0]
        attributes["TEXCOORD_0"] = builder.accessor(flipped, "VEC2", VERTICES)
    for k in range(0, which.shape[1], 4):
        attributes[f"JOINTS_{k // 4}"] = builder.accessor(which[sources, k : k + 4].astype("<u2"), "VEC4", VERTICES)
        attributes[f"WEIGHTS_{k // 4}"] = builder.accessor(shares[sources, k : k + 4], "VEC4", VERTICES)
    faces = numbered.reshape(count, 3)
    layer = geometry.one("LayerElementMaterial")
    face_materials = np.zeros(0, np.int64) if layer is None else layer.numbers("Materials").astype(np.int64)
    if corners.polygons.max(initial=-1) < len(face_materials):
        face_materials = np.maximum(face_materials[corners.polygons], 0)
    else:  # one material for all triangles
        face_materials = np.full(count, max([0, *face_materials[:1].tolist()]))
    materials = [link.number for link in scene.below_of_kind(model, "Material")]
    primitives = []
    for number in np.unique(face_materials).tolist():
        indices = builder.accessor(faces[face_materials == number].reshape(-1).astype("<u4"), "SCALAR", INDICES)
        primitive: dict[str, Any] = {"attributes": attributes, "indices": indices}
        if number < len(materials):
            primitive["material"] = _material(builder, scene, materials[number])
        primitives.append(primitive)
    name = scene.name(model) or "mesh"
    mesh = builder.append("meshes", {"name": name, "primitives": primitives})
    matrices = builder.accessor(binds.transpose(0, 2, 1).reshape(len(binds), 16), "MAT4")
    skin = builder.append("skins", {"name": name, "inverseBindMatrices": matrices, "joints": numbers})
    return builder.append("nodes", {"name": name, "mesh": mesh, "skin": skin})


def _skin(
    scene: Scene, joints: Joints, model: int, world: Floats, count: int
) -> tuple[Floats | None, tuple[_Whole, _Whole, Floats]]:
    """Return matrices (joints, 4, 4) from the mesh into every joint; vertex, joint and weight of every influence."""
    place = {number: joint for joint, number in enumerate(joints.models)}
    to_world = _world_of(scene, model) @ _geometric(scene, model)
    into = np.linalg.inv(world) @ to_world
    geometry = scene.below_of_kind(model, "Geometry")[0].number
    rows: list[tuple[_Whole, _Whole, Floats]] = []
    for skin in scene.below_of_kind(geometry, "Deformer"):
        for link in scene.below_of_kind(skin.number, "Deformer"):
            joint = next((place[entry.number] for entry in scene.below[link.number] if entry.number in place), None)
            cluster = scene.objects[link.number]
            which, weights = cluster.numbers("Indexes").astype(np.int64), cluster.numbers("Weights")
            if joint is None or not len(which) or len(which) != len(weights):
                continue
            if which.min() < 0 or which.max() >= count or not np.isfinite(weights).all():
                problem = f"a skin moves vertices that the mesh {scene.name(model)[:40]!r} does not have"
                raise scene.fail(problem, "Objects")
            matrix = cluster.numbers("Transform")
            if matrix.size == 16 and np.isfinite(matrix).all() and np.abs(matrix).max() < _LARGEST:
                into[joint] = matrix.reshape(4, 4).T @ _geometric(scene, model)
            rows.append((which, np.full(len(which), joint), weights))
    if rows:
        which, owners, weights = (np.concatenate(column) for column in zip(*rows, strict=True))
        return into, (which, owners, weights)
    holder, above = None, parent_of(scene, model)
    while above is not None and holder is None:
        holder, above = place.get(above), parent_of(scene, above)
    nothing = np.arange(count), np.full(count, holder or 0), np.ones(count)
    return (None if holder is None else into), nothing


def _strongest(rows: tuple[_Whole, _Whole, Floats], count: int, place: dict[int, int]) -> tuple[_Whole, Floats]:
    """Return joints and weights (vertices, 4 or 8) that sum to 1; vertices without influence follow joint 0."""
    which, owners, weights = rows
    valid = np.array([owner in place for owner in owners.tolist()]) & (weights > 0)
    which, owners, weights = which[valid], owners[valid], weights[valid]
    order = np.lexsort((-weights, which))
    which, owners, weights = which[order], owners[order], weights[order]
    rank = np.arange(len(which)) - np.searchsorted(which, which)
    # Engines read up to eight joints per vertex, so the strongest eight are used.
    strong = rank < 8
    width = 8 if strong.any() and int(rank[strong].max()) >= 4 else 4
    joints, shares = np.zeros((count, width), np.int64), np.zeros((count, width))
    joints[which[strong], rank[strong]] = [place[owner] for owner in owners[strong].tolist()]
    shares[which[strong], rank[strong]] = weights[strong]
    shares[shares.sum(axis=1) <= 1e-9, 0] = 1.0
    return joints, shares / shares.sum(axis=1, keepdims=True)


def _world_of(scene: Scene, model: int) -> Floats:
    """Return the world matrix (4, 4) of a model at rest."""
    out, number, depth = np.eye(4), model, 0
    while number is not None and depth < 1000:
        out = local_matrices(scene, number, {}, np.zeros(1))[0] @ out
        number, depth = parent_of(scene, number), depth + 1  # type: ignore[assignment]
    return out


def _geometric(scene: Scene, model: int) -> Floats:
    """Return the geometric transform, which moves the mesh of a model but not its child models."""
    settings = Properties(scene.objects[model])
    turn = from_euler(np.radians(settings.vector("GeometricRotation"))[::-1], "ZYX")
    scaled = to_matrix(turn) * settings.vector("GeometricScaling", 1.0)
    return affine(scaled, settings.vector("GeometricTranslation"))


def _rows(entry: Entry, name: str, width: int) -> Floats:
    values = entry.numbers(name)
    return np.nan_to_num(values[: len(values) // width * width].reshape(-1, width))


def _corners(scene: Scene, geometry: Entry, count: int) -> _Corners:
    """Return polygons as fans of triangles; the last corner of each has a negative number in the file."""
    listed = geometry.numbers("PolygonVertexIndex").astype(np.int64)
    ends = np.flatnonzero(listed < 0)
    listed = np.where(listed < 0, ~listed, listed)
    if len(listed) and listed.max() >= count:
        raise scene.fail(f"a polygon uses vertex {int(listed.max())}, but the mesh has {count}", "Objects")
    places, polygons = fans(np.diff(ends, prepend=-1))
    return _Corners(listed[places], places, polygons)


def _layer(geometry: Entry, kind: str, values: str, index: str, width: int, corners: _Corners) -> Floats | None:
    """Return a layer's values per corner (triangles, 3, width); None if it has no usable values."""
    layer = geometry.one(kind)
    if layer is None:
        return None
    table = _rows(layer, values, width)
    mapping, reference = layer.one("MappingInformationType"), layer.one("ReferenceInformationType")
    by_vertex = mapping is not None and str(mapping.value(0, str) or "").startswith("ByVert")
    rows = corners.vertices if by_vertex else corners.places
    if reference is not None and reference.value(0, str) != "Direct":
        numbers = layer.numbers(index).astype(np.int64)
        if not len(numbers) or rows.max(initial=-1) >= len(numbers):
            return None
        rows = numbers[rows]
    if not len(table) or rows.max(initial=-1) >= len(table) or rows.min(initial=0) < 0:
        return None
    return table[rows]


def _material(builder: Builder, scene: Scene, number: int) -> int:
    color = np.clip(Properties(scene.objects[number]).vector("DiffuseColor", GRAY[0]), 0.0, 1.0)
    name = scene.name(number) or "material"
    painted = {"baseColorFactor": [*color.tolist(), 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8}
    entry = {"name": name, "pbrMetallicRoughness": painted}
    existing = builder.document.get("materials", [])
    return existing.index(entry) if entry in existing else builder.append("materials", entry)
