"""Plans for the next frames: smooth offsets that hold standing feet, and how far the hips sink."""

from __future__ import annotations

import math

from freshtake.motion.planting.contact_kernels import plane_of
from freshtake.motion.planting.limb_leading import FULL, straight_length
from freshtake.motion.planting.rig import Bones, Frames, Ground, Scene
from freshtake.motion.planting.settings import Pace
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import uncounted
from freshtake.numeric.limb_kernels import copy_into, quintic
from freshtake.numeric.smooth_path import EDGE, PathRoom, smooth_paths

LEAST = 1e-3  # leg lengths below the floor that do not count
FLOOR = 3.0  # times as firmly as a foot is held, it is kept above the floor
KEPT_BENT, MOVED = math.radians(8.0), 0.005  # the least bend of a knee whose foot is moved by more than this


@uncounted
def plan_foot(scene: Scene, leg: int, frame: int, last: int, room: PathRoom, plan: Floats, firm: Floats) -> None:
    """Offsets (frames, 3) of a foot from `frame` to `last`, and how firmly it is held (frames,)."""
    ground, pace, frames, memory = scene
    count, up = last - frame, ground.up
    a, b = plane_of(up)
    _grips(pace, frames, leg, frame, last, firm)
    _holding_offsets(scene, leg, frame, last, firm, room.targets)
    for k in range(count):
        weight = pace.free + firm[k] * pace.stand
        held = firm[k] * pace.stand / weight
        room.weights[k, a] = room.weights[k, b] = weight
        room.targets[k, a] *= held
        room.targets[k, b] *= held
        lift, contact_strength = _lift(frames, leg, frame + k, firm[k])
        room.weights[k, up] = pace.free + contact_strength * pace.height
        room.targets[k, up] = lift * contact_strength * pace.height / room.weights[k, up]
    for k in range(3):
        copy_into(memory.offsets[leg, k], room.past[k])
    smooth_paths(room, count, memory.known[0])
    again = False
    for k in range(count):  # a smooth path may dip below the floor beside a contact: once more, with these held up
        sunk = _sunk(frames, leg, frame + k, firm[k])
        if room.path[EDGE + k, up] < sunk - LEAST * ground.leg:
            room.weights[k, up], room.targets[k, up], again = FLOOR * pace.height, sunk, True
    if again:
        smooth_paths(room, count, memory.known[0])
    for k in range(count):
        copy_into(room.path[EDGE + k], plan[k])


@uncounted
def _grips(pace: Pace, frames: Frames, leg: int, frame: int, last: int, firm: Floats) -> None:
    """How firmly the foot is held: 1 in a contact, with ramps at its ends; what lies beyond `last` goes on."""
    left = 1 << 20
    for k in range(last - frame - 1, -1, -1):
        age = frames.age[frame + k, leg]
        left = left + 1 if age >= 0 else 0
        if age < 0:
            firm[k] = 0.0
        elif age >= pace.ramp and left > pace.ramp:
            firm[k] = 1.0
        else:
            firm[k] = quintic((age + 1.0) / (pace.ramp + 1.0)) * quintic(left / (pace.ramp + 1.0))


@uncounted
def _holding_offsets(scene: Scene, leg: int, frame: int, last: int, firm: Floats, targets: Floats) -> None:
    """Offsets (frames, 3) over the ground that would hold the foot where it stands on average; 0 in the air."""
    ground, pace, frames, memory = scene
    a, b = plane_of(ground.up)
    k = frame
    while k < last:
        if frames.age[k, leg] < 0:
            targets[k - frame, a] = targets[k - frame, b] = 0.0
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
            targets[i - frame, a] = x - frames.pivot[i, leg, 0]
            targets[i - frame, b] = y - frames.pivot[i, leg, 1]
        k = end


@uncounted
def _drifted(pace: Pace, center: Floats, pivot: Floats, x: float, y: float) -> tuple[float, float]:
    """The center of a contact one frame on: it follows the mean (x, y) of what is seen, faster beyond
    `drift_radius`."""
    square = ((center[0] - pivot[0]) ** 2 + (center[1] - pivot[1]) ** 2) / (pace.drift_radius * pace.drift_radius)
    share = min(pace.drift * (1.0 + 10.0 * square), 1.0)
    return center[0] + share * (x - center[0]), center[1] + share * (y - center[1])


