"""Rotations and joint positions: unit quaternions (w, x, y, z) on the last axis, matrices, vectors, Euler angles.

Euler angles may have any intrinsic order: "ZYX" means R = Rz Ry Rx, the order in which a BVH file lists its channels.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.numeric.arrays import Bools, Floats, Ints

WRONG_LENGTH = 1e-3  # a quaternion whose length is farther from 1 is not a rotation
ROUNDING = 1e-15  # lengths that are nearer to 1 are not changed

AXES = "XYZ"
LOCK = 1e-12  # cosine (or sine) of the middle angle below which the outer two describe the same rotation

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.setflags(write=False)


def normalize(q: Floats) -> Floats:
    """Scale to unit length."""
    length: Floats = np.linalg.norm(q, axis=-1, keepdims=True)
    return q / length


def unit(vectors: Floats) -> Floats:
    """Scale vectors (..., n) to length 1, except vectors of length 0."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12))


def multiply(a: Floats, b: Floats) -> Floats:
    """Return the Hamilton product: the rotation that does b first, then a."""
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def inverse(q: Floats) -> Floats:
    """Return the inverse rotation (unit quaternions: the conjugate)."""
    out: Floats = q * np.array([1.0, -1.0, -1.0, -1.0])
    return out


def rotate(q: Floats, v: Floats) -> Floats:
    """Rotate vectors v (..., 3) by q (..., 4)."""
    u = q[..., 1:]
    t = 2.0 * _cross(u, v)
    return v + q[..., :1] * t + _cross(u, t)


def _cross(a: Floats, b: Floats) -> Floats:
    """Compute np.cross without its overhead."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def about_axis(axis: npt.ArrayLike, angle: npt.ArrayLike) -> Floats:
    """Return the rotation by `angle` (radians) about a unit `axis` (3,)."""
    half = np.asarray(angle, dtype=np.float64)[..., None] / 2.0
    return np.concatenate([np.cos(half), np.sin(half) * np.asarray(axis, dtype=np.float64)], axis=-1)


def from_rotvec(v: Floats) -> Floats:
    """Convert a rotation vector (axis times angle) to a quaternion, the exponential map; exact at zero."""
    angle: Floats = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([np.cos(angle / 2.0), 0.5 * np.sinc(angle / (2.0 * np.pi)) * v], axis=-1)


def to_rotvec(q: Floats) -> Floats:
    """Convert a quaternion to its logarithm, the rotation vector of length at most pi; exact at the identity."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine: Floats = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    small = sine < 1e-12
    return q[..., 1:] * np.where(small, 2.0, angle / np.where(small, 1.0, sine))


def from_matrix(m: Floats) -> Floats:
    """Convert a rotation matrix (..., 3, 3) to a quaternion, by the largest of its components (stable everywhere)."""
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    a, b, c = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    d, e, f = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    candidates = np.empty((4, *m.shape[:-2], 4))
    rows = (
        (1 + xx + yy + zz, a, b, c),
        (a, 1 + xx - yy - zz, d, e),
        (b, d, 1 - xx + yy - zz, f),
        (c, e, f, 1 - xx - yy + zz),
    )
    for row, parts in zip(candidates, rows, strict=True):
        for column, part in enumerate(parts):
            row[..., column] = part
    best = np.stack([rows[k][k] for k in range(4)]).argmax(0)
    return normalize(np.take_along_axis(candidates, best[None, ..., None], 0)[0])


def to_matrix(q: Floats) -> Floats:
    """Convert a quaternion to a rotation matrix (..., 3, 3)."""
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    out = np.empty((*q.shape[:-1], 3, 3))
    out[..., 0, 0] = 1 - 2 * (y * y + z * z)
    out[..., 0, 1] = 2 * (x * y - w * z)
    out[..., 0, 2] = 2 * (x * z + w * y)
    out[..., 1, 0] = 2 * (x * y + w * z)
    out[..., 1, 1] = 1 - 2 * (x * x + z * z)
    out[..., 1, 2] = 2 * (y * z - w * x)
    out[..., 2, 0] = 2 * (x * z - w * y)
    out[..., 2, 1] = 2 * (y * z + w * x)
    out[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return out


def angle_between(a: Floats, b: Floats) -> Floats:
    """Return the angle (radians, 0 to pi) of the rotation from a to b; exact for tiny angles."""
    chord = np.minimum(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))
    out: Floats = 4.0 * np.arcsin(np.clip(chord / 2.0, 0.0, 1.0))
    return out


def continuous(q: Floats) -> Floats:
    """Choose between q and -q along the first axis so that neighbouring frames are in the same hemisphere."""
    dots = np.sum(q[1:] * q[:-1], axis=-1)
    flips = np.cumprod(np.where(dots < 0.0, -1.0, 1.0), axis=0)
    out = q.copy()
    out[1:] *= flips[..., None]
    return out


