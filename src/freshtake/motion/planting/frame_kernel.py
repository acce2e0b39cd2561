"""The frame kernel: smooth offsets that hold standing feet, the hips' sinking, and legs turned to their goals."""

from __future__ import annotations

import math

import numpy as np

from freshtake.motion.planting.contact_kernels import decide, judge, place_path, plane_of, take_in
from freshtake.motion.planting.rig import Bones, Frames, Ground, Memory
from freshtake.motion.planting.settings import Pace
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import kernel
from freshtake.numeric.limb_kernels import (
    bend_angle,
    carry_into,
    copy_into,
    exponential_into,
    quintic,
    swing_into,
    turn_back_into,
    turn_into,
)
from freshtake.numeric.link_kernels import nearest_turn
from freshtake.numeric.smooth_path import smooth_path

FULL = 0.9998  # of a limb's length: nearer to straight, no direction to bend is left
SOFT, PINNED, GIVE = 0.02, 0.002, 0.003  # of a limb's length: of feet that stand, of pins, beyond its own stretch
LEAST = 1e-3  # leg lengths below the floor that do not count
FLOOR = 3.0  # times as firmly as a foot is held, it is kept above the floor
KEPT_BENT, MOVED = math.radians(8.0), 0.005  # the least bend of a knee whose foot is moved by more than this
UNMOVED = 1e-9  # leg lengths
ROUNDS = 3  # where an ankle cannot turn in every direction


@kernel
def plant_frames(
    bones: Bones, ground: Ground, pace: Pace, offsets: Floats, frames: Frames, memory: Memory, counts: Ints,
    ended: bool, root: Floats, rotations: Floats, grips: Floats, missed: Floats,
) -> None:  # fmt: skip
    """Take all stages as far as they know enough of the future.

    `counts` (5,): how many frames are taken in, judged, decided and given, and 1 where frames before the buffer's first
    have been given. Planted frames go to root (frames, 3) and rotations (frames, joints, 4) from 0 on, how firmly legs
    are held to grips (frames, legs), by how much goals were missed to missed (frames, legs).
    """
    fed = len(frames.root)
    for frame in range(counts[0], fed):
        take_in(bones, ground, offsets, frames, frame)
    counts[0] = fed
    judged = fed if ended else max(fed - pace.reach, counts[1])
    for frame in range(counts[1], judged):
        judge(ground, pace, frames, frame, fed)
    counts[1] = judged
    decided = fed if ended else max(fed - pace.wait, counts[2])
    for frame in range(counts[2], decided):
        decide(ground, pace, frames, frame, judged, frame > 0)
    counts[2] = decided
    given = decided if ended else max(decided - pace.horizon, counts[3])
    size, legs = pace.horizon + 1, frames.points.shape[1]
    plans, firm = np.empty((legs, size, 3)), np.empty((legs, size))
    for frame in range(counts[3], given):
        k = frame - counts[3]
        last = min(frame + size, decided)
        for leg in range(legs):
            plan_foot(ground, pace, frames, memory, leg, frame, last, plans[leg], firm[leg])
            grips[k, leg] = firm[leg, 0]
        sink = plan_sink(bones, ground, pace, offsets, frames, memory, frame, last, plans, firm)
        remember(memory, plans, sink)
        copy_into(frames.root[frame], root[k])
        root[k, ground.up] -= pace.sink * math.tanh(sink / pace.sink) if sink != 0.0 else 0.0
        for joint in range(rotations.shape[1]):
            copy_into(frames.rotations[frame, joint], rotations[k, joint])
        own = offsets[min(frame, len(offsets) - 1)]
        for leg in range(legs):
            slack = slack_of(ground, plans[leg], last - frame)
            missed[k, leg] = lead_limb(
                bones, leg, frames.root[frame], root[k], own, plans[leg, 0], UNMOVED * ground.leg, True, slack, SOFT,
                rotations[k],
            )  # fmt: skip
    counts[3] = given


