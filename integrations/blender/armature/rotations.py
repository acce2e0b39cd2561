# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert rotations between Blender's channels (quaternion, six Euler orders, axis and angle) and matrices.

Arrays have frames first. Channels are continuous: from frame to frame each takes the nearest equivalent value.
"""

from __future__ import annotations

import numpy as np

EULER_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
WIDTHS = {"QUATERNION": 4, "AXIS_ANGLE": 4, **dict.fromkeys(EULER_ORDERS, 3)}
PATHS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
DEFAULTS = {"QUATERNION": (1.0, 0.0, 0.0, 0.0), "AXIS_ANGLE": (0.0, 0.0, 1.0, 0.0)}
TURN = 2.0 * np.pi
LOCKED = 1e-7  # cosine of the middle angle below which the outer two rotate about the same axis


def rotation_path(mode: str) -> str:
    """Return the name of the property that holds the rotation in this mode."""
    return PATHS.get(mode, "rotation_euler")


def rotation_default(mode: str) -> tuple[float, ...]:
    """Return the channels of no rotation in this mode."""
    return DEFAULTS.get(mode, (0.0, 0.0, 0.0))


def matrices_of(channels: np.ndarray, mode: str) -> np.ndarray:
    """Return channels (frames, 3 or 4) as rotation matrices (frames, 3, 3)."""
    if mode == "QUATERNION":
        return quaternion_matrices(channels)
    if mode == "AXIS_ANGLE":
        return axis_angle_matrices(channels)
    return euler_matrices(channels, mode)


def channels_of(matrices: np.ndarray, mode: str) -> np.ndarray:
    """Return rotation matrices as continuous channels of a mode."""
    if mode == "QUATERNION":
        return continuous_quaternions(matrix_quaternions(matrices))
    if mode == "AXIS_ANGLE":
        return axis_angles(continuous_quaternions(matrix_quaternions(matrices)))
    return eulers(matrices, mode)


def quaternion_matrices(quaternions: np.ndarray) -> np.ndarray:
    """Return the matrices of quaternions w x y z of any length; length zero is no rotation, as in Blender."""
    q = np.asarray(quaternions, dtype=np.float64)
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    w, x, y, z = np.moveaxis(np.where(length > 0, q / np.where(length > 0, length, 1.0), (1.0, 0.0, 0.0, 0.0)), -1, 0)
    out = np.empty((*q.shape[:-1], 3, 3))
    out[..., 0, 0], out[..., 0, 1], out[..., 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    out[..., 1, 0], out[..., 1, 1], out[..., 1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    out[..., 2, 0], out[..., 2, 1], out[..., 2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)
    return out


def matrix_quaternions(matrices: np.ndarray) -> np.ndarray:
    """Return unit quaternions w x y z of rotation matrices.

    The products 4 q q^T are sums of matrix entries; the row of the largest component is the most exact.
    """
    m = np.asarray(matrices, dtype=np.float64)
    d = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    products = np.empty((*m.shape[:-2], 4, 4))
    products[..., 0, 0] = 1 + d[0] + d[1] + d[2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        products[..., i + 1, i + 1] = 1 + d[i] - d[j] - d[k]
        products[..., 0, i + 1] = products[..., i + 1, 0] = m[..., k, j] - m[..., j, k]
        products[..., j + 1, k + 1] = products[..., k + 1, j + 1] = m[..., j, k] + m[..., k, j]
    largest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    rows = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def continuous_quaternions(quaternions: np.ndarray) -> np.ndarray:
    """Return quaternions with the sign that is nearer to the frame before; the first has w >= 0."""
    dots = np.sum(quaternions[1:] * quaternions[:-1], axis=-1)
    first = np.where(quaternions[:1, ..., 0] < 0, -1.0, 1.0)
    signs = np.cumprod(np.concatenate([first, np.where(dots < 0, -1.0, 1.0)]), axis=0)
    return quaternions * signs[..., None]


def axis_angle_matrices(channels: np.ndarray) -> np.ndarray:
    """Return the matrices of (angle, x, y, z); an axis of length zero is no rotation."""
    angle, axis = channels[..., :1], channels[..., 1:]
    length = np.linalg.norm(axis, axis=-1, keepdims=True)
    unit = np.where(length > 0, axis / np.where(length > 0, length, 1.0), 0.0)
    half = np.where(length > 0, angle / 2, 0.0)
    return quaternion_matrices(np.concatenate([np.cos(half), np.sin(half) * unit], axis=-1))


def axis_angles(quaternions: np.ndarray) -> np.ndarray:
    """Return (angle, x, y, z) of continuous quaternions (frames, 4): the axis never jumps to its opposite."""
    vector = quaternions[:, 1:]
    sine = np.linalg.norm(vector, axis=-1)
    turned = sine > 1e-9
    axes = np.empty_like(vector)
    axes[turned] = vector[turned] / sine[turned, None]
    seen = np.flatnonzero(turned)
    if len(seen) == 0:
        axes[:], signs = (0.0, 1.0, 0.0), np.ones(len(vector))
    else:  # frames without rotation take the axis of the frame before; the first frames, that of the first rotation
        before = np.maximum(np.searchsorted(seen, np.arange(len(vector)), side="right") - 1, 0)
        axes = axes[seen[before]]
        flips = np.where(np.sum(axes[1:] * axes[:-1], axis=-1) < 0, -1.0, 1.0)
        signs = np.cumprod(np.concatenate([[1.0], flips]))
    angles = np.unwrap(2 * np.arctan2(sine * signs, quaternions[:, 0]))
    return np.concatenate([angles[:, None], axes * signs[:, None]], axis=-1)


def euler_matrices(angles: np.ndarray, order: str) -> np.ndarray:
    """Return the matrices of angles, always listed as x, y, z; the first letter of the order rotates first."""
    out = _about("XYZ".index(order[0]), angles)
    for letter in order[1:]:
        out = _about("XYZ".index(letter), angles) @ out
    return out


def _about(axis: int, angles: np.ndarray) -> np.ndarray:
    cosine, sine = np.cos(angles[..., axis]), np.sin(angles[..., axis])
    out = np.zeros((*angles.shape[:-1], 3, 3))
    j, k = (axis + 1) % 3, (axis + 2) % 3
    out[..., axis, axis] = 1.0
    out[..., j, j] = out[..., k, k] = cosine
    out[..., k, j], out[..., j, k] = sine, -sine
    return out


def eulers(matrices: np.ndarray, order: str) -> np.ndarray:
    """Return continuous angles (frames, 3) about x, y and z of rotation matrices R = R_k(c) R_j(b) R_i(a).

    c is computed from the rotation that remains after a and b. Near a quarter turn of b, where a is poorly determined,
    c compensates for a's error.
    """
    i, j, k = ("XYZ".index(letter) for letter in order)
    sign = 1.0 if (i + 1) % 3 == j else -1.0
    cosine = np.hypot(matrices[:, k, j], matrices[:, k, k])
    a = np.where(cosine < LOCKED, 0.0, np.arctan2(sign * matrices[:, k, j], matrices[:, k, k]))
    b = np.arctan2(-sign * matrices[:, k, i], cosine)
    left = matrices @ _turn(i, -a) @ _turn(j, -b)
    c = np.arctan2(left[:, (k + 2) % 3, (k + 1) % 3], left[:, (k + 1) % 3, (k + 1) % 3])
    locked = cosine < LOCKED  # there a and c rotate about the same axis: a keeps its value
    known = np.maximum.accumulate(np.where(locked, -1, np.arange(len(a))))
    a = np.where(known >= 0, a[known], 0.0)
    c = np.where(locked, c + np.where(b > 0, sign, -sign) * a, c)
    angles = np.empty((len(a), 3))
    angles[:, [i, j, k]] = continuous_eulers(np.stack([a, b, c], axis=1))
    return angles


def _turn(axis: int, angles: np.ndarray) -> np.ndarray:
    given = np.zeros((len(angles), 3))
    given[:, axis] = angles
    return _about(axis, given)


def continuous_eulers(angles: np.ndarray) -> np.ndarray:
    """Return the equivalent triples (frames, 3) that are nearest to the frame before; for the first frame, to zero.

    (a, b, c) and (a + 180°, 180° - b, c + 180°) are the same rotation, in two forms. The nearer form depends only on
    whether the frame before has the same form.
    """
    others = np.stack([angles[:, 0] + np.pi, np.pi - angles[:, 1], angles[:, 2] + np.pi], axis=1)
    before = np.concatenate([np.zeros((1, 3)), angles[:-1]])
    same, changed = _within_half_a_turn(angles - before), _within_half_a_turn(others - before)
    changes = np.abs(changed).sum(axis=1) < np.abs(same).sum(axis=1)
    is_other = np.cumsum(changes) % 2 == 1
    steps = np.where(changes[:, None], changed, same)
    steps[is_other != changes, 1] *= -1.0  # where the frame before has the other form
    chosen = np.where(is_other[:, None], others, angles)
    return chosen + TURN * np.round((np.cumsum(steps, axis=0) - chosen) / TURN)


def _within_half_a_turn(angles: np.ndarray) -> np.ndarray:
    return angles - TURN * np.round(angles / TURN)
