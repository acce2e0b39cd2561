"""Compiled parts of the limb solver: where a limb's points are, how they move with its angles, small linear systems.

A limb is a chain of joints 0 ... n-1 and the point n at its end. Joint i has three coordinates y[i]; its local
rotation is reference[i] exp(basis[i] y[i]), so that coordinate 0 can be a hinge's angle and limits are plain ranges.
"""

from __future__ import annotations

import math

import numpy as np

from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.compiled import kernel

SMALL = 1e-7


@kernel
def turn_into(a: Floats, b: Floats, out: Floats) -> None:
    """out = the quaternion product a b; `out` may not be a or b."""
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]


@kernel
def carry_into(q: Floats, v: Floats, out: Floats) -> None:
    """out = v turned by the unit quaternion q; `out` may not be v."""
    tx = 2.0 * (q[2] * v[2] - q[3] * v[1])
    ty = 2.0 * (q[3] * v[0] - q[1] * v[2])
    tz = 2.0 * (q[1] * v[1] - q[2] * v[0])
    out[0] = v[0] + q[0] * tx + q[2] * tz - q[3] * ty
    out[1] = v[1] + q[0] * ty + q[3] * tx - q[1] * tz
    out[2] = v[2] + q[0] * tz + q[1] * ty - q[2] * tx


@kernel
def exponential_into(v: Floats, out: Floats) -> None:
    """out = the unit quaternion of the rotation vector v."""
    angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    factor = 0.5 - angle * angle / 48.0 if angle < SMALL else math.sin(0.5 * angle) / angle
    out[0] = math.cos(0.5 * angle)
    for axis in range(3):
        out[1 + axis] = factor * v[axis]


@kernel
def right_jacobian_into(v: Floats, out: Floats) -> None:
    """out (3, 3): the turn, in the turned frame, per change of the rotation vector v."""
    square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    angle = math.sqrt(square)
    if angle < 1e-4:
        first, second = 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    else:
        first, second = (1.0 - math.cos(angle)) / square, (angle - math.sin(angle)) / (square * angle)
    for row in range(3):
        for column in range(3):
            out[row, column] = second * v[row] * v[column]
        out[row, row] += 1.0 - second * square
    out[0, 1] += first * v[2]
    out[1, 0] -= first * v[2]
    out[2, 0] += first * v[1]
    out[0, 2] -= first * v[1]
    out[1, 2] += first * v[0]
    out[2, 1] -= first * v[0]


@kernel
def local_turn_into(reference: Floats, basis: Floats, y: Floats, vector: Floats, out: Floats) -> None:
    """out = reference exp(basis y); `vector` receives basis y."""
    for row in range(3):
        vector[row] = basis[row, 0] * y[0] + basis[row, 1] * y[1] + basis[row, 2] * y[2]
    swing = np.empty(4)
    exponential_into(vector, swing)
    turn_into(reference, swing, out)


@kernel
def place_limb(
    base: Floats, turned: Floats, offsets: Floats, reference: Floats, basis: Floats, y: Floats,
    points: Floats, turns: Floats, vectors: Floats,
) -> None:  # fmt: skip
    """Forward kinematics: points (n + 1, 3), world rotations (n, 4) and rotation vectors (n, 3) of the joints.

    `base` is where joint 0 is, `turned` the world rotation of its parent, offsets[i] leads from joint i to point i + 1.
    """
    local, arm = np.empty(4), np.empty(3)
    above = turned
    points[0] = base
    for joint in range(len(offsets)):
        local_turn_into(reference[joint], basis[joint], y[3 * joint : 3 * joint + 3], vectors[joint], local)
        turn_into(above, local, turns[joint])
        above = turns[joint]
        carry_into(above, offsets[joint], arm)
        for axis in range(3):
            points[joint + 1, axis] = points[joint, axis] + arm[axis]


@kernel
def point_jacobian(points: Floats, turns: Floats, vectors: Floats, basis: Floats, point: int, out: Floats) -> None:
    """out (3, 3n): how a point moves per change of the coordinates; joints from `point` on do not move it."""
    out[:] = 0.0
    right, spin, world, direction = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty(3)
    for joint in range(min(point, len(turns))):
        right_jacobian_into(vectors[joint], right)
        for axis in range(3):
            direction[axis] = points[point, axis] - points[joint, axis]
        for column in range(3):
            for row in range(3):
                spin[row] = 0.0
                for k in range(3):
                    spin[row] += right[row, k] * basis[joint, k, column]
            carry_into(turns[joint], spin, world)
            at = 3 * joint + column
            out[0, at] = world[1] * direction[2] - world[2] * direction[1]
            out[1, at] = world[2] * direction[0] - world[0] * direction[2]
            out[2, at] = world[0] * direction[1] - world[1] * direction[0]