def slerp(a: Floats, b: Floats, t: npt.ArrayLike) -> Floats:
    """Interpolate spherically along the shorter arc; t broadcasts against the leading axes."""
    share = np.asarray(t, dtype=np.float64)[..., None]
    dot = np.sum(a * b, axis=-1, keepdims=True)
    b = np.where(dot < 0.0, -b, b)
    # The half angle from the chords stays exact for nearly equal rotations, where arccos does not.
    theta = 2.0 * np.arctan2(
        np.linalg.norm(a - b, axis=-1, keepdims=True), np.linalg.norm(a + b, axis=-1, keepdims=True)
    )
    near = theta < 1e-8
    sine = np.where(near, 1.0, np.sin(theta))
    wa = np.where(near, 1.0 - share, np.sin((1.0 - share) * theta) / sine)
    wb = np.where(near, share, np.sin(share * theta) / sine)
    return normalize(wa * a + wb * b)


def twist_angle(q: Floats, axis: int) -> Floats:
    """Return the angle about coordinate axis 0, 1 or 2 of the twist part of q (swing-twist), in (-pi, pi]."""
    out: Floats = 2.0 * np.arctan2(q[..., 1 + axis], q[..., 0])
    return np.asarray(np.pi - np.mod(np.pi - out, 2.0 * np.pi))


def mean(q: Floats) -> Floats:
    """Return the average rotation over the first axis: the principal eigenvector of the summed outer products."""
    moment = np.einsum("n...a,n...b->...ab", q, q)
    return np.asarray(np.linalg.eigh(moment)[1][..., :, -1])