@uncounted
def find_lifts(ground: Ground, pace: Pace, frames: Frames, frame: int) -> None:
    """`lifts` of a frame whose contacts are decided: never below the floor, and onto it where a foot stands."""
    for leg in range(frames.points.shape[1]):
        points = frames.points[frame, leg]
        heel = ground.soles[leg, 0, 0] - points[2, ground.up]
        frames.lifts[frame, leg, 0] = max(heel, ground.soles[leg, 1, 0] - points[3, ground.up])
        over = 1e300
        for point in range(2):
            if frames.stands[frame, leg, point] == 1:
                over = min(over, points[2 + point, ground.up] - ground.soles[leg, point, 1])
        over = max(over, 0.0) if over < 1e300 else 0.0
        frames.lifts[frame, leg, 1] = -over * (1.0 - quintic(over / pace.step))


@uncounted
def _sunk(frames: Frames, leg: int, frame: int, firm: float) -> float:
    """How far a foot must go up at least to be nowhere below the floor; that of a body which does not stand may be."""
    if firm == 0.0 and frames.over[frame, leg] == 0:
        return -1e300
    return float(frames.lifts[frame, leg, 0])


@uncounted
def _lift(frames: Frames, leg: int, frame: int, firm: float) -> tuple[float, float]:
    """How far up the foot has to go, and how firmly."""
    sunk = _sunk(frames, leg, frame, firm)
    return (sunk, FLOOR) if sunk > 0.0 else (float(frames.lifts[frame, leg, 1]), firm)


@uncounted
def longest_reach(bones: Bones, leg: int, offsets: Floats, hip: Floats, ankle: Floats) -> float:
    """How far a leg stretches without stretching more than in the examples, or than it does itself."""
    full = straight_length(bones, leg, offsets)
    own = math.sqrt((ankle[0] - hip[0]) ** 2 + (ankle[1] - hip[1]) ** 2 + (ankle[2] - hip[2]) ** 2)
    return float(min(max(bones.reach[leg, 1] * full, own), FULL * full))


@uncounted
def plan_sink(scene: Scene, frame: int, last: int, room: PathRoom, plans: Floats, firm: Floats) -> float:
    """How far the hips sink in a frame so that standing legs reach their feet; the first column of `room` is used."""
    ground, pace, frames, memory = scene
    count = last - frame
    if pace.sink == 0.0:
        return 0.0
    needed = memory.sinks[0, 0] != 0.0 or memory.sinks[1, 0] != 0.0 or memory.sinks[2, 0] != 0.0
    for k in range(count):
        target, weight = 0.0, pace.rise
        for leg in range(plans.shape[0]):
            if firm[leg, k] > 0.0:
                short = min(_short(ground, frames, leg, frame + k, plans[leg, k]), pace.sink)
                if short > target:
                    needed = True
                    target = short
                    weight = pace.rise + firm[leg, k] * pace.drop
        room.weights[k, 0] = weight
        room.targets[k, 0] = target * (weight - pace.rise) / weight
    if not needed:
        return 0.0
    for k in range(3):
        room.past[k, 0] = memory.sinks[k, 0]
    smooth_paths(room, count, memory.known[0])
    return float(room.path[EDGE, 0])


@uncounted
def _short(ground: Ground, frames: Frames, leg: int, frame: int, offset: Floats) -> float:
    """How far the hip has to come down for the leg to reach its goal without stretching too far."""
    hip, ankle = frames.points[frame, leg, 0], frames.points[frame, leg, 1]
    up = ground.up
    a, b = plane_of(up)
    longest = frames.longest[frame, leg]
    x, y = ankle[a] + offset[a] - hip[a], ankle[b] + offset[b] - hip[b]
    drop = hip[up] - ankle[up] - offset[up]
    room = longest * longest - x * x - y * y
    return float(max(drop - math.sqrt(room), 0.0) if room > 0.0 else max(drop, 0.0))


@uncounted
def slack_of(ground: Ground, plan: Floats, count: int) -> float:
    """How far knees are kept from straight (see bend_angle), by how much the foot is moved now and soon."""
    total = 0.0
    for k in range(count):
        total += plan[k, 0] * plan[k, 0] + plan[k, 1] * plan[k, 1] + plan[k, 2] * plan[k, 2]
    total /= count * (MOVED * ground.leg) ** 2
    return KEPT_BENT * KEPT_BENT * total / (total + 1.0)
