"""Compiled geometry of limbs: quaternions in place, and a limb of two segments brought to a goal in closed form.

Also joints as links: rotations to coordinates, back, and the possible rotation nearest to a requested rotation.

A link turns by reference exp(basis y), so coordinate 0 can be a hinge's angle and limits are plain ranges. A joint has
one link, or two at the same position if a file gives it two angles.
"""

import math

from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import uncounted

LINK_SCRATCH = 13  # workspace size for the coordinates of a joint's links
OVER, WRONG = 6.0, math.radians(18.0)  # bends the wrong way: width of the changeover per additional bend; limit


@uncounted
def copy_into(a: Floats, out: Floats) -> None:
    """Set out = a; numba takes seconds to compile a[:] = b."""
    for k in range(len(out)):
        out[k] = a[k]


@uncounted
def turn_into(a: Floats, b: Floats, out: Floats) -> None:
    """Set out = the quaternion product a b; `out` may be a or b."""
    w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    out[0], out[1], out[2], out[3] = w, x, y, z


@uncounted
def turn_back_into(a: Floats, b: Floats, out: Floats) -> None:
    """Set out = a⁻¹ b for unit quaternions; `out` may be a or b."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    y = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1]
    z = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0]
    out[0], out[1], out[2], out[3] = w, x, y, z


@uncounted
def carry_into(q: Floats, v: Floats, out: Floats) -> None:
    """Set out = v turned by the unit quaternion q; `out` may be v."""
    tx = 2.0 * (q[2] * v[2] - q[3] * v[1])
    ty = 2.0 * (q[3] * v[0] - q[1] * v[2])
    tz = 2.0 * (q[1] * v[1] - q[2] * v[0])
    x = v[0] + q[0] * tx + q[2] * tz - q[3] * ty
    y = v[1] + q[0] * ty + q[3] * tx - q[1] * tz
    z = v[2] + q[0] * tz + q[1] * ty - q[2] * tx
    out[0], out[1], out[2] = x, y, z


@uncounted
def exponential_into(v: Floats, out: Floats) -> None:
    """Set out = the unit quaternion of the rotation vector v; `out` may be v."""
    angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    # Near 0 the quotient is 0 / 0: use two terms of its series.
    factor = 0.5 - angle * angle / 48.0 if angle < 1e-7 else math.sin(0.5 * angle) / angle
    x, y, z = factor * v[0], factor * v[1], factor * v[2]
    out[0], out[1], out[2], out[3] = math.cos(0.5 * angle), x, y, z


@uncounted
def swing_into(a: Floats, b: Floats, out: Floats) -> None:
    """Set out = the smallest turn that takes the direction of a to that of b; no turn for opposite directions."""
    size = math.sqrt((a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]))
    w = size + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    norm = math.sqrt(w * w + x * x + y * y + z * z)
    # Opposite directions have no smallest rotation: any axis would do, so none is chosen.
    if w <= 1e-12 * size or norm == 0.0:
        w, x, y, z, norm = 1.0, 0.0, 0.0, 0.0, 1.0
    out[0], out[1], out[2], out[3] = w / norm, x / norm, y / norm, z / norm


@uncounted
def quintic(x: float) -> float:
    """Rise from 0 to 1 with zero slope and curvature at both ends."""
    # Without velocity or acceleration at its ends, nothing starts with a jolt.
    x = min(max(x, 0.0), 1.0)
    return x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)


@uncounted
def bend_angle(upper: Floats, lower: Floats, axis: Floats, distance: float, slack: float) -> float:
    """Return the angle by which `lower` has to turn about the unit `axis` for |upper + lower| to become `distance`.

    upper · R(δ) lower = α + ρ cos(δ - φ), so that δ = φ ± arccos((m - α) / ρ), 2 m = distance² - |upper|² - |lower|².
    The limb is straightest at φ; it is bent by -φ, and flexion is positive. A limb that is slightly bent the wrong way
    changes over gradually, as its bend increases; a limb that is bent the wrong way by more than `WRONG` stays so,
    since changing over would be a large jump. Near straight, angles change without bound with the distance, so bends θ
    become √(θ² + slack), which misses the distance by about slack / 8 of the limb's length.
    """
    along = axis[0] * lower[0] + axis[1] * lower[1] + axis[2] * lower[2]
    alpha = along * (upper[0] * axis[0] + upper[1] * axis[1] + upper[2] * axis[2])
    beta = upper[0] * lower[0] + upper[1] * lower[1] + upper[2] * lower[2] - alpha
    gamma = (
        upper[0] * (axis[1] * lower[2] - axis[2] * lower[1])
        + upper[1] * (axis[2] * lower[0] - axis[0] * lower[2])
        + upper[2] * (axis[0] * lower[1] - axis[1] * lower[0])
    )
    rho = math.sqrt(beta * beta + gamma * gamma)
    if rho == 0.0:
        return 0.0
    straight = math.atan2(gamma, beta)
    goal = 0.5 * (
        distance * distance
        - (upper[0] * upper[0] + upper[1] * upper[1] + upper[2] * upper[2])
        - (lower[0] * lower[0] + lower[1] * lower[1] + lower[2] * lower[2])
    )
    bend = math.acos(min(max((goal - alpha) / rho, -1.0), 1.0))
    # Near straight a small change of distance is a large change of angle: slack rounds that corner.
    bend = math.sqrt(bend * bend + slack)
    if straight <= 0.0:
        return straight + bend
    width = min(OVER * math.sqrt(max(bend * bend - straight * straight, 0.0)), WRONG)
    wrong = quintic(straight / width) if width > 0.0 else 1.0
    return straight + (1.0 - 2.0 * wrong) * bend


@uncounted
def logarithm_into(q: Floats, out: Floats) -> None:
    """Set out = the rotation vector of the unit quaternion q, at most pi long."""
    # q and -q are the same rotation: take the quaternion with the shorter turn.
    sign = -1.0 if q[0] < 0.0 else 1.0
    sine = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    factor = 2.0 if sine < 1e-12 else 2.0 * math.atan2(sine, sign * q[0]) / sine
    for axis in range(3):
        out[axis] = sign * q[1 + axis] * factor


@uncounted
def local_turn_into(reference: Floats, basis: Floats, y: Floats, out: Floats) -> None:
    """Set out = reference exp(basis y)."""
    for row in range(3):
        out[row] = basis[row, 0] * y[0] + basis[row, 1] * y[1] + basis[row, 2] * y[2]
    exponential_into(out[:3], out)
    turn_into(reference, out, out)


@uncounted
def joint_coordinates(reference: Floats, basis: Floats, q: Floats, y: Floats, scratch: Floats) -> None:
    """Compute coordinates of a joint's one or two links at the local rotation q; `scratch` has LINK_SCRATCH numbers.

    If there are two links, hinges about axes a and b, the first takes the angle of b about a, the second the remainder.
    """
    rest, vector = scratch[:4], scratch[4:7]
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


@uncounted
def joint_turn(reference: Floats, basis: Floats, y: Floats, out: Floats, scratch: Floats) -> None:
    """Set out = the local rotation of a joint with one or two links: the inverse of `joint_coordinates`."""
    local_turn_into(reference[0], basis[0], y[0:3], out)
    if len(reference) == 2:
        each = scratch[:4]
        local_turn_into(reference[1], basis[1], y[3:6], each)
        turn_into(out, each, out)


@uncounted
def nearest_turn(
    reference: Floats,
    basis: Floats,
    low: Floats,
    high: Floats,
    here: Floats,
    goal: Floats,
    out: Floats,
    scratch: Floats,
) -> None:
    """Set out = the turn nearest to `goal` that the joint's directions and ranges allow, from the coordinates `here`.

    A coordinate that is already outside its range may stay there, but moves no farther out.
    """
    size = len(low)
    there = scratch[7 : 7 + size]
    joint_coordinates(reference, basis, goal, there, scratch)
    if low[size - 3] <= high[size - 3] and low[size - 2] > high[size - 2] and low[size - 1] > high[size - 1]:
        x, y, z = there[size - 3], there[size - 2], there[size - 1]
        angle = math.sqrt(x * x + y * y + z * z)
        factor = 0.5 if angle < 1e-9 else math.sin(0.5 * angle) / angle
        there[size - 3] = 2.0 * math.atan2(factor * x, math.cos(0.5 * angle))
    for k in range(size):
        # Takes that leave the range stay where they are: limits only prevent moving farther out.
        there[k] = min(max(there[k], min(low[k], here[k])), max(high[k], here[k]))
    joint_turn(reference, basis, there, out, scratch)
