"""Compiled turns of joints as links: rotations to coordinates, back, and as near to a wished-for turn as can be.

A link turns by reference exp(basis y), so that coordinate 0 can be a hinge's angle and limits are plain ranges. A joint
has one link, or two in one place where a file gives it two angles.
"""

from __future__ import annotations

import math

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import kernel
from freshtake.numeric.limb_kernels import carry_into, exponential_into, turn_back_into, turn_into


@kernel
def logarithm_into(q: Floats, out: Floats) -> None:
    """out = the rotation vector of the unit quaternion q, at most pi long."""
    sign = -1.0 if q[0] < 0.0 else 1.0
    sine = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    factor = 2.0 if sine < 1e-12 else 2.0 * math.atan2(sine, sign * q[0]) / sine
    for axis in range(3):
        out[axis] = sign * q[1 + axis] * factor


@kernel
def local_turn_into(reference: Floats, basis: Floats, y: Floats, out: Floats) -> None:
    """out = reference exp(basis y)."""
    vector = np.empty(3)
    for row in range(3):
        vector[row] = basis[row, 0] * y[0] + basis[row, 1] * y[1] + basis[row, 2] * y[2]
    exponential_into(vector, out)
    turn_into(reference, out, out)


@kernel
def joint_coordinates(reference: Floats, basis: Floats, q: Floats, y: Floats) -> None:
    """Coordinates of a joint's one or two links at the local rotation q.

    Of two links, hinges about axes a and b, the first takes the angle that b shows about a, the second the rest.
    """
    rest, vector = np.empty(4), np.empty(3)
    last = len(reference) - 1
    if last == 0:
        turn_back_into(reference[0], q, rest)
    else:
        for axis in range(3):
            vector[axis] = basis[1, axis, 0]
        carry_into(q, vector, vector)
        along = across = 0.0
        for axis in range(3):
            i, j = (axis + 1) % 3, (axis + 2) % 3
            along += vector[axis] * basis[1, axis, 0]
            across += vector[axis] * (basis[0, i, 0] * basis[1, j, 0] - basis[0, j, 0] * basis[1, i, 0])
        angle = math.atan2(across, along)
        y[0], y[1], y[2] = angle, 0.0, 0.0
        rest[0] = math.cos(0.5 * angle)
        for axis in range(3):
            rest[1 + axis] = math.sin(0.5 * angle) * basis[0, axis, 0]
        turn_back_into(rest, q, rest)
    logarithm_into(rest, vector)
    for k in range(3):
        y[3 * last + k] = vector[0] * basis[last, 0, k] + vector[1] * basis[last, 1, k] + vector[2] * basis[last, 2, k]


@kernel
def joint_turn(reference: Floats, basis: Floats, y: Floats, out: Floats) -> None:
    """The inverse: out = the local rotation of a joint with one or two links."""
    local_turn_into(reference[0], basis[0], y[0:3], out)
    if len(reference) == 2:
        each = np.empty(4)
        local_turn_into(reference[1], basis[1], y[3:6], each)
        turn_into(out, each, out)


@kernel
def nearest_turn(reference: Floats, basis: Floats, low: Floats, high: Floats, q: Floats, wanted: Floats) -> None:
    """Turn q, in place, as near to `wanted` as the joint's own directions and ranges allow."""
    size = len(low)
    here, there = np.empty(size), np.empty(size)
    joint_coordinates(reference, basis, q, here)
    joint_coordinates(reference, basis, wanted, there)
    if low[size - 3] <= high[size - 3] and low[size - 2] > high[size - 2] and low[size - 1] > high[size - 1]:
        x, y, z = there[size - 3], there[size - 2], there[size - 1]
        angle = math.sqrt(x * x + y * y + z * z)
        factor = 0.5 if angle < 1e-9 else math.sin(0.5 * angle) / angle
        there[size - 3] = 2.0 * math.atan2(factor * x, math.cos(0.5 * angle))
    for k in range(size):
        there[k] = min(max(there[k], min(low[k], here[k])), max(high[k], here[k]))
    joint_turn(reference, basis, there, q)
