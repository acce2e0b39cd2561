"""Unit quaternions (w, x, y, z) on the last axis, any leading axes; Euler angles are in `numeric.euler`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from freshtake.numeric.arrays import Floats

WRONG_LENGTH = 1e-3  # a quaternion whose length is farther from 1 is no rotation
ROUNDING = 1e-15  # lengths this near to 1 are left alone

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.setflags(write=False)


def normalize(q: Floats) -> Floats:
    """Scale to unit length."""
    length: Floats = np.linalg.norm(q, axis=-1, keepdims=True)
    return q / length


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
    """Turn vectors v (..., 3) by q (..., 4)."""
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
    """Return the smallest rotation that turns direction u into direction v (unit vectors, broadcast)."""
    u, v = np.broadcast_arrays(u, v)
    dot = np.sum(u * v, axis=-1, keepdims=True)
    q = np.concatenate([1.0 + dot, _cross(u, v)], axis=-1)
    # Opposite directions: use any axis at a right angle to u.
    helper = np.where(np.abs(u[..., :1]) < 0.9, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    half_turn = np.concatenate([np.zeros_like(dot), _cross(u, helper)], axis=-1)
    return normalize(np.where(dot < -1.0 + 1e-12, half_turn, q))
