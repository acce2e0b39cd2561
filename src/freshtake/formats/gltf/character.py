"""Retarget clips to a glTF character, or convert it to a rig.

Its nodes get the clips' animations, everything else is kept; as a rig it has joints without scale, one bind pose, and
meshes placed in it.

A vertex v of a skin is at sum w_j G_j I_j v, with matrices G_j of joints and inverse bind matrices I_j of the file.
With joints M_j that have no scale, K_j = M_j^-1 G_j I_j (constant) takes v to its joint. A bind pose B_j is chosen so
that B_j K_j is one and the same map A for all joints: then v' = A v, skinned by M_j B_j^-1, moves as in the file.
"""

import copy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError, SkeletonMismatch
from freshtake.formats.files import SINGLE
from freshtake.formats.gltf.accessors import Primitive, Whole, view_bytes
from freshtake.formats.gltf.animation import WorldMatrices, joint_pose, rest_pose, rest_skeleton, world_matrices
from freshtake.formats.gltf.build import Builder, NodeMotion, add_animation, without_animations
from freshtake.formats.gltf.container import Container, Item, load, resource
from freshtake.formats.gltf.nodes import Character, Loaded, Nodes, clean_name, load_joints
from freshtake.formats.gltf.skin import MeshPart, bind_matrices, inverse_binds, mesh_parts, turn_normals
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.rig import GRAY, Material, Rig, RigMesh, affine, distinct, naming
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import (
    IDENTITY,
    WorldPose,
    forward,
    from_matrix,
    inverse,
    local_rotations,
    multiply,
    rotate,
    to_matrix,
)


def with_root(container: Container, nodes: Nodes, character: Character, name: str) -> Container:
    """Return the file with an additional node between the character's first joint and its parent.

    The node has the identity as its transform, and is a joint of every skin of the character.
    """
    document: dict[str, Any] = copy.deepcopy(container.top.value)
    first, number = character.root, len(nodes)
    document["nodes"].append({"name": name, "children": [first]})
    parent = int(nodes.parents[first])
    holders = [document["nodes"][parent].get("children", [])] if parent >= 0 else []
    holders += [scene.get("nodes", []) for scene in document.get("scenes", [])] if parent < 0 else []
    for holder in holders:
        holder[:] = [number if child == first else child for child in holder]
    joints, data = set(character.nodes), b""
    for skin, item in zip(document.get("skins", []), container.top.items("skins"), strict=True):
        listed = item.indices("joints", len(nodes), "node")
        if not joints.issuperset(listed):
            continue
        matrices = _inverse_binds(container, nodes, item, listed, parent)
        skin["joints"] = [*listed, number]
        skin["inverseBindMatrices"] = len(document.setdefault("accessors", []))
        place = len(data)
        data += matrices.transpose(0, 2, 1).astype("<f4").tobytes()
        view = {"buffer": len(container.buffers), "byteOffset": place, "byteLength": len(data) - place}
        entry = {"bufferView": len(document.setdefault("bufferViews", [])), "componentType": 5126}
        document["bufferViews"].append(view)
        document["accessors"].append({**entry, "count": len(matrices), "type": "MAT4"})
    document.setdefault("buffers", []).append({"byteLength": max(len(data), 1)})
    return Container(container.path, Item(container.path, "", document), (*container.buffers, data or b"\0"))


def _inverse_binds(container: Container, nodes: Nodes, skin: Item, joints: list[int], parent: int) -> Floats:
    """Return the skin's matrices, and a matrix for a joint at `parent` that is bound like the skin's first joint."""
    stated = bind_matrices(container, skin, len(joints))
    matrices = np.tile(np.eye(4), (len(joints), 1, 1)) if stated is None else stated
    to_world = _rest_matrix(nodes, joints[0]) @ matrices[0]
    above = _rest_matrix(nodes, parent) if parent >= 0 else np.eye(4)
    if abs(np.linalg.det(above)) < 1e-60:
        nodes.items[parent].fail("the scale above the first joint is zero, so no clip can be applied to this character")
    return np.concatenate([matrices, (np.linalg.inv(above) @ to_world)[None]])


def _rest_matrix(nodes: Nodes, node: int) -> Floats:
    pose = rest_pose(nodes, [node])
    return affine(*(values[0, pose.place(node)] for values in world_matrices(pose)))


def _matrices(world: WorldMatrices, places: list[int]) -> Floats:
    """Return the matrices (places, 4, 4) in the first frame."""
    return affine(world.linear[0, places], world.positions[0, places])


