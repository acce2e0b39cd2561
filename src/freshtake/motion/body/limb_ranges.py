"""What the joints of a limb can do: the hinge of knee or elbow, and the directions that hips and ankles turn in.

Geometry of hinges: about which axis a joint turns, where it is straight, what two axes make of a rotation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, inverse, mean, multiply, rotate, to_matrix, to_rotvec

MOVED = np.radians(5.0)  # a joint that moves less shows no hinge
BENT = np.radians(4.0)  # nor does one that is bent less
HINGE_SHARE = 0.8  # of a joint's motion that must be about one axis
MARGIN = np.radians(25.0)  # beyond the range that a joint was seen in
SHARE = 0.2  # and this share of it
STILL = np.radians(0.3)  # a joint does not turn in directions that move less than this (RMS)
STILL_SHARE = 0.1  # nor do they move more than this share of its main one
MOVING = np.radians(1.0)  # a joint that moves less shows nothing
NEVER = 10.0  # radians: as low end above the high end
UNTURNED = np.array([1.0, 0.0, 0.0, 0.0])


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


class Chain(NamedTuple):
    """A joint's one or two links, each turning by reference exp(basis y), low ≤ y ≤ high.

    `reference` (n, 4), `basis` (n, 3, 3), `low` and `high` (3n,). A coordinate whose low end is above its high end is
    frozen: it stays where the sample has it.
    """

    reference: Floats
    basis: Floats
    low: Floats
    high: Floats


def free_ways(skeleton: Skeleton, rotations: Floats, joint: int, *, ball: bool = False) -> Chain | None:
    """The directions in which a joint turns, from its rotations (poses, 4); None: all.

    Where the file gives it one or two angles, these; else directions that never move are frozen, except those of a
    ball.
    """
    order = skeleton.orders[joint]
    if len(order) == 2:
        return _two_axes(skeleton, rotations, joint)
    if len(order) == 1:
        angles = to_rotvec(rotations) @ stated_axis(skeleton, joint, order)
        return _hinges(skeleton, joint, order, [angles])
    if ball:
        return None
    reference = mean(rotations)
    seen = to_rotvec(multiply(inverse(reference), rotations))
    spread, basis = principal_axes(seen)
    still = (spread < STILL) & (spread < STILL_SHARE * spread[0]) & (spread[0] >= MOVING)
    if not still.any():
        return None
    y = seen @ basis
    low, high = _widened(y.min(axis=0), y.max(axis=0))
    return Chain(reference[None], basis[None], np.where(still, NEVER, low), np.where(still, -NEVER, high))


def knee_hinge(skeleton: Skeleton, rotations: Floats, joint: int, end: int) -> Floats:
    """The axis of a knee or elbow in its own frame, flexion positive, from its rotations (poses, 4); 0 if unknown."""
    order = skeleton.orders[joint]
    upper, lower = skeleton.offsets[joint], skeleton.offsets[end]
    if order and len(order) < 3:
        axis: Floats | None = stated_axis(skeleton, joint, order[-1])
    else:
        reference = mean(rotations)
        axis = hinge_axis(to_rotvec(multiply(inverse(reference), rotations)), reference, upper, lower)
    if axis is None:
        return np.zeros(3)
    bent = flexion(rotations, axis, upper, lower)
    return axis if bent.max() >= -bent.min() else -axis


def stated_axis(skeleton: Skeleton, joint: int, axis: str) -> Floats:
    """One of the file's axes, in the joint's own frame."""
    turned = UNTURNED if skeleton.axes is None else skeleton.axes[joint]
    return np.asarray(to_matrix(turned)[:, "XYZ".index(axis)])


def _widened(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    more = MARGIN + SHARE * (high - low)
    return low - more, high + more


def _two_axes(skeleton: Skeleton, rotations: Floats, joint: int) -> Chain:
    """Two hinges in one place, as the file has them."""
    order = skeleton.orders[joint]
    a, b = (stated_axis(skeleton, joint, axis) for axis in order)
    first = first_angle(rotations, a, b)
    second = to_rotvec(multiply(about_axis(a, -first), rotations)) @ b
    return _hinges(skeleton, joint, order, [first, second])


def _hinges(skeleton: Skeleton, joint: int, order: str, seen: Sequence[Floats]) -> Chain:
    """Hinges about the file's axes at angles `seen`; limits are the file's, else the range with a margin."""
    turned = to_matrix(UNTURNED if skeleton.axes is None else skeleton.axes[joint])
    basis, low, high = [], [], []
    for axis, angles in zip(order, seen, strict=True):
        first = "XYZ".index(axis)
        basis.append(turned[:, [first, (first + 1) % 3, (first + 2) % 3]])
        ends = _limits(skeleton, joint).get(axis)
        least, most = ends if ends is not None else _widened(angles.min(), angles.max())
        low += [float(least), NEVER, NEVER]
        high += [float(most), -NEVER, -NEVER]
    return Chain(np.tile(UNTURNED, (len(basis), 1)), np.stack(basis), np.array(low), np.array(high))


def _limits(skeleton: Skeleton, joint: int) -> dict[str, tuple[float, float]]:
    """The limits that the file states (Acclaim), by axis."""
    limits = skeleton.limits[joint] if skeleton.limits is not None else ()
    named = zip(skeleton.channels[joint], limits, strict=False)
    return {channel[1].upper(): pair for channel, pair in named if channel[0] == "r" and pair is not None}
