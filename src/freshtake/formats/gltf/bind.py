"""The pose in which a skin was bound to its joints: most often the T- or A-pose that the character was modelled in."""

from __future__ import annotations

import numpy as np

from freshtake.formats.gltf.character import Character
from freshtake.formats.gltf.container import Container
from freshtake.formats.gltf.nodes import Nodes
from freshtake.formats.gltf.skin import bind_matrices
from freshtake.motion import Clip
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.kinematics import forward, levels
from freshtake.numeric.rotations import from_matrix, multiply, rotate


def bind_pose(container: Container, nodes: Nodes, character: Character, clip: Clip) -> tuple[Floats, Floats]:
    """Places (joints, 3) and rotations (joints, 4) in the mesh's own axes, with bones as long as the clip's.

    Joints without a bind matrix stand on their parents as in the clip's only frame; without any matrix, all do.
    """
    posed = forward(clip.skeleton.parents, clip.local_translations(), clip.rotations)
    places, turns = posed.positions[0].copy(), posed.rotations[0].copy()
    known = np.zeros(len(places), dtype=bool)
    number = {node: joint for joint, node in enumerate(character.nodes)}
    for skin in container.top.items("skins"):
        joints = skin.indices("joints", len(nodes), "node")
        matrices = bind_matrices(container, skin, len(joints))
        for node, matrix in zip(joints, () if matrices is None else matrices, strict=False):
            if (
                node in number
                and not known[number[node]]
                and np.isfinite(matrix).all()
                and abs(np.linalg.det(matrix)) > 1e-30
            ):
                bound = np.linalg.inv(matrix)
                places[number[node]], turns[number[node]] = bound[:3, 3], _rotation(bound[:3, :3])
                known[number[node]] = True
    if not known.any():
        return places, turns
    for joints_below, above in levels(tuple(clip.skeleton.parents.tolist())):
        for joint, parent in zip(joints_below, above, strict=True):
            if not known[joint]:
                turns[joint] = multiply(turns[parent], clip.rotations[0, joint])
                places[joint] = places[parent] + rotate(turns[parent], clip.local_translations()[0, joint])
    return places * _scale(places, posed.positions[0], clip, known), turns


def _rotation(linear: Floats) -> Floats:
    """The rotation nearest to a matrix that may scale."""
    left, _, right = np.linalg.svd(linear)
    if np.linalg.det(left @ right) < 0:
        left[:, -1] *= -1.0
    return from_matrix(left @ right)


def _scale(places: Floats, posed_places: Floats, clip: Clip, known: Bools) -> float:
    """How much longer bones are in the clip than where they were bound: an armature is often scaled."""
    below = np.array(
        [j for j, p in enumerate(clip.skeleton.parents) if p >= 0 and known[j] and known[p]], dtype=np.intp
    )
    above = clip.skeleton.parents[below]
    bound, seen = (np.linalg.norm(at[below] - at[above], axis=1).sum() for at in (places, posed_places))
    return float(seen / bound) if bound > 0 and seen > 0 else 1.0