def onto_character(path: Path, source: Path, clips: list[Clip], names: list[str]) -> Builder:
    """Return the character's file with these clips as its only animations; joints are matched by name."""
    source = Path(source)
    container, nodes, character = load_character(source, clips[0])
    try:
        builder = without_animations(path, container)
    except RecursionError:
        raise FormatError(source, "the JSON is nested too deeply to be carried over") from None
    for clip, name in zip(clips, names, strict=True):
        motions = _node_motions(nodes, character, clip, match_joints(source, character, clip))
        add_animation(builder, name, clip, motions)
    _free_from_matrices(builder, nodes, character)
    return builder


def load_character(source: Path, clip: Clip) -> Loaded:
    """Read a character for clips; if the clip has a joint above the character's first, that joint is added."""
    loaded = load_joints(load(source))
    if loaded.character.root < 0:
        raise FormatError(source, "the animated nodes have no common root, so no clip can be applied to them", "nodes")
    skeleton, names = clip.skeleton, loaded.character.names
    lacks = skeleton.names[0] not in names and [skeleton.names[j] for j in skeleton.children(0)] == [names[0]]
    return load_joints(with_root(*loaded, skeleton.names[0])) if lacks else loaded


def match_joints(source: Path, character: Character, clip: Clip) -> list[int]:
    """Return the clip's joint of the same name for every joint of the character; parents have to agree as well."""
    character_names, clip_names = character.names, clip.skeleton.names
    lacking = {
        "clip": [name for name in character_names if name not in clip_names],
        "character": [name for name in clip_names if name not in character_names],
    }
    if any(lacking.values()):
        parts = []
        for which, names in lacking.items():
            more = f" and {len(names) - 6} more" if len(names) > 6 else ""
            parts += [f"the {which} lacks {', '.join(map(repr, names[:6]))}{more}"] if names else []
        raise SkeletonMismatch(f"{source}: joints are matched by name, but {' and '.join(parts)}")
    order = [clip_names.index(name) for name in character_names]
    for joint, parent in enumerate(character.parents.tolist()):
        above = int(clip.skeleton.parents[order[joint]])
        # Equal names are not enough: local rotations are relative to the parent.
        if (above >= 0) != (parent >= 0) or (parent >= 0 and order[parent] != above):
            raise SkeletonMismatch(f"{source}: joint {character_names[joint]!r} has a different parent in the clip")
    return order


def _node_motions(nodes: Nodes, character: Character, clip: Clip, order: list[int]) -> list[NodeMotion]:
    """Return local rotations and translations of the nodes that place every joint as in the clip.

    Constant transforms above the root, and scale anywhere, are undone: translation = (parent's matrix)^-1 position.
    """
    positions = clip.positions()[:, order]
    size = float(np.ptp(positions[0], axis=0).max()) or 1.0
    # The root's parent does not move.
    root_linear, root_position, root_rotation = np.eye(3), np.zeros(3), IDENTITY
    holder = int(nodes.parents[character.root])
    if holder >= 0:
        rest = rest_pose(nodes, [holder])
        place = rest.place(holder)
        root_linear, root_position = (values[0, place] for values in world_matrices(rest))
        root_rotation = forward(rest.parents, rest.translations, rest.rotations).rotations[0, place]
    linear: list[Floats] = []  # per joint, (frames, 3, 3)
    out = []
    for joint, node in enumerate(character.nodes):
        parent, rotations = int(character.parents[joint]), clip.rotations[:, order[joint]]
        if parent >= 0:
            above, origin = linear[parent], positions[:, parent]
        else:
            above, origin = root_linear, root_position
            rotations = multiply(inverse(root_rotation), rotations)
        volume = np.abs(np.linalg.det(above))
        if volume.min() < 1e-60:
            nodes.items[node].fail("the scale above this joint is zero, so no clip can be applied to this character")
        translations = np.asarray(np.linalg.solve(above, (positions[:, joint] - origin)[..., None])[..., 0], np.float64)
        linear.append(above @ (to_matrix(rotations) * nodes.scales[node]))
        largest_shift = np.abs(translations - nodes.translations[node]).max() * volume.max() ** (1 / 3)
        out.append(NodeMotion(node, rotations, translations if parent < 0 or largest_shift > SINGLE * size else None))
    return out


def _free_from_matrices(builder: Builder, nodes: Nodes, character: Character) -> None:
    """Replace the matrices of joints by translation, rotation and scale: a matrix cannot be animated."""
    for node in character.nodes:
        entry = builder.document["nodes"][node]
        if "matrix" not in entry:
            continue
        if node in nodes.sheared:
            nodes.items[node].fail(
                "the matrix of this joint is sheared, so no clip can be applied to this character", "matrix"
            )
        del entry["matrix"]
        entry["translation"] = nodes.translations[node].tolist()
        entry["rotation"] = nodes.rotations[node, [1, 2, 3, 0]].tolist()
        entry["scale"] = nodes.scales[node].tolist()


