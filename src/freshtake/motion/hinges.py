"""Geometry of hinges: about which axis a joint turns, where it is straight, what two axes make of a rotation."""

from __future__ import annotations

import numpy as np

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


def flexion(rotations: Floats, axis: Floats, upper: Floats, lower: Floats) -> Floats:
    """The angles (poses,) about the axis by which a hinge at these rotations (poses, 4) is bent from straight.

    With upper segment u and lower segment s, |u + R(θ) s| is largest where u · R(θ) s = a cos θ + b sin θ + c is.
    """
    turned, hinge = rotate(rotations, lower), rotate(rotations, axis)
    across = turned - (turned * hinge).sum(axis=1, keepdims=True) * hinge
    return np.asarray(-np.arctan2(np.cross(hinge, turned) @ upper, across @ upper))


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
