"""Bake skinned and morphed meshes of a glTF file over frames, and find the pose in which a skin was bound."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError
from freshtake.formats.gltf.accessors import Primitive, floats, primitives_of
from freshtake.formats.gltf.animation import (
    Animation,
    LocalPose,
    Timing,
    Track,
    WorldMatrices,
    sample,
    sampled_pose,
    timing,
    world_matrices,
)
from freshtake.formats.gltf.container import Container, Item
from freshtake.formats.gltf.nodes import Character, Nodes, below, default_roots
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.rig import nearest_rotations
from freshtake.motion import Clip, MeshSequence
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import forward, levels, multiply, rotate

Single = npt.NDArray[np.float32]
MOST_SHADED = 1 << 30  # bytes of vertices and normals; above this, only vertices are baked


class MeshPart(NamedTuple):
    """One mesh node: its primitives, the weights of its morph targets at rest, and its skin."""

    node: int
    primitives: list[Primitive]
    weights: Floats
    skin: Item | None
    joints: list[int]  # nodes of the skin's joints


def _matrices(
    world: WorldMatrices, frame: int, place: int, joints: list[int], inverse_bind: Floats, primitive: Primitive
) -> tuple[Floats, Floats]:
    """Return linear parts and translations: one for all vertices, or (vertices, 3, 3) and (vertices, 3).

    `place` is the index of the mesh's node in the pose, `joints` those of its skin, with matrices (joints, 4, 4).
    """
    linear, shift = world.linear[frame], world.positions[frame]
    if not joints or primitive.joints is None or primitive.weights is None:
        return linear[place], shift[place]
    # Joint matrix times inverse bind matrix, as (joints, 3, 4): the last row of both is 0, 0, 0, 1.
    turned = linear[joints] @ inverse_bind[:, :3, :]
    turned[:, :, 3] += shift[joints]
    blended = np.zeros((len(primitive.vertices), 3, 4))
    for which, share in zip(primitive.joints.T, primitive.weights.T, strict=True):
        blended += share[:, None, None] * turned[which]
    return blended[..., :3], blended[..., 3]


def bake(
    container: Container, nodes: Nodes, animation: Animation | None, label: str, options: ReadOptions
) -> MeshSequence:
    """Return all triangles of the file's scene over the frames of one animation, skinned by linear blending."""
    parts = mesh_parts(container, nodes, options)
    if not parts:
        container.top.fail("the scene has no mesh with triangles, so there is nothing to bake", "meshes")
    used_nodes = [node for part in parts for node in (part.node, *part.joints)]
    if animation is None:
        tracks: tuple[Track, ...] = ()
        when = Timing(np.zeros(1), 1.0 / (options.fps or 60.0))
    else:
        tracks = animation.tracks
        when = timing(container, animation, options, len(nodes.with_ancestors(used_nodes)))
    pose = sampled_pose(nodes, used_nodes, tracks, when.times)
    vertices, normals = _vertices(container, parts, pose, tracks, when.times, options)
    primitives = [primitive for part in parts for primitive in part.primitives]
    starts = np.cumsum([0, *[len(primitive.vertices) for primitive in primitives]])
    # Texture coordinates are kept if every primitive has them.
    coordinates = [primitive.coordinates for primitive in primitives if primitive.coordinates is not None]
    return MeshSequence(
        vertices,
        np.concatenate([p.faces + start for p, start in zip(primitives, starts, strict=False)]).astype(np.int32),
        when.frame_time,
        normals,
        {"uv": np.concatenate(coordinates).astype(np.float32)} if len(coordinates) == len(primitives) else {},
        name=label,
        provenance=f"{container.path.name}: {animation.name or 'animation'}" if animation else container.path.name,
        unit_m=1.0,
    )


def mesh_parts(container: Container, nodes: Nodes, options: ReadOptions) -> list[MeshPart]:
    """Return every node of the scene that draws triangles."""
    meshes, skins = container.top.items("meshes"), container.top.items("skins")
    out = []
    total = 0
    for node in below(nodes, default_roots(container, nodes)):
        item = nodes.items[node]
        number, skin = item.index("mesh", len(meshes), "mesh"), item.index("skin", len(skins), "skin")
        if number is None:
            continue
        primitives = primitives_of(container, meshes[number], options)
        total += sum(len(primitive.vertices) for primitive in primitives)
        # Many nodes can use one mesh: a small file must not cause large allocations.
        if total > max(1_000_000, container.size):
            item.fail(f"{total} vertices are more than the file can hold", "mesh")
        targets = {len(primitive.vertex_targets) for primitive in primitives}
        if len(targets) > 1:
            meshes[number].fail("all primitives need the same number of morph targets", "primitives")
        count = targets.pop() if targets else 0
        # The weights at rest: the node's, else the mesh's, else zero.
        weights = (item if "weights" in item else meshes[number]).numbers("weights", count, np.zeros(count))
        if primitives:
            joints = [] if skin is None else skins[skin].indices("joints", len(nodes), "node")
            out.append(MeshPart(node, primitives, weights, None if skin is None else skins[skin], joints))
    return out