@kernel
def plan_foot(
    ground: Ground, pace: Pace, frames: Frames, memory: Memory, leg: int, frame: int, last: int, plan: Floats,
    firm: Floats,
) -> None:  # fmt: skip
    """Offsets (frames, 3) of a foot from `frame` to `last`, and how firmly it is held (frames,)."""
    count = last - frame
    a, b = plane_of(ground.up)
    weights, wishes, band = np.empty(count), np.empty((count, 2)), np.empty((count, 4))
    flat, past = np.empty((count, 2)), np.empty((3, 2))
    _grips(pace, frames, leg, frame, last, firm)
    _wishes(pace, frames, memory, leg, frame, last, firm, wishes)
    for k in range(count):
        weights[k] = pace.free + firm[k] * pace.stand
        for c in range(2):
            wishes[k, c] *= firm[k] * pace.stand / weights[k]
    for k in range(3):
        past[k, 0], past[k, 1] = memory.offsets[leg, k, a], memory.offsets[leg, k, b]
    smooth_path(weights, wishes, past, memory.known[0], band, flat)
    for k in range(count):
        plan[k, a], plan[k, b] = flat[k, 0], flat[k, 1]
    rise, before = np.empty((count, 1)), np.empty((3, 1))
    lift = wishes[:, :1]
    for k in range(count):
        wish, grip = _lift(ground, pace, frames, leg, frame + k, firm[k])
        weights[k] = pace.free + grip * pace.height
        lift[k, 0] = wish * grip * pace.height / weights[k]
    for k in range(3):
        before[k, 0] = memory.offsets[leg, k, ground.up]
    smooth_path(weights, lift, before, memory.known[0], band, rise)
    again = False
    for k in range(count):  # a smooth path may dip below the floor beside a contact: once more, with these held up
        sunk = _sunk(ground, frames, leg, frame + k, firm[k])
        if rise[k, 0] < sunk - LEAST * ground.leg:
            weights[k], lift[k, 0], again = FLOOR * pace.height, sunk, True
    if again:
        smooth_path(weights, lift, before, memory.known[0], band, rise)
    for k in range(count):
        plan[k, ground.up] = rise[k, 0]


@kernel
def _grips(pace: Pace, frames: Frames, leg: int, frame: int, last: int, firm: Floats) -> None:
    """How firmly the foot is held: 1 in a contact, with ramps at its ends; what lies beyond `last` goes on."""
    left = 1 << 20
    for k in range(last - frame - 1, -1, -1):
        age = frames.age[frame + k, leg]
        left = left + 1 if age >= 0 else 0
        firm[k] = quintic((age + 1.0) / (pace.ramp + 1.0)) * quintic(left / (pace.ramp + 1.0)) if age >= 0 else 0.0


@kernel
def _wishes(
    pace: Pace, frames: Frames, memory: Memory, leg: int, frame: int, last: int, firm: Floats, wishes: Floats
) -> None:
    """Offsets (frames, 2) that would hold the foot still where it stands on average; 0 in the air."""
    k = frame
    while k < last:
        if frames.age[k, leg] < 0:
            wishes[k - frame, 0] = wishes[k - frame, 1] = 0.0
            k += 1
            continue
        end = k
        x = y = total = 0.0
        while end < last and frames.age[end, leg] >= 0:
            w = firm[end - frame] + 1e-9
            x += w * frames.pivot[end, leg, 0]
            y += w * frames.pivot[end, leg, 1]
            total += w
            end += 1
        x /= total
        y /= total
        if k == frame:
            if memory.known[0] > 0 and frames.age[k, leg] > 0:
                x, y = _drifted(pace, memory.centers[leg], frames.pivot[k, leg], x, y)
            memory.centers[leg, 0], memory.centers[leg, 1] = x, y
        for i in range(k, end):
            wishes[i - frame, 0] = x - frames.pivot[i, leg, 0]
            wishes[i - frame, 1] = y - frames.pivot[i, leg, 1]
        k = end


@kernel
def _drifted(pace: Pace, center: Floats, pivot: Floats, x: float, y: float) -> tuple[float, float]:
    """The center of a contact one frame on: it follows the mean (x, y) of what is seen, faster beyond the leash."""
    square = ((center[0] - pivot[0]) ** 2 + (center[1] - pivot[1]) ** 2) / (pace.leash * pace.leash)
    share = min(pace.drift * (1.0 + 10.0 * square), 1.0)
    return center[0] + share * (x - center[0]), center[1] + share * (y - center[1])


@kernel
def _sunk(ground: Ground, frames: Frames, leg: int, frame: int, firm: float) -> float:
    """How far a foot must go up at least to be nowhere below the floor; that of a body which does not stand may be."""
    if frames.over[frame, leg] == 0 and firm == 0.0:
        return -1e300
    points = frames.points[frame, leg]
    heel = ground.soles[leg, 0, 0] - points[2, ground.up]
    return float(max(heel, ground.soles[leg, 1, 0] - points[3, ground.up]))


