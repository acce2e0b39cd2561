"""Lead a limb of two segments to a goal: the knee bends, the hip swings, the foot keeps its direction."""

import math
from typing import NamedTuple

import numpy as np

from freshtake.motion.planting.rig import Bones
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled, uncounted
from freshtake.numeric.limb_kernels import (
    LINK_SCRATCH,
    bend_angle,
    carry_into,
    copy_into,
    exponential_into,
    joint_coordinates,
    nearest_turn,
    swing_into,
    turn_back_into,
    turn_into,
)

FULL = 0.9998  # fraction of a limb's length: nearer to straight, the direction of the bend is undefined
SOFT, PINNED, GIVE = 0.02, 0.002, 0.003  # fractions of a limb's length: `soft` for feet and pins, and extra stretch
SCRATCH = 16  # workspace vectors for leading one limb


class Move(NamedTuple):
    """A move of a limb's end."""

    before: Floats  # (3,): previous position of the root
    root: Floats  # (3,): current position of the root
    offset: Floats  # (3,): of the end from its previous position
    unmoved: float  # smaller offsets are ignored
    by_toe: bool  # if the ankle cannot turn freely, bring the toe to its goal instead
    slack: float  # see bend_angle
    soft: float  # see within_reach


class LimbPath(NamedTuple):
    """World positions (joints, 3) and rotations (joints, 4) of the joints from the root to the last point of a limb."""

    places: Floats
    turns: Floats


class LimbScratch(NamedTuple):
    """Workspace for leading a limb, allocated once and reused."""

    path: LimbPath
    vectors: Floats  # (SCRATCH, 4)
    sample: Floats  # (joints, 4)
    links: Floats  # (3, LINK_SCRATCH): workspace, and the coordinates of the sample's hip and ankle


@uncounted
def place_path(
    bones: Bones, limb: int, root: Floats, rotations: Floats, offsets: Floats, places: Floats, turns: Floats
) -> None:
    """Compute forward kinematics along a limb's path: places (joints, 3) and world rotations (joints, 4)."""
    copy_into(root, places[0])
    copy_into(rotations[0], turns[0])
    for k in range(1, bones.path.shape[1]):
        joint = bones.path[limb, k]
        if joint < 0:
            return
        carry_into(turns[k - 1], offsets[joint], places[k])
        for axis in range(3):
            places[k, axis] += places[k - 1, axis]
        turn_into(turns[k - 1], rotations[joint], turns[k])


@compiled
def limb_scratch(bones: Bones) -> LimbScratch:
    """Allocate the workspace for any limb of a body."""
    longest = bones.path.shape[1]
    path = LimbPath(np.empty((longest, 3)), np.empty((longest, 4)))
    return LimbScratch(path, np.empty((SCRATCH, 4)), np.empty((longest, 4)), np.empty((3, LINK_SCRATCH)))


class FootGoal(NamedTuple):
    """The goal of a foot, and where its toe is now."""

    turn: Floats  # (4,): its rotation in the world
    ankle: Floats  # (3,)
    toe: Floats  # (3,): from the ankle; 0 if the toe does not matter
    toe_now: Floats  # (3,): from the ankle, in the current pose