class _Carried(NamedTuple):
    """A mesh part: for every joint number that its vertices use, the rig's joint, and K (4, 4) into that joint."""

    part: MeshPart
    joints: list[int]
    into: Floats


def character_rig(source: Path, clip: Clip) -> tuple[Loaded, Rig]:
    """Return a character's file and its rig, prepared for clips with the joints of this clip."""
    with naming(source):
        loaded = load_character(source, clip)
        return loaded, _rig(*loaded)


def _rig(container: Container, nodes: Nodes, character: Character) -> Rig:
    rest = joint_pose(rest_pose(nodes, list(character.nodes)), character)
    skeleton = rest_skeleton(nodes, character, rest)
    pose = forward(character.parents, rest.translations, rest.rotations)
    standing = WorldPose(pose.positions[0], pose.rotations[0])
    carried = _carried(container, nodes, character, standing)
    bind = _bind_pose(character, carried, standing, rest.translations[0], rest.rotations[0])
    rotations = local_rotations(character.parents, bind.rotations[None])[0]
    translations = bind.positions.copy()
    below = np.flatnonzero(character.parents >= 0)
    above = character.parents[below]
    from_parent = bind.positions[below] - bind.positions[above]
    translations[below] = rotate(inverse(bind.rotations[above]), from_parent)
    names = distinct([clean_name(nodes.items[entry.part.node]) or "mesh" for entry in carried])
    meshes = tuple(_mesh(container, entry, bind, name) for entry, name in zip(carried, names, strict=True))
    return Rig(character.names, character.parents, translations, rotations, skeleton.end_sites, meshes)


def _carried(container: Container, nodes: Nodes, character: Character, standing: WorldPose) -> list[_Carried]:
    """Return the meshes that the character's joints carry: by a skin, or as children of a joint."""
    parts = mesh_parts(container, nodes, ReadOptions(warn=lambda message: None))
    place = {node: joint for joint, node in enumerate(character.nodes)}
    used_nodes = [*character.nodes, *[node for part in parts for node in (part.node, *part.joints)]]
    pose = rest_pose(nodes, used_nodes)
    world = world_matrices(pose)
    out = []
    for part in parts:
        skinned = bool(part.joints) and all(primitive.joints is not None for primitive in part.primitives)
        if skinned and all(node in place for node in part.joints):
            joints = [place[node] for node in part.joints]
            matrices = _matrices(world, [pose.place(node) for node in part.joints])
            matrices = matrices @ inverse_binds(container, part)
        else:
            holder = next((place[node] for node in reversed(nodes.chain(part.node)) if node in place), None)
            if holder is None or skinned:
                continue  # not part of this character
            joints, matrices = [holder], _matrices(world, [pose.place(part.node)])
        # K_j of the module's docstring: from the mesh to its joint at rest, without the scale of the nodes.
        back = np.linalg.inv(affine(to_matrix(standing.rotations[joints]), standing.positions[joints]))
        out.append(_Carried(part, joints, back @ matrices))
    return out


def _bind_pose(
    character: Character, carried: list[_Carried], standing: WorldPose, translations: Floats, rotations: Floats
) -> WorldPose:
    """Return B_j = A K_j^-1 if a skin binds the joint, with A such that the first bound joint is as at rest."""
    into: dict[int, Floats] = {}
    for entry in carried:
        if len(entry.joints) > 1 or entry.part.skin is not None:
            for joint, matrix in zip(entry.joints, entry.into, strict=True):
                # If skins share a joint but bind it differently, the first skin applies.
                into.setdefault(joint, matrix)
    positions, turned = standing.positions.copy(), standing.rotations.copy()
    first = min(into, default=0)
    common = affine(to_matrix(turned[first]), positions[first]) @ into[first] if into else np.eye(4)
    for joint, parent in enumerate(character.parents.tolist()):
        bound = _turn_and_place(common, into[joint]) if joint in into else None
        if bound is not None:
            turned[joint], positions[joint] = bound
        elif parent >= 0:  # as at rest, relative to its parent
            pose = forward(
                np.array([-1, 0]),
                np.stack([positions[parent], translations[joint]])[None],
                np.stack([turned[parent], rotations[joint]])[None],
            )
            positions[joint], turned[joint] = pose.positions[0, 1], pose.rotations[0, 1]
    return WorldPose(positions, turned)


