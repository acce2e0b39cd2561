"""The body as input of the systems: trunk and legs are represented by their ends, not by the joints in between.

In recordings, joints compensate each other so that the ends move smoothly: the back compensates for the tilt of the
pelvis, the thigh for the knee. Systems of single joints would ignore this, and head and feet would shake. So rotations
of trunk and thighs are measured against the upright heading, not against the pelvis.

When a leg becomes straight, the curves of the knee's angle and of the thigh have corners that compensate each other. So
a thigh's three numbers become the rotation of the line from hip to ankle, a foot's its rotation against that line, and
a knee's angle a number that grows with the distance. The coding can be inverted, except that knees never bend backwards
farther than in the examples.
"""

import math
from typing import NamedTuple

import numpy as np

from freshtake.motion.body.limbs import limb_joints
from freshtake.motion.features import Recipe
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.numeric.limb_kernels import (
    carry_into,
    exponential_into,
    logarithm_into,
    swing_into,
    turn_back_into,
    turn_into,
)
from freshtake.numeric.rotations import multiply

AHEAD = 2.8  # radians of knee bend that the tables cover
SOFT = 0.1  # weight of the angle itself: distances alone would leave straight knees undetermined
TILTS = 4  # the column of the root's first tilt


class Coding(NamedTuple):
    """Trunk and legs as arrays; stems are the first moving joints below the root, including thighs."""

    at: Ints  # (legs, 3): first columns of thigh, knee and foot
    reference: Floats  # (legs, 3, 4): the joints' rotations that count as zero
    offsets: Floats  # (legs, 2, 3): offsets to the knee and to the ankle
    hinges: Floats  # (legs, 3): axes of the knees, flexion positive
    tables: Floats  # (legs, 2, nodes): angles of the knee, beginning with the straightest, and their numbers
    stems: Ints  # (joints,): first columns of the stems
    above: Floats  # (joints, 4): rotation above each stem while the root is upright
    zero: Floats  # (joints, 4): the stems' rotations that count as zero
    up: int


PLAIN = Coding(
    np.zeros((0, 3), dtype=np.intp), np.zeros((0, 3, 4)), np.zeros((0, 2, 3)), np.zeros((0, 3)), np.zeros((0, 2, 1)),
    np.zeros(0, dtype=np.intp), np.zeros((0, 4)), np.zeros((0, 4)), 1,
)  # fmt: skip


def coding_of(recipe: Recipe, poses: Floats) -> Coding:
    """Find the joints to code, which have all three DOFs; hinges are fitted to poses (rows), which coding requires."""
    layout = recipe.layout
    assert isinstance(layout, ClipLayout)
    skeleton = layout.skeleton
    plain = PLAIN._replace(up=layout.up_index)
    if not len(poses) or layout.moving:
        return plain
    coded_legs: list[tuple[Ints, Floats, Floats, Floats, Floats]] = []
    for _, joints, is_leg in limb_joints(skeleton):
        chain = list(joints[:3])
        first = [_column(recipe, joint) for joint in chain]
        linked = [int(skeleton.parents[joint]) for joint in chain[1:]] == chain[:2]
        if not is_leg or not linked or min(first) < 0:
            continue
        usual, away = layout.reference[chain], skeleton.offsets[chain[1:]]
        hinge = _hinge(poses[:, first[1] : first[1] + 3], usual[1], away)
        if hinge is not None:
            coded_legs.append((np.array(first, dtype=np.intp), usual, away, *hinge))
    # The arrays of the legs come first.
    arrays = [np.stack(part) for part in zip(*coded_legs, strict=True)] or plain[:5]
    stems = _stems(recipe)
    columns = np.array([_column(recipe, joint) for joint, _ in stems], dtype=np.intp)
    above = np.array([turn for _, turn in stems]).reshape(-1, 4)
    zero = layout.reference[[joint for joint, _ in stems]].reshape(-1, 4)
    return Coding._make([*arrays, columns, above, zero, layout.up_index])


def _column(recipe: Recipe, joint: int) -> int:
    """Return the first of a joint's three columns; -1 if any are missing."""
    assert recipe.skeleton is not None
    names = tuple(f"{recipe.skeleton.names[joint]}.{axis}" for axis in "xyz")
    at = recipe.names.index(names[0]) if names[0] in recipe.names else -1
    return at if recipe.names[at : at + 3] == names else -1