@uncounted
def lead_limb(bones: Bones, limb: int, move: Move, offsets: Floats, rotations: Floats, work: LimbScratch) -> float:
    """Turn a limb, in place, so that its end moves by an offset from where it was before the root moved.

    The knee bends about its hinge until the distance is right, the hip makes the smallest turn that takes the end to
    its goal, and a foot keeps its direction in the world. Return the distance by which the goal was missed.
    """
    before, root, offset, unmoved, by_toe, _, _ = move
    # A limb that does not move keeps its numbers exactly, bit for bit.
    still = True
    for axis in range(3):
        still = still and abs(offset[axis]) <= unmoved and abs(root[axis] - before[axis]) <= unmoved
    if still:
        return 0.0
    path, scratch, sample, links = work
    places, turns = path
    place_path(bones, limb, root, rotations, offsets, places, turns)
    end, toe = bones.at[limb, 2], bones.at[limb, 3]
    goal, aim, tip, now, foot = scratch[0, :3], scratch[1, :3], scratch[2, :3], scratch[3, :3], scratch[4]
    for axis in range(3):
        tip[axis] = now[axis] = 0.0
    # Every round starts again from the sampled pose, so turns do not accumulate over rounds.
    for k in range(bones.path.shape[1]):
        if bones.path[limb, k] >= 0:
            copy_into(rotations[bones.path[limb, k]], sample[k])
    copy_into(turns[end], foot)
    for axis in range(3):
        # The offset is measured from the position of the end before the hips sank.
        goal[axis] = aim[axis] = places[end, axis] - root[axis] + before[axis] + offset[axis]
    led_by_toe = toe >= 0 and by_toe
    if led_by_toe:
        carry_into(foot, offsets[bones.path[limb, toe]], tip)
    for k in range(2):
        count = bones.links[limb, k]
        if count > 0:
            joint_coordinates(
                bones.reference[limb, k, :count], bones.basis[limb, k, :count], sample[bones.at[limb, 2 * k]],
                links[1 + k], links[0],
            )  # fmt: skip
    full = straight_length(bones, limb, offsets)
    missed = 0.0
    # If an ankle cannot turn in every direction, moving the toe moves the goal: repeat.
    for _ in range(3 if led_by_toe and bones.links[limb, 1] > 0 else 1):
        for k in range(bones.at[limb, 0], end + 1):
            copy_into(sample[k], rotations[bones.path[limb, k]])
        _bend(bones, limb, aim, full, move, rotations, path, scratch[5:12], links)
        missed = _keep_foot(
            bones, limb, FootGoal(foot, goal, tip, now), offsets, rotations, path, scratch[12:16], links
        )
        for axis in range(3):  # an ankle that cannot turn freely turns the toe away: move the ankle to compensate
            aim[axis] = goal[axis] + tip[axis] - now[axis]
    return missed


@compiled
def lead_limbs(
    bones: Bones, before: Floats, root: Floats, offsets: Floats, moves: Floats, by_toe: Ints, rotations: Floats,
    soft: float,
) -> None:  # fmt: skip
    """Lead all limbs of all frames by moves (frames, limbs, 3), in place; `by_toe` (limbs,), `soft`: see Move."""
    scratch = limb_scratch(bones)
    for frame in range(len(root)):
        # Rigs with constant bones have a single row of offsets.
        current = offsets[min(frame, len(offsets) - 1)]
        for limb in range(moves.shape[1]):
            move = Move(before[frame], root[frame], moves[frame, limb], 0.0, by_toe[limb] == 1, 0.0, soft)
            lead_limb(bones, limb, move, current, rotations[frame], scratch)


@uncounted
def straight_length(bones: Bones, limb: int, offsets: Floats) -> float:
    """Return the length of the limb from hip to ankle, including the joints in between."""
    total = 0.0
    for k in range(bones.at[limb, 0] + 1, bones.at[limb, 2] + 1):
        bone = offsets[bones.path[limb, k]]
        total += math.sqrt(bone[0] * bone[0] + bone[1] * bone[1] + bone[2] * bone[2])
    return total


@uncounted
def _bend(
    bones: Bones, limb: int, goal: Floats, full: float, move: Move, rotations: Floats, path: LimbPath, scratch: Floats,
    links: Floats,
) -> None:  # fmt: skip
    """Bend knee and hip to bring the ankle to `goal` as far as a limb of length `full` reaches; `path`: pose before.

    `scratch` (7, 4) and `links` are workspaces.
    """
    places, turns = path
    upper, middle, end = bones.at[limb, 0], bones.at[limb, 1], bones.at[limb, 2]
    thigh, shank, line, axis = scratch[0, :3], scratch[1, :3], scratch[2, :3], scratch[3, :3]
    turn, swing, goal_turn = scratch[4], scratch[5], scratch[6]
    requested = current = 0.0
    for k in range(3):
        thigh[k] = places[middle, k] - places[upper, k]
        shank[k] = places[end, k] - places[middle, k]
        line[k] = goal[k] - places[upper, k]
        requested += line[k] * line[k]
        current += (thigh[k] + shank[k]) ** 2
    # First the length: only the knee changes the distance from the hip to the ankle.
    distance = within_reach(bones.reach[limb], math.sqrt(requested), math.sqrt(current), full, move.soft)
    _knee_axis(bones, limb, thigh, shank, turns[middle], axis)
    angle = bend_angle(thigh, shank, axis, distance, move.slack)
    for k in range(3):
        axis[k] *= angle
    exponential_into(axis, turn)
    carry_into(turn, shank, shank)
    for k in range(3):
        shank[k] += thigh[k]
    # Then the direction: the hip makes the smallest turn that points the limb at its goal.
    swing_into(shank, line, swing)
    # First the world rotations of the joints below, then the local rotations of knee and hip.
    turn_into(turn, turns[middle], turn)
    turn_back_into(turns[middle - 1], turn, rotations[bones.path[limb, middle]])
    turn_into(swing, turns[upper], turn)
    if bones.links[limb, 0] > 0:
        turn_back_into(turns[upper - 1], turn, goal_turn)
        count = bones.links[limb, 0]
        nearest_turn(
            bones.reference[limb, 0, :count], bones.basis[limb, 0, :count], bones.low[limb, 0, : 3 * count],
            bones.high[limb, 0, : 3 * count], links[1], goal_turn, rotations[bones.path[limb, upper]], links[0],
        )  # fmt: skip
    # A limb that begins at the root has no joint above it that could turn.
    elif upper > 0:
        turn_back_into(turns[upper - 1], turn, rotations[bones.path[limb, upper]])