@kernel
def _lift(ground: Ground, pace: Pace, frames: Frames, leg: int, frame: int, firm: float) -> tuple[float, float]:
    """How far up the foot has to go, and how firmly: onto the floor where it stands, never below it."""
    sunk = _sunk(ground, frames, leg, frame, firm)
    if sunk > 0.0:
        return sunk, FLOOR
    over = 1e300
    for point in range(2):
        if frames.stands[frame, leg, point] == 1:
            over = min(over, frames.points[frame, leg, 2 + point, ground.up] - ground.soles[leg, point, 1])
    over = max(over, 0.0) if firm > 0.0 and over < 1e300 else 0.0
    return -over * (1.0 - quintic(over / pace.step)), firm


@kernel
def plan_sink(
    bones: Bones, ground: Ground, pace: Pace, offsets: Floats, frames: Frames, memory: Memory, frame: int, last: int,
    plans: Floats, firm: Floats,
) -> float:  # fmt: skip
    """How far the hips sink in a frame so that standing legs reach their feet."""
    count = last - frame
    if pace.sink == 0.0:
        return 0.0
    weights, wishes, band = np.empty(count), np.empty((count, 1)), np.empty((count, 4))
    path = np.empty((count, 1))
    needed = memory.sinks[0, 0] != 0.0 or memory.sinks[1, 0] != 0.0 or memory.sinks[2, 0] != 0.0
    for k in range(count):
        wishes[k, 0] = 0.0
        weights[k] = pace.free
        for leg in range(plans.shape[0]):
            if firm[leg, k] > 0.0:
                short = _short(
                    bones, ground, offsets[min(frame + k, len(offsets) - 1)], frames, leg, frame + k, plans[leg, k]
                )
                short = min(short, pace.sink)
                if short > wishes[k, 0]:
                    needed = True
                    wishes[k, 0] = short
                    weights[k] = pace.free + firm[leg, k] * pace.height
        wishes[k, 0] *= (weights[k] - pace.free) / weights[k]
    if not needed:
        return 0.0
    smooth_path(weights, wishes, memory.sinks, memory.known[0], band, path)
    return float(path[0, 0])


@kernel
def slack_of(ground: Ground, plan: Floats, count: int) -> float:
    """How far knees are kept from straight (see bend_angle), by how much the foot is moved now and soon."""
    total = 0.0
    for k in range(count):
        total += plan[k, 0] * plan[k, 0] + plan[k, 1] * plan[k, 1] + plan[k, 2] * plan[k, 2]
    total /= count * (MOVED * ground.leg) ** 2
    return KEPT_BENT * KEPT_BENT * total / (total + 1.0)


@kernel
def straight_length(bones: Bones, limb: int, offsets: Floats) -> float:
    """Of the limb from hip to ankle; joints between count by their own lengths."""
    total = 0.0
    for k in range(bones.at[limb, 0] + 1, bones.at[limb, 2] + 1):
        bone = offsets[bones.path[limb, k]]
        total += math.sqrt(bone[0] * bone[0] + bone[1] * bone[1] + bone[2] * bone[2])
    return total


@kernel
def _short(
    bones: Bones, ground: Ground, offsets: Floats, frames: Frames, leg: int, frame: int, offset: Floats
) -> float:
    """How far the hip has to come down for the leg to reach its goal without stretching more than in the examples."""
    hip, ankle = frames.points[frame, leg, 0], frames.points[frame, leg, 1]
    up = ground.up
    a, b = plane_of(up)
    full = straight_length(bones, leg, offsets)
    own = math.sqrt((ankle[0] - hip[0]) ** 2 + (ankle[1] - hip[1]) ** 2 + (ankle[2] - hip[2]) ** 2)
    longest = min(max(bones.reach[leg, 1] * full, own), FULL * full)
    x, y = ankle[a] + offset[a] - hip[a], ankle[b] + offset[b] - hip[b]
    drop = hip[up] - ankle[up] - offset[up]
    room = longest * longest - x * x - y * y
    return float(max(drop - math.sqrt(room), 0.0) if room > 0.0 else max(drop, 0.0))