def _stems(recipe: Recipe) -> list[tuple[int, Floats]]:
    """Find the first moving joints below the root, and the rotation above each while the root is upright."""
    layout = recipe.layout
    assert isinstance(layout, ClipLayout)
    moving = {name.rsplit(".", 1)[0] for name in recipe.names}
    names, parents = layout.skeleton.names, layout.skeleton.parents
    above: dict[int, Floats] = {0: layout.upright}
    joints_below = []
    for joint in range(1, len(parents)):
        turn = above.get(int(parents[joint]))
        if turn is None:
            continue
        if names[joint] not in moving:
            above[joint] = multiply(turn, layout.reference[joint])
        elif _column(recipe, joint) >= 0:
            joints_below.append((joint, turn))
    return joints_below


def _hinge(vectors: Floats, reference: Floats, offsets: Floats) -> tuple[Floats, Floats] | None:
    """Find the knee's axis and its table; None if the knee does not bend."""
    # The principal axis of the examples' rotations: the file's axes need not be the knee's.
    values, directions = np.linalg.eigh(vectors.T @ vectors)
    axis, upper = directions[:, -1], np.empty(3)
    carry_into(reference * [1.0, -1.0, -1.0, -1.0], offsets[0], upper)
    lower = offsets[1]
    along = (upper @ axis) * (lower @ axis)
    cosine, sine = upper @ lower - along, upper @ np.cross(axis, lower)
    straight = math.atan2(sine, cosine)
    # The mean knee must be bent by at least 0.05 radians.
    if values[-1] < 1e-6 * len(vectors) or abs(straight) < 0.05:
        return None
    if straight > 0.0:
        axis, sine, straight = -axis, -sine, -straight
    farthest = min(float((vectors @ axis).min()), straight)
    # Nodes of the tables from angles to distances.
    angles = np.linspace(farthest, straight + AHEAD, 4096)

    def shortening(angle: Floats) -> Floats:  # the negative derivative of the distance
        squared = upper @ upper + lower @ lower + 2.0 * (along + cosine * np.cos(angle) + sine * np.sin(angle))
        return np.asarray((cosine * np.sin(angle) - sine * np.cos(angle)) / np.sqrt(np.maximum(squared, 1e-12)))

    # The number grows as the leg shortens. Near a straight leg this hardly changes, so part of the angle is added.
    slopes = SOFT + (1.0 - SOFT) * np.maximum(shortening(angles), 0.0) / shortening(np.zeros(1))
    numbers = np.concatenate([[0.0], np.cumsum(0.5 * (slopes[1:] + slopes[:-1]) * np.diff(angles))])
    return axis, np.stack([angles, numbers - np.interp(0.0, angles, numbers)])


@compiled
def looked_up(x: float, xs: Floats, ys: Floats) -> float:
    """Interpolate linearly in a rising table, and extrapolate with its last slopes."""
    low, high = 0, len(xs) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if xs[middle] <= x:
            low = middle
        else:
            high = middle
    value: float = ys[low] + (x - xs[low]) / (xs[high] - xs[low]) * (ys[high] - ys[low])
    return value


@compiled
def _line_into(legs: Coding, leg: int, knee: Floats, out: Floats) -> None:
    """Write the smallest rotation from the ankle's direction with the mean knee to its direction with this knee."""
    usual, now = np.empty(3), np.empty(3)
    carry_into(legs.reference[leg, 1], legs.offsets[leg, 1], usual)
    carry_into(knee, legs.offsets[leg, 1], now)
    for axis in range(3):
        usual[axis] += legs.offsets[leg, 0, axis]
        now[axis] += legs.offsets[leg, 0, axis]
    swing_into(usual, now, out)