def _vertices(
    container: Container, parts: list[MeshPart], pose: LocalPose, tracks: tuple[Track, ...], times: Floats,
    options: ReadOptions,
) -> tuple[Single, Single | None]:  # fmt: skip
    """Return vertices (frames, vertices, 3) and, if all primitives have them, normals."""
    frames, total = len(times), sum(len(p.vertices) for part in parts for p in part.primitives)
    if (total + 100) * frames > max(10_000_000, 24 * container.size):
        size = f"{frames} frames of {total} vertices"
        raise FormatError(container.path, f"{size} are too many to bake from this file: give a lower fps", "meshes")
    shaded = all(p.normals is not None for part in parts for p in part.primitives)
    vertices = np.empty((frames, total, 3), np.float32)
    if shaded and 2 * vertices.nbytes > MOST_SHADED:
        shaded = False
        problem = f"normals of {frames} frames of {total} vertices are left out because of their size"
        options.warn(f"{container.path.name}: {problem}")
    normals = np.empty((frames, total, 3), np.float32) if shaded else None
    world = world_matrices(pose)
    first = 0
    for part in parts:
        place, joints = pose.place(part.node), [pose.place(node) for node in part.joints]
        inverse_bind = inverse_binds(container, part)
        weights = _weights(part, tracks, times)
        for primitive in part.primitives:
            rows = slice(first, first + len(primitive.vertices))
            for frame in range(frames):
                shape, facing = primitive.morphed(weights[frame])
                linear, shift = _matrices(world, frame, place, joints, inverse_bind, primitive)
                vertices[frame, rows] = _apply(linear, shape) + shift
                if normals is not None and facing is not None:
                    normals[frame, rows] = turn_normals(linear, facing)
            first = rows.stop
    for array in (vertices, normals):
        if array is not None:
            array.setflags(write=False)  # a mesh sequence shares read-only arrays and copies others
    return vertices, normals


def inverse_binds(container: Container, part: MeshPart) -> Floats:
    """Return matrices (joints, 4, 4) from the mesh to each joint of its skin in the bind pose."""
    count = len(part.joints)
    for primitive in part.primitives:
        if part.skin is not None and primitive.joints is not None and primitive.joints.max() >= count:
            highest = int(primitive.joints.max())
            primitive.item.fail(f"joint {highest} of the skin is used, but it has {count}", "attributes.JOINTS_0")
    matrices = bind_matrices(container, part.skin, count)
    return np.tile(np.eye(4), (count, 1, 1)) if matrices is None else matrices


def bind_matrices(container: Container, skin: Item | None, count: int) -> Floats | None:
    """Return the inverse bind matrices (joints, 4, 4) of a skin; None if it has none."""
    index = skin.index("inverseBindMatrices", len(container.accessors), "accessor") if skin is not None else None
    if skin is None or index is None:
        return None
    matrices = floats(container, index, "MAT4").reshape(-1, 4, 4).transpose(0, 2, 1)
    if len(matrices) < count:
        skin.fail(f"{count} matrices were expected, not {len(matrices)}", "inverseBindMatrices")
    return matrices[:count]


def _weights(part: MeshPart, tracks: tuple[Track, ...], times: Floats) -> Floats:
    """Return the weights of the morph targets (frames, targets)."""
    for track in tracks:
        if track.node == part.node and track.path == "weights":
            values = sample(track, times)
            if values.shape[1] != len(part.weights):
                problem = f"there are {len(part.weights)} targets, but {values.shape[1]} weights are animated"
                part.primitives[0].item.fail(problem, "targets")
            return values
    return np.tile(part.weights, (len(times), 1))


def _apply(linear: Floats, vectors: Floats) -> Floats:
    return np.asarray(vectors @ linear.T if linear.ndim == 2 else np.einsum("nij,nj->ni", linear, vectors))


def turn_normals(linear: Floats, normals: Floats) -> Floats:
    """Return unit normals, transformed by the inverse transpose (cofactors, so that singular matrices are safe)."""
    x, y, z = linear[..., 0], linear[..., 1], linear[..., 2]
    cofactors = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], axis=-1)
    mirrored = np.where(np.sum(cofactors[..., 0] * x, axis=-1) < 0, -1.0, 1.0)
    out = _apply(cofactors * mirrored[..., None, None], normals)
    length = np.linalg.norm(out, axis=-1, keepdims=True)
    return np.asarray(out / np.where(length > 0, length, 1.0))


def bind_pose(container: Container, nodes: Nodes, character: Character, clip: Clip) -> tuple[Floats, Floats]:
    """Return positions (joints, 3) and rotations (joints, 4) in the mesh's axes, with bones as long as the clip's.

    Joints without a bind matrix are placed relative to their parents as in the clip's only frame.
    """
    posed = forward(clip.skeleton.parents, clip.local_translations(), clip.rotations)
    places, turns = posed.positions[0].copy(), posed.rotations[0].copy()
    has_bind = np.zeros(len(places), dtype=bool)
    number = {node: joint for joint, node in enumerate(character.nodes)}
    for skin in container.top.items("skins"):
        joints = skin.indices("joints", len(nodes), "node")
        matrices = bind_matrices(container, skin, len(joints))
        for node, matrix in zip(joints, () if matrices is None else matrices, strict=False):
            if (
                node in number
                and not has_bind[number[node]]
                and np.isfinite(matrix).all()
                and abs(np.linalg.det(matrix)) > 1e-30
            ):
                bound = np.linalg.inv(matrix)
                places[number[node]], turns[number[node]] = bound[:3, 3], nearest_rotations(bound[:3, :3])
                has_bind[number[node]] = True
    if not has_bind.any():
        return places, turns
    for joints_below, above in levels(tuple(clip.skeleton.parents.tolist())):
        for joint, parent in zip(joints_below, above, strict=True):
            if not has_bind[joint]:
                turns[joint] = multiply(turns[parent], clip.rotations[0, joint])
                places[joint] = places[parent] + rotate(turns[parent], clip.local_translations()[0, joint])
    # An armature is often scaled: bones are longer in the clip than in the bind pose.
    above = clip.skeleton.parents
    both = np.flatnonzero((above >= 0) & has_bind & has_bind[above])
    bound_size, seen = (
        float(np.linalg.norm(at[both] - at[above[both]], axis=1).sum()) for at in (places, posed.positions[0])
    )
    return places * (seen / bound_size if bound_size > 0 and seen > 0 else 1.0), turns