def shortest_arc(u: Floats, v: Floats) -> Floats:
    """Return the smallest rotation that rotates direction u into direction v (unit vectors, broadcast)."""
    u, v = np.broadcast_arrays(u, v)
    dot = np.sum(u * v, axis=-1, keepdims=True)
    q = np.concatenate([1.0 + dot, _cross(u, v)], axis=-1)
    # Opposite directions: use any axis at a right angle to u.
    helper = np.where(np.abs(u[..., :1]) < 0.9, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    half_turn = np.concatenate([np.zeros_like(dot), _cross(u, helper)], axis=-1)
    return normalize(np.where(dot < -1.0 + 1e-12, half_turn, q))


def from_euler(angles: Floats, order: str) -> Floats:
    """Convert angles (..., len(order)) in radians to quaternions; any sequence of axes, also fewer than three."""
    if not order:
        return np.broadcast_to(IDENTITY, (*angles.shape[:-1], 4)).copy()
    basis = np.eye(3)
    q = about_axis(basis[AXES.index(order[0])], angles[..., 0])
    for column, axis in enumerate(order[1:], start=1):
        q = multiply(q, about_axis(basis[AXES.index(axis)], angles[..., column]))
    return q


def full_order(order: str) -> str:
    """Complete an order of fewer than three axes with the missing axes, so that a pose can be decomposed."""
    return (order + "".join(axis for axis in AXES if axis not in order))[:3]


def by_order(orders: Sequence[str]) -> dict[str, list[int]]:
    """Group the numbers of joints by their Euler order, without joints that have no order."""
    return {order: [j for j, other in enumerate(orders) if other == order] for order in dict.fromkeys(orders) if order}


def to_euler(q: Floats, order: str) -> Floats:
    """Convert quaternions to angles (..., 3): the triple whose middle angle is smallest in magnitude.

    At gimbal lock the last angle is set to zero and the first takes the entire rotation.
    """
    m = to_matrix(q)
    i, j = AXES.index(order[0]), AXES.index(order[1])
    k = AXES.index(order[2])
    out = np.empty((*q.shape[:-1], 3))
    if i == k:  # proper Euler angles, such as ZXZ
        other = 3 - i - j
        sign = 1.0 if (j - i) % 3 == 1 else -1.0
        sine = np.hypot(m[..., i, j], m[..., i, other])
        out[..., 1] = np.arctan2(sine, m[..., i, i])
        out[..., 0] = np.arctan2(m[..., j, i], -sign * m[..., other, i])
        out[..., 2] = np.arctan2(m[..., i, j], sign * m[..., i, other])
        closeness = sine
    else:
        sign = 1.0 if (j - i) % 3 == 1 else -1.0
        cosine = np.hypot(m[..., i, i], m[..., i, j])
        out[..., 1] = np.arctan2(sign * m[..., i, k], cosine)
        out[..., 0] = np.arctan2(-sign * m[..., j, k], m[..., k, k])
        out[..., 2] = np.arctan2(-sign * m[..., i, j], m[..., i, i])
        closeness = cosine
    # Below this the first angle is computed from the other two, because each alone is imprecise.
    near = closeness < 1e-2
    if near.any():
        out[..., 2] = np.where(closeness < LOCK, 0.0, out[..., 2])
        _first_angle(out, q, order, near)
    return out


def _first_angle(angles: Floats, q: Floats, order: str, where: Bools) -> None:
    """Set the first angle from the two others, where the three are not independent."""
    others = from_euler(angles[where][..., 1:], order[1:])
    angles[where, 0] = twist_angle(multiply(q[where], inverse(others)), AXES.index(order[0]))


def equivalent(angles: Floats, order: str) -> Floats:
    """Return the other triple that describes the same rotation (up to full turns)."""
    middle = -angles[..., 1] if order[0] == order[2] else np.pi - angles[..., 1]
    return np.stack([angles[..., 0] + np.pi, middle, angles[..., 2] + np.pi], axis=-1)


def gimbal_closeness(angles: Floats, order: str) -> Floats:
    """Return the cosine (sine, for orders like ZXZ) of the middle angle: 0 at gimbal lock, 1 farthest from it."""
    middle = angles[..., 1]
    return np.asarray(np.abs(np.sin(middle) if order[0] == order[2] else np.cos(middle)))


def continuous_euler(q: Floats, order: str) -> Floats:
    """Return angles (frames, ..., 3) of rotations over time without wraps and without flips to the equivalent triple.

    The first frame takes the triple with the small middle angle; each later frame takes the nearer triple.
    """
    angles = to_euler(q, order)
    _carry_through_lock(angles, q, order)
    return unflipped(angles, order)


def unflipped(angles: Floats, order: str) -> Floats:
    """Undo wraps by full turns and flips to the equivalent triple, keeping the first frame."""
    flat = np.unwrap(angles.reshape(len(angles), -1, 3), axis=0) if len(angles) > 1 else angles.copy()
    # A triple and its equivalent are 2 pi or more apart (summed), so a step below pi never calls for a flip.
    doubtful = (np.abs(np.diff(flat, axis=0)).sum(-1) >= np.pi).any(axis=0)
    if doubtful.any():
        flat[:, doubtful] = _nearer_triples(flat[:, doubtful], order)
    return flat.reshape(angles.shape)


def _nearer_triples(angles: Floats, order: str) -> Floats:
    """Return the triples (frames, joints, 3) that are nearer to the previous frame, without wraps."""
    both = np.stack([angles, equivalent(angles, order)], axis=2)  # (frames, joints, 2, 3)
    change = both[1:, :, None, :, :] - both[:-1, :, :, None, :]
    change -= 2.0 * np.pi * np.round(change / (2.0 * np.pi))
    nearer = np.abs(change).sum(-1).argmin(-1)  # (frames - 1, joints, state before) -> state after
    chosen, columns = np.zeros(both.shape[:2], dtype=np.intp), np.arange(both.shape[1])
    for frame in range(1, len(both)):
        chosen[frame] = nearer[frame - 1, columns, chosen[frame - 1]]
    return np.unwrap(np.take_along_axis(both, chosen[:, :, None, None], axis=2)[:, :, 0], axis=0)


def _carry_through_lock(angles: Floats, q: Floats, order: str) -> None:
    """Keep the previous frame's last angle in gimbal lock, where only the sum of the outer angles is defined."""
    locked = gimbal_closeness(angles, order) < LOCK
    if not locked.any() or len(angles) < 2:
        return
    shape = (-1, *[1] * (angles.ndim - 2))
    source = np.where(locked, 0, np.arange(len(angles)).reshape(shape))
    source = np.maximum.accumulate(source, axis=0)
    angles[..., 2] = np.take_along_axis(angles[..., 2], source, axis=0)
    _first_angle(angles, q, order, locked)


class WorldPose(NamedTuple):
    """Positions (frames, joints, 3) and rotations (frames, joints, 4) in the world.

    p[j] = p[parent] + R[parent] t[j],  R[j] = R[parent] r[j]
    """

    positions: Floats
    rotations: Floats


def forward(parents: Ints, translations: Floats, rotations: Floats) -> WorldPose:
    """Compute the world pose from local translations (frames, joints, 3) and unit quaternions (frames, joints, 4).

    The root is the joint whose parent is -1; its translation is its position in the world.
    """
    positions = np.array(np.broadcast_to(translations, (*rotations.shape[:-1], 3)))
    turned = rotations.copy()
    for joints, above in levels(tuple(parents.tolist())):
        base = turned[..., above, :]
        positions[..., joints, :] = positions[..., above, :] + rotate(base, positions[..., joints, :])
        turned[..., joints, :] = multiply(base, turned[..., joints, :])
    return WorldPose(positions, turned)


def local_rotations(parents: Ints, world: Floats) -> Floats:
    """Convert world rotations (frames, joints, 4) back to local rotations."""
    out = world.copy()
    children = np.flatnonzero(parents >= 0)
    conjugate = world[..., parents[children], :] * np.array([1.0, -1.0, -1.0, -1.0])
    out[..., children, :] = multiply(conjugate, world[..., children, :])
    return out


@lru_cache(maxsize=64)
def levels(parents: tuple[int, ...]) -> tuple[tuple[Ints, Ints], ...]:
    """Return joints grouped by depth, with their parents, without the roots (depth 0)."""
    depth = [0] * len(parents)
    for joint, parent in enumerate(parents):
        depth[joint] = 0 if parent < 0 else depth[parent] + 1
    groups = []
    for level in range(1, max(depth, default=0) + 1):
        joints = np.array([j for j, d in enumerate(depth) if d == level], dtype=np.intp)
        groups.append((joints, np.array([parents[j] for j in joints], dtype=np.intp)))
    return tuple(groups)