@kernel
def remember(memory: Memory, plans: Floats, sink: float) -> None:
    """Shift the memory by one frame."""
    for leg in range(plans.shape[0]):
        for k in range(2, 0, -1):
            for axis in range(3):
                memory.offsets[leg, k, axis] = memory.offsets[leg, k - 1, axis]
        for axis in range(3):
            memory.offsets[leg, 0, axis] = plans[leg, 0, axis]
    memory.sinks[2, 0], memory.sinks[1, 0], memory.sinks[0, 0] = memory.sinks[1, 0], memory.sinks[0, 0], sink
    memory.known[0] = min(memory.known[0] + 1, 3)


@kernel
def lead_limb(
    bones: Bones, limb: int, before: Floats, root: Floats, offsets: Floats, offset: Floats, unmoved: float,
    by_toe: bool, slack: float, soft: float, rotations: Floats,
) -> float:  # fmt: skip
    """Turn a limb, in place, so that its end is `offset` from where it was when the root was at `before`.

    The knee bends about its hinge until the distance is right, the hip makes the least turn that takes the end to its
    goal (of all that do, the one nearest to the sample: Lau 2009, eq. 7, with w2 = 0), and a foot keeps its direction
    in the world. Where the ankle cannot turn freely, the toe is brought to its goal instead, if `by_toe`. `slack` is
    that of bend_angle, `soft` that of within_reach. Returns by how much the goal was missed.
    """
    still = True
    for axis in range(3):
        still = still and abs(offset[axis]) <= unmoved and abs(root[axis] - before[axis]) <= unmoved
    if still:
        return 0.0
    longest = bones.path.shape[1]
    places, turns = np.empty((longest, 3)), np.empty((longest, 4))
    place_path(bones, limb, root, rotations, offsets, places, turns)
    end, toe = bones.at[limb, 2], bones.at[limb, 3]
    goal, aim, foot, tip, now = np.empty(3), np.empty(3), np.empty(4), np.zeros(3), np.zeros(3)
    sample = np.empty((longest, 4))
    for k in range(longest):
        if bones.path[limb, k] >= 0:
            copy_into(rotations[bones.path[limb, k]], sample[k])
    copy_into(turns[end], foot)
    for axis in range(3):
        goal[axis] = aim[axis] = places[end, axis] - root[axis] + before[axis] + offset[axis]
    led_by_toe = toe >= 0 and by_toe
    if led_by_toe:
        carry_into(foot, offsets[bones.path[limb, toe]], tip)
    full = straight_length(bones, limb, offsets)
    missed = 0.0
    for _ in range(ROUNDS if led_by_toe and bones.links[limb, 1] > 0 else 1):
        for k in range(bones.at[limb, 0], end + 1):
            copy_into(sample[k], rotations[bones.path[limb, k]])
        _bend(bones, limb, aim, full, slack, soft, rotations, places, turns)
        missed = _keep_foot(bones, limb, foot, goal, tip, offsets, rotations, places, turns, now)
        for axis in range(3):  # an ankle that cannot turn freely turns the toe away, which the ankle makes up for
            aim[axis] = goal[axis] + tip[axis] - now[axis]
    return missed


@kernel
def lead_limbs(
    bones: Bones, before: Floats, root: Floats, offsets: Floats, moves: Floats, by_toe: Ints, rotations: Floats
) -> None:
    """All limbs of all frames led by moves (frames, limbs, 3), in place; `by_toe` (limbs,) as in lead_limb."""
    for frame in range(len(root)):
        own = offsets[min(frame, len(offsets) - 1)]
        for limb in range(moves.shape[1]):
            lead_limb(
                bones, limb, before[frame], root[frame], own, moves[frame, limb], 0.0, by_toe[limb] == 1, 0.0, PINNED,
                rotations[frame],
            )  # fmt: skip


