"""Compiled turns of joints as links (see limb_kernels): rotations to coordinates, back, and as near as can be."""

from __future__ import annotations

import math

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import kernel
from freshtake.numeric.limb_kernels import carry_into, local_turn_into, turn_into


@kernel
def logarithm_into(q: Floats, out: Floats) -> None:
    """out = the rotation vector of the unit quaternion q, at most pi long."""
    sign = -1.0 if q[0] < 0.0 else 1.0
    sine = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    factor = 2.0 if sine < 1e-12 else 2.0 * math.atan2(sine, sign * q[0]) / sine
    for axis in range(3):
        out[axis] = sign * q[1 + axis] * factor


@kernel
def unturned_into(reference: Floats, q: Floats, out: Floats) -> None:
    """out = reference⁻¹ q."""
    back = np.empty(4)
    back[0], back[1], back[2], back[3] = reference[0], -reference[1], -reference[2], -reference[3]
    turn_into(back, q, out)


@kernel
def joint_coordinates(reference: Floats, basis: Floats, q: Floats, y: Floats) -> None:
    """Coordinates of a joint's one or two links at the local rotation q.

    Of two links, hinges about axes a and b, the first takes the angle that b shows about a, the second the rest.
    """
    rest, vector = np.empty(4), np.empty(3)
    last = len(reference) - 1
    if last == 0:
        unturned_into(reference[0], q, rest)
    else:
        first, second = basis[0, :, 0].copy(), basis[1, :, 0].copy()
        across = np.cross(first, second)
        carry_into(q, second, vector)
        angle = math.atan2(np.dot(vector, across), np.dot(vector, second))
        y[0], y[1], y[2] = angle, 0.0, 0.0
        turn = np.empty(4)
        turn[0] = math.cos(0.5 * angle)
        turn[1:] = math.sin(0.5 * angle) * first
        unturned_into(turn, q, rest)
    logarithm_into(rest, vector)
    for k in range(3):
        y[3 * last + k] = vector[0] * basis[last, 0, k] + vector[1] * basis[last, 1, k] + vector[2] * basis[last, 2, k]


@kernel
def joint_turn(reference: Floats, basis: Floats, y: Floats, out: Floats) -> None:
    """The inverse: out = the local rotation of a joint with one or two links."""
    vector, each, whole = np.empty(3), np.empty(4), np.empty(4)
    local_turn_into(reference[0], basis[0], y[0:3], vector, out)
    if len(reference) == 2:
        local_turn_into(reference[1], basis[1], y[3:6], vector, each)
        turn_into(out, each, whole)
        out[:] = whole


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