def _turn_and_place(common: Floats, into: Floats) -> tuple[Floats, Floats] | None:
    """Return rotation and position of the matrix common @ into^-1; None if its linear part is not a rotation."""
    if abs(np.linalg.det(into[:3, :3])) < 1e-60:
        return None
    matrix = common @ np.linalg.inv(into)
    u, sizes, vt = np.linalg.svd(matrix[:3, :3])
    # Tolerance for a rotation with a uniform scale.
    if not np.isfinite(sizes).all() or np.abs(sizes - 1.0).max() > 1e-3 or np.linalg.det(u @ vt) < 0:
        return None
    return from_matrix(u @ vt), matrix[:3, 3]


def _mesh(container: Container, entry: _Carried, bind: WorldPose, name: str) -> RigMesh:
    """Return all primitives of a part as one mesh, its vertices in the bind pose."""
    to_world = affine(to_matrix(bind.rotations[entry.joints]), bind.positions[entry.joints]) @ entry.into
    width = max([p.joints.shape[1] for p in entry.part.primitives if p.joints is not None], default=1)
    vertices, normals, faces, joints, weights, face_materials = [], [], [], [], [], []
    materials: list[Material] = []
    first = 0
    for primitive in entry.part.primitives:
        which, share = _influences(primitive, width, len(entry.joints))
        blended = np.einsum("nk,nkij->nij", share, to_world[which])
        shape, facing = primitive.morphed(entry.part.weights)
        vertices.append(np.einsum("nij,nj->ni", blended[:, :3, :3], shape) + blended[:, :3, 3])
        normals.append(None if facing is None else turn_normals(blended[:, :3, :3], facing))
        faces.append(primitive.faces + first)
        joints.append(np.array(entry.joints)[which])
        weights.append(share)
        material = _material(container, primitive)
        if material not in materials:
            materials.append(material)
        face_materials.append(np.full(len(primitive.faces), materials.index(material)))
        first += len(primitive.vertices)
    all_normals = [values for values in normals if values is not None]
    coordinates = [p.coordinates for p in entry.part.primitives if p.coordinates is not None]
    all_mapped = len(coordinates) == len(entry.part.primitives)
    return RigMesh(
        name,
        np.concatenate(vertices),
        np.concatenate(faces),
        np.concatenate(all_normals) if len(all_normals) == len(normals) else None,
        np.concatenate(coordinates) * [1.0, -1.0] + [0.0, 1.0] if all_mapped else None,
        np.concatenate(joints),
        np.concatenate(weights),
        tuple(materials),
        np.concatenate(face_materials),
    )


def _influences(primitive: Primitive, width: int, count: int) -> tuple[Whole, Floats]:
    """Return joints and weights (vertices, width) that sum to 1; vertices without weights follow the first joint."""
    vertices = len(primitive.vertices)
    joints, weights = np.zeros((vertices, width), np.int64), np.zeros((vertices, width))
    if primitive.joints is not None and primitive.weights is not None and count > 1:
        joints[:, : primitive.joints.shape[1]] = primitive.joints
        weights[:, : primitive.joints.shape[1]] = np.maximum(primitive.weights, 0.0)
    total = weights.sum(axis=1)
    weights[total <= 1e-6, 0] = 1.0
    return joints, weights / weights.sum(axis=1, keepdims=True)


def _material(container: Container, primitive: Primitive) -> Material:
    entries = container.top.items("materials")
    number = primitive.item.index("material", len(entries), "material")
    if number is None:
        return Material("material", GRAY)
    painted = entries[number].child("pbrMetallicRoughness")
    color = painted.numbers("baseColorFactor", 4, np.ones(4)) if painted is not None else np.ones(4)
    r, g, b = np.clip(color[:3], 0.0, 1.0).tolist()
    image = None if painted is None else _image(container, painted)
    return Material(clean_name(entries[number]) or f"material_{number}", (r, g, b), image)


def _image(container: Container, painted: Item) -> bytes | None:
    """Return the bytes of a material's base color picture; None if there is none or it cannot be read."""
    texture = painted.child("baseColorTexture")
    if texture is None:
        return None
    textures, images = container.top.items("textures"), container.top.items("images")
    number = texture.index("index", len(textures), "texture")
    source = None if number is None else textures[number].index("source", len(images), "image")
    if source is None:
        return None
    view = images[source].index("bufferView", len(container.views), "buffer view")
    try:  # a missing picture is not an error
        return bytes(view_bytes(container, view)) if view is not None else resource(images[source])
    except FormatError:
        return None
