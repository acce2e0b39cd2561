"""Euler angles in any intrinsic order: "ZYX" means R = Rz Ry Rx, the order in which a BVH file lists its channels."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.rotations import about_axis, inverse, multiply, to_matrix, twist_angle

AXES = "XYZ"
LOCK = 1e-12  # cosine (or sine) of the middle angle below which the outer two describe the same turn


def from_euler(angles: Floats, order: str) -> Floats:
    """Convert angles (..., len(order)) in radians to quaternions; any sequence of axes, also shorter than three."""
    if not order:
        return np.broadcast_to(np.array([1.0, 0.0, 0.0, 0.0]), (*angles.shape[:-1], 4)).copy()
    basis = np.eye(3)
    q = about_axis(basis[AXES.index(order[0])], angles[..., 0])
    for column, axis in enumerate(order[1:], start=1):
        q = multiply(q, about_axis(basis[AXES.index(axis)], angles[..., column]))
    return q


def full_order(order: str) -> str:
    """Complete an order of fewer than three axes with the missing ones, so that a pose can be decomposed."""
    return (order + "".join(axis for axis in AXES if axis not in order))[:3]


def to_euler(q: Floats, order: str) -> Floats:
    """Convert quaternions to angles (..., 3): the triple whose middle angle is smallest in size.

    At gimbal lock the last angle is set to zero and the first takes the complete turn.
    """
    m = to_matrix(q)
    i, j = AXES.index(order[0]), AXES.index(order[1])
    k = AXES.index(order[2])
    out = np.empty((*q.shape[:-1], 3))
    if i == k:  # proper Euler angles such as ZXZ
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
    rest = from_euler(angles[where][..., 1:], order[1:])
    angles[where, 0] = twist_angle(multiply(q[where], inverse(rest)), AXES.index(order[0]))


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

    Starts from the triple with the small middle angle; each later frame takes the nearer triple.
    """
    angles = to_euler(q, order)
    _carry_through_lock(angles, q, order)
    return unflipped(angles, order)


def unflipped(angles: Floats, order: str) -> Floats:
    """Undo wraps by full turns and flips to the equivalent triple, keeping the first frame as it is."""
    flat = np.unwrap(angles.reshape(len(angles), -1, 3), axis=0) if len(angles) > 1 else angles.copy()
    # A triple and its equivalent lie 2 pi or more apart (summed), so a step below pi never calls for a flip.
    doubtful = (np.abs(np.diff(flat, axis=0)).sum(-1) >= np.pi).any(axis=0)
    if doubtful.any():
        flat[:, doubtful] = _nearer_triples(flat[:, doubtful], order)
    return flat.reshape(angles.shape)


def _nearer_triples(angles: Floats, order: str) -> Floats:
    """Return of both triples (frames, joints, 3) the one nearer to the frame before, without wraps."""
    both = np.stack([angles, equivalent(angles, order)], axis=2)  # (frames, joints, 2, 3)
    change = both[1:, :, None, :, :] - both[:-1, :, :, None, :]
    change -= 2.0 * np.pi * np.round(change / (2.0 * np.pi))
    nearer = np.abs(change).sum(-1).argmin(-1)  # (frames - 1, joints, state before) -> state after
    chosen = _follow(nearer)
    return np.unwrap(np.take_along_axis(both, chosen[:, :, None, None], axis=2)[:, :, 0], axis=0)


def _follow(nearer: Ints) -> Ints:
    """Run the two-state choice forward from state 0."""
    frames, joints = nearer.shape[0] + 1, nearer.shape[1]
    chosen = np.zeros((frames, joints), dtype=np.intp)
    columns = np.arange(joints)
    for frame in range(1, frames):
        chosen[frame] = nearer[frame - 1, columns, chosen[frame - 1]]
    return chosen


def _carry_through_lock(angles: Floats, q: Floats, order: str) -> None:
    """Keep the last angle of the frame before in gimbal lock, where only the sum of the outer angles is known."""
    locked = gimbal_closeness(angles, order) < LOCK
    if not locked.any() or len(angles) < 2:
        return
    shape = (-1, *[1] * (angles.ndim - 2))
    source = np.where(locked, 0, np.arange(len(angles)).reshape(shape))
    source = np.maximum.accumulate(source, axis=0)
    angles[..., 2] = np.take_along_axis(angles[..., 2], source, axis=0)
    _first_angle(angles, q, order, locked)