@uncounted
def within_reach(reach: Floats, requested: float, current: float, full: float, soft: float) -> float:
    """Return the distance from hip to ankle that a limb takes for a requested one, with a soft upper limit.

    The limb stretches and folds as far as in the examples or as in this frame. Near straight, a knee would have to turn
    ever faster, so the limb gives way in the last fraction `soft` of its length.
    """
    most = min(max(reach[1] * full, current + GIVE * full), max(FULL * full, current))
    begin = max(current, most - soft * full)
    if requested > begin:
        # Value and slope are continuous at the point where the limb begins to give way.
        span = max(most - begin, 1e-12)
        return float(begin + span * (1.0 - math.exp(-(requested - begin) / span)))
    # A leg may fold no more than in the takes, unless it already does.
    least = min(current, reach[0] * full)
    return float(max(requested, least))


@uncounted
def _knee_axis(bones: Bones, limb: int, thigh: Floats, shank: Floats, turn: Floats, axis: Floats) -> None:
    """Compute the hinge in the world; if it is unknown, at right angles to both segments."""
    # A learned hinge bends in the right direction even if the leg is straight and shows no bend.
    hinge = bones.hinge[limb]
    if hinge[0] != 0.0 or hinge[1] != 0.0 or hinge[2] != 0.0:
        carry_into(turn, hinge, axis)
        return
    axis[0] = thigh[1] * shank[2] - thigh[2] * shank[1]
    axis[1] = thigh[2] * shank[0] - thigh[0] * shank[2]
    axis[2] = thigh[0] * shank[1] - thigh[1] * shank[0]
    size = math.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
    for k in range(3):
        axis[k] = axis[k] / size if size > 0.0 else (1.0 if k == 0 else 0.0)


@uncounted
def _keep_foot(
    bones: Bones, limb: int, foot: FootGoal, offsets: Floats, rotations: Floats, path: LimbPath, scratch: Floats,
    links: Floats,
) -> float:  # fmt: skip
    """Turn the ankle so that the foot has its rotation in the world, as far as the ankle can.

    Return the distance of the toe (or else the ankle) from its goal. `scratch` (4, 4) and `links` are workspaces.
    """
    places, turns = path
    turn, goal, tip, now = foot
    upper, end, toe = bones.at[limb, 0], bones.at[limb, 2], bones.at[limb, 3]
    world, goal_turn, place, arm = scratch[0], scratch[1], scratch[2, :3], scratch[3, :3]
    # Compute forward kinematics of the changed limb to find its ankle.
    copy_into(turns[upper - 1], world)
    copy_into(places[upper], place)
    for k in range(upper, end):
        turn_into(world, rotations[bones.path[limb, k]], world)
        carry_into(world, offsets[bones.path[limb, k + 1]], arm)
        for axis in range(3):
            place[axis] += arm[axis]
    joint, count = bones.path[limb, end], bones.links[limb, 1]
    if bones.upright[limb]:
        # The sole keeps its direction in the world, whatever the shank does.
        turn_back_into(world, turn, goal_turn)
        if count == 0:
            copy_into(goal_turn, rotations[joint])
        else:
            nearest_turn(
                bones.reference[limb, 1, :count], bones.basis[limb, 1, :count], bones.low[limb, 1, : 3 * count],
                bones.high[limb, 1, : 3 * count], links[2], goal_turn, rotations[joint], links[0],
            )  # fmt: skip
    if tip[0] != 0.0 or tip[1] != 0.0 or tip[2] != 0.0:
        turn_into(world, rotations[joint], world)
        carry_into(world, offsets[bones.path[limb, toe]], now)
    missed = 0.0
    for axis in range(3):
        missed += (place[axis] + now[axis] - goal[axis] - tip[axis]) ** 2
    return math.sqrt(missed)