@kernel
def _bend(
    bones: Bones, limb: int, goal: Floats, full: float, slack: float, soft: float, rotations: Floats, places: Floats,
    turns: Floats,
) -> None:  # fmt: skip
    """Knee and hip for a goal of the ankle, as far as the limb reaches; `places` and `turns` are those before."""
    upper, middle, end = bones.at[limb, 0], bones.at[limb, 1], bones.at[limb, 2]
    thigh, shank, line, axis, turn, swing = (
        np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(4), np.empty(4),
    )  # fmt: skip
    asked = own = 0.0
    for k in range(3):
        thigh[k] = places[middle, k] - places[upper, k]
        shank[k] = places[end, k] - places[middle, k]
        line[k] = goal[k] - places[upper, k]
        asked += line[k] * line[k]
        own += (thigh[k] + shank[k]) ** 2
    distance = within_reach(bones.reach[limb], math.sqrt(asked), math.sqrt(own), full, soft)
    _knee_axis(bones, limb, thigh, shank, turns[middle], axis)
    angle = bend_angle(thigh, shank, axis, distance, slack)
    for k in range(3):
        axis[k] *= angle
    exponential_into(axis, turn)
    carry_into(turn, shank, shank)
    for k in range(3):
        shank[k] += thigh[k]
    swing_into(shank, line, swing)
    # world rotations of the joints below, then the local ones of knee and hip
    turn_into(turn, turns[middle], turn)
    turn_back_into(turns[middle - 1], turn, rotations[bones.path[limb, middle]])
    turn_into(swing, turns[upper], turn)
    if bones.links[limb, 0] > 0:
        wanted = np.empty(4)
        turn_back_into(turns[upper - 1], turn, wanted)
        count = bones.links[limb, 0]
        nearest_turn(
            bones.reference[limb, 0, :count], bones.basis[limb, 0, :count], bones.low[limb, 0, : 3 * count],
            bones.high[limb, 0, : 3 * count], rotations[bones.path[limb, upper]], wanted,
        )  # fmt: skip
    elif upper > 0:
        turn_back_into(turns[upper - 1], turn, rotations[bones.path[limb, upper]])


@kernel
def within_reach(reach: Floats, asked: float, own: float, full: float, soft: float) -> float:
    """The distance from hip to ankle that a limb takes where `asked` is wanted: softly not beyond what it does.

    It stretches and folds as far as in the examples, or as far as it did itself. Near straight, a knee would have to
    turn ever faster, so that the limb gives way from `soft` of its length before its end on.
    """
    most = min(max(reach[1] * full, own + GIVE * full), max(FULL * full, own))
    begin = max(own, most - soft * full)
    if asked > begin:
        room = max(most - begin, 1e-12)
        return float(begin + room * (1.0 - math.exp(-(asked - begin) / room)))
    least = min(own, reach[0] * full)
    return float(max(asked, least))


@kernel
def _knee_axis(bones: Bones, limb: int, thigh: Floats, shank: Floats, turn: Floats, axis: Floats) -> None:
    """The hinge in the world; where none is known, at right angles to both segments."""
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


@kernel
def _keep_foot(
    bones: Bones, limb: int, foot: Floats, goal: Floats, tip: Floats, offsets: Floats, rotations: Floats,
    places: Floats, turns: Floats, now: Floats,
) -> float:  # fmt: skip
    """Turn the ankle so that the foot's world rotation is `foot`, as far as the ankle can.

    `now` becomes the way from ankle to toe, if `tip`, where it should be, is not 0. Returns how far the toe, or else
    the ankle, is from its goal.
    """
    upper, end, toe = bones.at[limb, 0], bones.at[limb, 2], bones.at[limb, 3]
    world, place, arm = np.empty(4), np.empty(3), np.empty(3)
    copy_into(turns[upper - 1], world)
    copy_into(places[upper], place)
    for k in range(upper, end):
        turn_into(world, rotations[bones.path[limb, k]], world)
        carry_into(world, offsets[bones.path[limb, k + 1]], arm)
        for axis in range(3):
            place[axis] += arm[axis]
    joint, count = bones.path[limb, end], bones.links[limb, 1]
    if bones.upright[limb]:
        wanted = np.empty(4)
        turn_back_into(world, foot, wanted)
        if count == 0:
            copy_into(wanted, rotations[joint])
        else:
            nearest_turn(
                bones.reference[limb, 1, :count], bones.basis[limb, 1, :count], bones.low[limb, 1, : 3 * count],
                bones.high[limb, 1, : 3 * count], rotations[joint], wanted,
            )  # fmt: skip
    if tip[0] != 0.0 or tip[1] != 0.0 or tip[2] != 0.0:
        turn_into(world, rotations[joint], world)
        carry_into(world, offsets[bones.path[limb, toe]], now)
    missed = 0.0
    for axis in range(3):
        missed += (place[axis] + now[axis] - goal[axis] - tip[axis]) ** 2
    return math.sqrt(missed)
