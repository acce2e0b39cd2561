"""Geometry of hinges: about which axis a joint turns, where it is straight, what two axes make of a rotation."""

from __future__ import annotations

import numpy as np

from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import inverse, rotate

MOVED = np.radians(5.0)  # a joint that moves less shows no hinge
BENT = np.radians(4.0)  # nor does one that is bent less
HINGE_SHARE = 0.8  # of a joint's motion that must be about one axis


def hinge_axis(seen: Floats, reference: Floats, upper: Floats, lower: Floats) -> Floats | None:
    """The axis about which most of the motion goes, from rotation vectors (poses, 3) about the reference.

    Where the joint hardly moves or moves in all ways: the axis at right angles to both segments, if it is bent at all;
    else None.
    """
    moments, axes = np.linalg.eigh(seen.T @ seen / len(seen))
    if moments[-1] >= MOVED**2 and moments[-1] >= HINGE_SHARE * moments.sum():
        return np.asarray(axes[:, -1])
    across = np.cross(rotate(inverse(reference), upper), lower)
    size = float(np.linalg.norm(across))
    if size < np.sin(BENT) * float(np.linalg.norm(upper) * np.linalg.norm(lower)):
        return None
    return np.asarray(across / size)


def straight_angle(skeleton: Skeleton, reference: Floats, axis: Floats, joint: int, end: int) -> float:
    """The angle about the hinge, from the reference on, at which the limb reaches farthest.

    With upper segment u and lower segment s, |u + R(θ) s| is largest where u · R(θ) s = a cos θ + b sin θ + c is.
    """
    upper, lower = skeleton.offsets[joint], skeleton.offsets[end]
    along = float(axis @ lower) * axis
    a = float(upper @ rotate(reference, lower - along))
    b = float(upper @ rotate(reference, np.cross(axis, lower)))
    return float(np.arctan2(b, a))


def principal_axes(seen: Floats) -> tuple[Floats, Floats]:
    """Root mean squares (3,), largest first, and their axes as columns of a right-handed basis (3, 3)."""
    moments, axes = np.linalg.eigh(seen.T @ seen / len(seen))
    axes = axes[:, ::-1] * np.array([1.0, 1.0, -1.0])
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return np.sqrt(np.maximum(moments[::-1], 0.0)), axes


def first_angle(rotations: Floats, first: Floats, second: Floats) -> Floats:
    """Angles α (poses,) about the axis a of rotations exp(a α) exp(b β), for axes a and b at right angles."""
    turned = rotate(rotations, second)
    return np.asarray(np.arctan2(turned @ np.cross(first, second), turned @ second))


def frame_of(axis: Floats) -> Floats:
    """A right-handed basis whose first column is the axis."""
    helper = np.eye(3)[int(np.abs(axis).argmin())]
    second = np.cross(axis, helper)
    second /= np.linalg.norm(second)
    return np.stack([axis, second, np.cross(axis, second)], axis=1)
