"""Poses as positions: points fixed to the joints, enough of them that every joint's rotation can be solved for.

Joint positions alone lose the twist of a forearm about itself. So each joint also carries its end sites and, where all
its points lie on one line, helper points beside it. The solve is exact for positions that come from a clip, and for
synthesized ones turns each joint so that its points are met as well as its rigid shape allows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.clip import Clip
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.kinematics import WorldPose, local_rotations
from freshtake.numeric.rotations import from_matrix, inverse, multiply, rotate

LEAST_SINE = 0.1  # directions closer than this (about 6 degrees) count as one line


class Markers(NamedTuple):
    """Points fixed to joints beside the joints themselves: joint (points,), place in it (points, 3), names."""

    joints: Ints
    places: Floats
    names: tuple[str, ...]


def markers_for(skeleton: Skeleton, moving: bool) -> Markers:
    """End sites, and helpers for joints whose points lie on one line; children that move on their own do not count."""
    lengths = skeleton.lengths()
    size = float(np.median(lengths[lengths > 0])) if (lengths > 0).any() else 1.0
    markers: list[tuple[int, Floats, str]] = []
    for joint, name in enumerate(skeleton.names):
        tips = [np.array(site.offset) for site in skeleton.end_sites if site.joint == joint]
        markers += [(joint, tip, f"{name}.tip{k + 1 if k else ''}_") for k, tip in enumerate(tips)]
        children = [] if moving else [skeleton.offsets[child] for child in skeleton.children(joint)]
        helpers = _helpers([*children, *tips], size)
        markers += [(joint, place, f"{name}.{side}_") for place, side in zip(helpers, ("side", "front"), strict=False)]
    joints = np.array([joint for joint, _, _ in markers], dtype=np.intp)
    places = np.array([place for _, place, _ in markers]).reshape(-1, 3)
    return Markers(joints, places, tuple(name for _, _, name in markers))


def _helpers(vectors: list[Floats], size: float) -> list[Floats]:
    """None, one or two points at right angles that make the vectors span a plane."""
    useful = sorted((v for v in vectors if np.linalg.norm(v) > 1e-6 * size), key=lambda v: -float(np.linalg.norm(v)))
    if not useful:
        return [np.array([size, 0.0, 0.0]), np.array([0.0, size, 0.0])]
    line = useful[0] / np.linalg.norm(useful[0])
    if any(np.linalg.norm(np.cross(line, v)) > LEAST_SINE * np.linalg.norm(v) for v in useful[1:]):
        return []
    beside = np.cross(line, np.eye(3)[int(np.abs(line).argmin())])
    return [size * beside / np.linalg.norm(beside)]


def marker_positions(pose: WorldPose, markers: Markers) -> Floats:
    """World positions (frames, joints - 1 + markers, 3): all joints but the root, then the markers."""
    fixed = pose.positions[:, markers.joints] + rotate(pose.rotations[:, markers.joints], markers.places)
    return np.concatenate([pose.positions[:, 1:], fixed], axis=1)


class Solved(NamedTuple):
    """Local rotations (frames, joints, 4) and translations (frames, joints, 3), the root's at zero."""

    rotations: Floats
    translations: Floats


def solve_pose(points: Floats, skeleton: Skeleton, markers: Markers, moving: bool) -> Solved:
    """Rotations that turn each joint's rigid points onto `points` (frames, joints - 1 + markers, 3), root at zero."""
    joints = len(skeleton)
    places = np.concatenate([np.zeros((len(points), 1, 3)), points], axis=1)
    owner = np.concatenate([[-1], skeleton.parents[1:], markers.joints])
    rigid = np.concatenate([skeleton.offsets, markers.places])
    usable = np.linalg.norm(rigid, axis=1) > 1e-6 * np.linalg.norm(rigid, axis=1).max()
    if moving:
        usable[:joints] = False
    points_of = [np.flatnonzero(usable & (owner == joint)) for joint in range(joints)]
    world = np.empty((len(points), joints, 4))
    pairs = [joint for joint in range(joints) if len(points_of[joint]) == 2]
    if pairs:
        two = np.array([sorted(points_of[joint], key=lambda k: -np.linalg.norm(rigid[k])) for joint in pairs])
        world[:, pairs] = _turn_of_pairs(rigid[two], places[:, two] - places[:, pairs, None])
    for joint in set(range(joints)) - set(pairs):
        world[:, joint] = _turn_of_many(rigid[points_of[joint]], places[:, points_of[joint]] - places[:, joint, None])
    rotations = local_rotations(skeleton.parents, world)
    translations = np.broadcast_to(skeleton.offsets, (len(points), joints, 3)).copy()
    translations[:, 0] = 0.0
    if moving:
        above = skeleton.parents[1:]
        translations[:, 1:] = rotate(inverse(world[:, above]), places[:, 1:joints] - places[:, above])
    return Solved(rotations, translations)


def _turn_of_pairs(rest: Floats, seen: Floats) -> Floats:
    """Rotations (frames, joints, 4) that turn pairs (joints, 2, 3) onto those seen (frames, joints, 2, 3).

    The first vector's direction is met exactly, the second tells the side.
    """
    return multiply(from_matrix(_frame(seen)), inverse(from_matrix(_frame(rest))))


def _turn_of_many(rest: Floats, seen: Floats) -> Floats:
    """Rotations (frames, 4) that turn vectors (points, 3) onto (frames, points, 3) in least squares (Kabsch)."""
    u, _, vt = np.linalg.svd(np.einsum("fpa,pb->fab", seen, rest))
    u[..., -1] *= np.sign(np.linalg.det(u @ vt))[:, None]
    return from_matrix(u @ vt)


def _frame(pair: Floats) -> Floats:
    """Orthonormal columns (..., 3, 3) from two directions (..., 2, 3); any such frame where they say too little."""
    x = _unit(pair[..., 0, :], np.array([1.0, 0.0, 0.0]))
    least = np.eye(3)[np.abs(x).argmin(axis=-1)]
    other = np.cross(x, least)
    z = _unit(np.cross(x, pair[..., 1, :]), other / np.linalg.norm(other, axis=-1, keepdims=True))
    return np.stack([x, np.cross(z, x), z], axis=-1)


def _unit(v: Floats, otherwise: Floats) -> Floats:
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.where(length > 1e-12, v / np.where(length > 1e-12, length, 1.0), otherwise)


def place_names(skeleton: Skeleton, markers: Markers) -> list[str]:
    """`LeftLeg.x` for joints, `Head.tip_x` and `LeftLeg.side_x` for the points fixed to them."""
    stems = [*(f"{name}." for name in skeleton.names[1:]), *markers.names]
    return [stem + axis for stem in stems for axis in "xyz"]


def relative_points(clip: Clip, markers: Markers) -> Floats:
    """World positions of all points but the root, relative to it."""
    return marker_positions(clip.world(), markers) - clip.root[:, None]
