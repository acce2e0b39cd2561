"""Sample node transforms over time, compose them, and turn them into a clip's rotations and translations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from freshtake.formats.gltf.animation import Track, sample
from freshtake.formats.gltf.nodes import Character, Nodes, tip_name
from freshtake.motion import EndSite, Skeleton
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.kinematics import forward, levels
from freshtake.numeric.rotations import inverse, rotate, to_matrix


@dataclass(frozen=True, eq=False)
class LocalPose:
    """Local transforms (frames, nodes, ...) of some nodes with all their ancestors, parents first."""

    nodes: list[int]
    parents: Ints  # among these nodes
    translations: Floats
    rotations: Floats
    scales: Floats
    sheared: dict[int, Floats]  # by place among these nodes

    @cached_property
    def _places(self) -> dict[int, int]:
        return {node: k for k, node in enumerate(self.nodes)}

    def place(self, node: int) -> int:
        """Return the place of a node of the file among these."""
        return self._places[node]


class WorldMatrices(NamedTuple):
    """x_world = linear x + positions, per frame and node: (frames, nodes, 3, 3) and (frames, nodes, 3)."""

    linear: Floats
    positions: Floats


class JointPose(NamedTuple):
    """A clip's arrays: translations (frames, joints, 3; the root's in the world) and rotations (frames, joints, 4).

    `exact` is False where scale is animated, differs by axis or reflects, so that rotations do not say it all.
    """

    translations: Floats
    rotations: Floats
    exact: bool


def sampled_pose(nodes: Nodes, wanted: list[int], tracks: tuple[Track, ...], times: Floats) -> LocalPose:
    """Return the wanted nodes and their ancestors at the given times; nodes without tracks stay at rest."""
    used = nodes.with_ancestors(wanted)
    place = {node: k for k, node in enumerate(used)}
    parents = np.array([place.get(int(nodes.parents[n]), -1) for n in used])
    rest = {"translation": nodes.translations, "rotation": nodes.rotations, "scale": nodes.scales}
    arrays = {path: np.repeat(values[None, used], len(times), axis=0) for path, values in rest.items()}
    moved = set()
    for track in tracks:
        if track.node in place and track.path in arrays:
            arrays[track.path][:, place[track.node]] = sample(track, times)
            moved.add(track.node)
    sheared = {place[n]: matrix for n, matrix in nodes.sheared.items() if n in place and n not in moved}
    return LocalPose(used, parents, arrays["translation"], arrays["rotation"], arrays["scale"], sheared)


def rest_pose(nodes: Nodes, wanted: list[int]) -> LocalPose:
    """Return one frame without any animation."""
    return sampled_pose(nodes, wanted, (), np.zeros(1))


def world_matrices(pose: LocalPose) -> WorldMatrices:
    """Products of the local matrices T R S from the roots down."""
    linear = to_matrix(pose.rotations) * pose.scales[..., None, :]
    positions = pose.translations.copy()
    for place, matrix in pose.sheared.items():
        linear[:, place] = matrix[:3, :3]
    for joints, above in levels(tuple(pose.parents.tolist())):
        positions[:, joints] = positions[:, above] + np.einsum("fnij,fnj->fni", linear[:, above], positions[:, joints])
        linear[:, joints] = linear[:, above] @ linear[:, joints]
    return WorldMatrices(linear, positions)


def joint_pose(pose: LocalPose, character: Character) -> JointPose:
    """Return the character's pose with world positions equal to the file's; what lies above the root is folded into it.

    Scale that is uniform, constant and positive multiplies the translations below it. Any other scale is kept in
    the positions alone: the translations then take up what rotations cannot express.
    """
    scales = _uniform_scales(pose)
    joints = [pose.place(node) if node >= 0 else -1 for node in character.nodes]
    if scales is not None:
        local = pose.translations * scales[:, None]
        turning = forward(pose.parents, local, pose.rotations)
        return JointPose(*_gathered(joints, local, pose.rotations, turning.positions, turning.rotations), True)
    turning = forward(pose.parents, pose.translations, pose.rotations)
    positions, world = world_matrices(pose).positions, turning.rotations
    local = positions.copy()
    below = np.flatnonzero(pose.parents >= 0)
    above = pose.parents[below]
    local[:, below] = rotate(inverse(world[:, above]), positions[:, below] - positions[:, above])
    return JointPose(*_gathered(joints, local, pose.rotations, positions, world), False)


def _gathered(
    joints: list[int], translations: Floats, rotations: Floats, positions: Floats, world: Floats
) -> tuple[Floats, Floats]:
    """Return local values of the joints, world values for the root (the identity for a root that the file lacks)."""
    moved, turned = translations[:, joints], rotations[:, joints]
    if joints[0] >= 0:
        moved[:, 0], turned[:, 0] = positions[:, joints[0]], world[:, joints[0]]
    else:
        moved[:, 0], turned[:, 0] = 0.0, np.array([1.0, 0.0, 0.0, 0.0])
    return moved, turned


def _uniform_scales(pose: LocalPose) -> Floats | None:
    """The scale (nodes,) that acts on each node's translation, None where some scale above a node is not plain."""
    scales = pose.scales[0, :, 0]
    inner = np.unique(pose.parents[pose.parents >= 0])
    spread = np.abs(pose.scales[:, inner] - scales[inner, None]).max(initial=0.0, axis=(0, 2))
    # Files hold 1.000001 where 1 was meant.
    if (scales[inner] <= 0).any() or (spread > 5e-6 * np.abs(scales[inner])).any():
        return None
    if not set(pose.sheared).isdisjoint(inner.tolist()):
        return None
    total = np.ones(len(scales))
    for k, parent in enumerate(pose.parents.tolist()):
        if parent >= 0:
            total[k] = total[parent] * scales[parent]
    return total


def rest_skeleton(nodes: Nodes, character: Character, rest: JointPose) -> Skeleton:
    """Return rest offsets from the nodes; bare leaves below joints become end sites."""
    sites = []
    if character.tips:
        tips = [node for _, node in character.tips]
        with_tips = Character(
            (*character.nodes, *tips),
            np.array([*character.parents.tolist(), *[joint for joint, _ in character.tips]]),
            (*character.names, *[str(node) for node in tips]),
            (),
        )
        places = joint_pose(rest_pose(nodes, [*character.nodes, *tips]), with_tips).translations[
            0, len(character.nodes) :
        ]
        for (joint, node), offset in zip(character.tips, places.tolist(), strict=True):
            sites.append(EndSite(joint, (offset[0], offset[1], offset[2]), tip_name(nodes, node)))
    return Skeleton(character.names, character.parents, rest.translations[0], tuple(sites))
