"""What the joints of a limb can do: the hinge of knee or elbow, and the directions that hips and ankles turn in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.motion.hinges import first_angle, flexion, hinge_axis, principal_axes
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, inverse, mean, multiply, to_matrix, to_rotvec

MARGIN = np.radians(25.0)  # beyond the range that a joint was seen in
SHARE = 0.2  # and this share of it
STILL = np.radians(0.3)  # directions that move less than this, RMS, are none of a joint's own
STILL_SHARE = 0.1  # nor do they move more than this share of its main one
MOVING = np.radians(1.0)  # a joint that moves less shows nothing
NEVER = 10.0  # radians: as low end above the high end
UNTURNED = np.array([1.0, 0.0, 0.0, 0.0])


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