@kernel
def solve_spd(matrix: Floats, right: Floats, count: int) -> None:
    """Solve matrix x = right in place by Cholesky's method; the leading `count` rows, positive definite."""
    for i in range(count):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i == j:
                matrix[i, i] = math.sqrt(max(total, 1e-300))
            else:
                matrix[i, j] = total / matrix[j, j]
    for i in range(count):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(count - 1, -1, -1):
        for k in range(i + 1, count):
            right[i] -= matrix[k, i] * right[k]
        right[i] /= matrix[i, i]


@kernel
def goal_rows(
    points: Floats, turns: Floats, vectors: Floats, basis: Floats, goals: Floats, at: Ints, length: float,
    errors: Floats, rows: Floats,
) -> int:  # fmt: skip
    """Errors and their Jacobian, both in limb lengths; returns how many rows there are.

    A goal at point k takes three rows; one at point k + 1 right after a goal at point k takes the two across the
    segment between them, because the segment's length is fixed.
    """
    count = 0
    block, across = np.empty((3, rows.shape[1])), np.empty((3, 3))
    for goal in range(len(at)):
        point_jacobian(points, turns, vectors, basis, at[goal], block)
        used = 3
        if goal > 0 and at[goal] == at[goal - 1] + 1:
            used = 2
            _frame_across(points[at[goal]] - points[at[goal - 1]], across)
        else:
            across[:] = np.eye(3)
        for row in range(used):
            error = 0.0
            for axis in range(3):
                error += across[row, axis] * (points[at[goal], axis] - goals[goal, axis])
            errors[count] = error / length
            for column in range(rows.shape[1]):
                total = 0.0
                for axis in range(3):
                    total += across[row, axis] * block[axis, column]
                rows[count, column] = total / length
            count += 1
    return count


@kernel
def _frame_across(direction: Floats, out: Floats) -> None:
    """Two unit vectors at right angles to a direction, in the first two rows."""
    size = math.sqrt(direction[0] ** 2 + direction[1] ** 2 + direction[2] ** 2)
    d = direction / max(size, 1e-300)
    smallest = 0
    for axis in range(1, 3):
        if abs(d[axis]) < abs(d[smallest]):
            smallest = axis
    helper = np.zeros(3)
    helper[smallest] = 1.0
    for axis in range(3):
        out[0, axis] = helper[axis] - d[smallest] * d[axis]
    size = math.sqrt(out[0, 0] ** 2 + out[0, 1] ** 2 + out[0, 2] ** 2)
    for axis in range(3):
        out[0, axis] /= size
    out[1, 0] = d[1] * out[0, 2] - d[2] * out[0, 1]
    out[1, 1] = d[2] * out[0, 0] - d[0] * out[0, 2]
    out[1, 2] = d[0] * out[0, 1] - d[1] * out[0, 0]


@kernel
def kkt_step(
    y: Floats, gradient: Floats, inverse: Floats, errors: Floats, rows: Floats, count: int,
    low: Floats, high: Floats, damping: float, step: Floats, fixed: Bools, forces: Floats,
) -> None:  # fmt: skip
    """The step of the quadratic program min ½ δ·Hδ + g·δ, s. t. Jδ + c = 0 and low ≤ y + δ ≤ high.

    H is diagonal, `inverse` its inverse. Solves (J H⁻¹ Jᵀ + µ) λ = J H⁻¹ g - c, δ = -H⁻¹ (g + Jᵀ λ), with λ of the
    other sign; coordinates that have no range or would leave it are fixed at its end and the rest is solved again.
    """
    size = len(y)
    for k in range(size):
        fixed[k] = low[k] >= high[k]
        step[k] = low[k] - y[k] if fixed[k] else 0.0
    matrix = np.empty((count, count))
    for _ in range(size):
        for i in range(count):
            forces[i] = errors[i]
            for k in range(size):
                forces[i] += rows[i, k] * (step[k] if fixed[k] else -inverse[k] * gradient[k])
            for j in range(i + 1):
                total = 0.0
                for k in range(size):
                    if not fixed[k]:
                        total += rows[i, k] * inverse[k] * rows[j, k]
                matrix[i, j] = matrix[j, i] = total
        trace = 0.0
        for i in range(count):
            trace += matrix[i, i]
        for i in range(count):
            matrix[i, i] += damping * (trace / count + 1e-9)
        solve_spd(matrix, forces, count)
        again = False
        for k in range(size):
            if fixed[k]:
                continue
            pull = gradient[k]
            for i in range(count):
                pull += rows[i, k] * forces[i]
            step[k] = -inverse[k] * pull
            if y[k] + step[k] < low[k]:
                step[k], fixed[k], again = low[k] - y[k], True, True
            elif y[k] + step[k] > high[k]:
                step[k], fixed[k], again = high[k] - y[k], True, True
        if not again:
            break