@compiled
def coded(rows: Floats, body: Coding) -> Floats:
    """Code rows (frames, DOFs) of joints as rows of limb ends, of the same width."""
    out = rows.copy()
    thigh, knee, foot, line = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
    for leg in range(len(body.at)):
        a, b, c = body.at[leg, 0], body.at[leg, 1], body.at[leg, 2]
        reference, hinge = body.reference[leg], body.hinges[leg]
        for t in range(len(out)):
            row = out[t]
            _turn_into(row[a : a + 3], reference[0], thigh)
            _turn_into(row[b : b + 3], reference[1], knee)
            _turn_into(row[c : c + 3], reference[2], foot)
            _line_into(body, leg, knee, line)
            # The foot is measured against the line instead of the shank, whose rotation has the knee's corners.
            turn_into(knee, foot, foot)
            turn_back_into(line, foot, foot)
            turn_back_into(reference[1], foot, foot)
            turn_back_into(reference[2], foot, foot)
            logarithm_into(foot, row[c : c + 3])
            turn_into(thigh, line, thigh)
            turn_back_into(reference[0], thigh, thigh)
            logarithm_into(thigh, row[a : a + 3])
            _bend(row[b : b + 3], hinge, -np.inf, body.tables[leg, 0], body.tables[leg, 1])
    _hung(out, body, 1.0)
    return out


@compiled
def uncoded(rows: Floats, body: Coding) -> Floats:
    """Invert `coded`."""
    out = rows.copy()
    uncode(out, body)
    return out


@compiled
def uncode(out: Floats, body: Coding) -> None:
    """Invert `coded` in place."""
    # Decoding reverses the order: the stems were rotated last.
    _hung(out, body, -1.0)
    thigh, knee, foot, line = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
    for leg in range(len(body.at)):
        a, b, c = body.at[leg, 0], body.at[leg, 1], body.at[leg, 2]
        reference, hinge = body.reference[leg], body.hinges[leg]
        for t in range(len(out)):
            row = out[t]
            # The table begins at the straightest knee of the examples: below it, knees would bend backwards.
            _bend(row[b : b + 3], hinge, body.tables[leg, 1, 0], body.tables[leg, 1], body.tables[leg, 0])
            # The knee comes first, because the line from hip to ankle depends on it alone.
            _turn_into(row[b : b + 3], reference[1], knee)
            _line_into(body, leg, knee, line)
            _turn_into(row[a : a + 3], reference[0], thigh)
            line[0] = -line[0]  # the inverse, up to its sign
            turn_into(thigh, line, thigh)
            turn_back_into(reference[0], thigh, thigh)
            logarithm_into(thigh, row[a : a + 3])
            line[0] = -line[0]
            _turn_into(row[c : c + 3], reference[2], foot)
            turn_into(reference[1], foot, foot)
            turn_into(line, foot, foot)
            turn_back_into(knee, foot, foot)
            turn_back_into(reference[2], foot, foot)
            logarithm_into(foot, row[c : c + 3])


@compiled
def _bend(vector: Floats, hinge: Floats, least: float, xs: Floats, ys: Floats) -> None:
    """Replace the angle of a rotation vector about a hinge, at least `least`, by its value in a table, in place."""
    angle = vector[0] * hinge[0] + vector[1] * hinge[1] + vector[2] * hinge[2]
    change = looked_up(max(angle, least), xs, ys) - angle
    for axis in range(3):
        vector[axis] += change * hinge[axis]


@compiled
def _hung(rows: Floats, body: Coding, sign: float) -> None:
    """Rotate the stems by the root's tilt, in place (sign 1: into the upright frame, -1: back)."""
    tilt, vector, turn = np.empty(4), np.zeros(3), np.empty(4)
    other = 1.0 if body.up == 1 else -1.0  # see split_heading
    for t in range(len(rows)):
        row = rows[t]
        vector[0], vector[body.up], vector[3 - body.up] = sign * row[TILTS], 0.0, sign * row[TILTS + 1] * other
        exponential_into(vector, tilt)
        for k in range(len(body.stems)):
            at = body.stems[k]
            _turn_into(row[at : at + 3], body.zero[k], turn)
            turn_into(body.above[k], turn, turn)
            turn_into(tilt, turn, turn)
            turn_back_into(body.above[k], turn, turn)
            turn_back_into(body.zero[k], turn, turn)
            logarithm_into(turn, row[at : at + 3])


@compiled
def _turn_into(vector: Floats, reference: Floats, out: Floats) -> None:
    """Set out = reference exp(vector)."""
    exponential_into(vector, out)
    turn_into(reference, out, out)
