"""Contacts, compiled: where the points of a foot are, and whether heel and toe stand in a frame."""

from __future__ import annotations

import math

import numpy as np

from freshtake.motion.planting.contacts import ContactSettings
from freshtake.motion.planting.rig import Bones, Frames, Ground, PelvisFrame
from freshtake.motion.planting.settings import Pace
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled, uncounted
from freshtake.numeric.limb_kernels import carry_into, copy_into, turn_into

HEEL = 0.25  # foot lengths by which the heel lies behind the ankle
ROLLED = 0.026  # leg lengths: heel or toe this much higher than the other one has left the floor
BEGIN, GO_ON = 0.5, 0.4  # strengths
ABOVE, BESIDE = ContactSettings.pelvis_above, ContactSettings.beside


@uncounted
def place_path(
    bones: Bones, limb: int, root: Floats, rotations: Floats, offsets: Floats, places: Floats, turns: Floats
) -> None:
    """Forward kinematics along a limb's path: places (joints, 3) and world rotations (joints, 4)."""
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


@uncounted
def plane_of(up: int) -> tuple[int, int]:
    """The two horizontal axes."""
    return (1, 2) if up == 0 else ((0, 2) if up == 1 else (0, 1))


@uncounted
def heel_into(ankle: Floats, toe: Floats, up: int, below: float, out: Floats) -> None:
    """Where the heel touches the floor: below the ankle and a little behind it, turned with the foot's pitch."""
    a, b = plane_of(up)
    x, y, z = toe[a] - ankle[a], toe[b] - ankle[b], toe[up] - ankle[up]
    run = math.hypot(x, y)
    length = math.hypot(run, z)
    if length == 0.0:
        copy_into(ankle, out)
        return
    turned = math.asin(min(max(below / length, -1.0), 1.0)) - math.atan2(-z, run)  # above 0: toes up
    back = (below * math.sin(turned) - HEEL * length * math.cos(turned)) / max(run, 1e-12)
    out[a] = ankle[a] + x * back
    out[b] = ankle[b] + y * back
    out[up] = ankle[up] - below * math.cos(turned) - HEEL * length * math.sin(turned)


@uncounted
def take_in(
    bones: Bones, ground: Ground, offsets: Floats, frames: Frames, frame: int, places: Floats, turns: Floats
) -> None:
    """The points of all legs of a frame, and which of them its pelvis is over; room as in place_path."""
    frame_offsets = offsets[min(frame, len(offsets) - 1)]
    a, b = plane_of(ground.up)
    for leg in range(frames.points.shape[1]):
        place_path(bones, leg, frames.root[frame], frames.rotations[frame], frame_offsets, places, turns)
        points = frames.points[frame, leg]
        copy_into(places[bones.at[leg, 0]], points[0])
        copy_into(places[bones.at[leg, 2]], points[1])
        if bones.at[leg, 3] < 0:
            copy_into(points[1], points[2])
            copy_into(points[1], points[3])
        else:
            copy_into(places[bones.at[leg, 3]], points[3])
            heel_into(points[1], points[3], ground.up, ground.below[leg], points[2])
        pelvis = places[ground.pelvis]
        beside = math.hypot(pelvis[a] - points[1, a], pelvis[b] - points[1, b])
        above = pelvis[ground.up] - points[1, ground.up]
        over = above >= ABOVE * ground.leg and beside <= above + BESIDE * ground.leg
        frames.over[frame, leg] = 1 if over else 0


@compiled
def feet_in_body(
    bones: Bones, body: PelvisFrame, offsets: Floats, root: Floats, rotations: Floats, out: Floats
) -> None:
    """out (frames, legs, 6): ankle and toe from the pelvis in leg lengths, without heading, as pose_space has them."""
    longest = bones.path.shape[1]
    places, turns = np.empty((longest, 3)), np.empty((longest + 1, 4))
    _feet_in_body(bones, body, offsets, root, rotations, places, turns, out)


@uncounted
def _feet_in_body(
    bones: Bones, body: PelvisFrame, offsets: Floats, root: Floats, rotations: Floats, places: Floats, turns: Floats,
    out: Floats,
) -> None:  # fmt: skip
    pelvis, up, leg, facing = body
    turn = turns[len(turns) - 1]
    a, b = plane_of(up)
    sign = -1.0 if up == 1 else 1.0  # (z, x) turns about y as (x, y) about z, and a, b are x, z there
    for frame in range(len(root)):
        frame_offsets = offsets[min(frame, len(offsets) - 1)]
        for limb in range(out.shape[1]):
            place_path(bones, limb, root[frame], rotations[frame], frame_offsets, places, turns)
            turn[0] = facing[0]
            for k in range(1, 4):
                turn[k] = -facing[k]
            turn_into(turns[pelvis], turn, turn)
            angle = -2.0 * sign * math.atan2(turn[1 + up], turn[0])
            cosine, sine = math.cos(angle), math.sin(angle)
            for side in range(2):
                at = bones.at[limb, 2] if side == 0 or bones.at[limb, 3] < 0 else bones.at[limb, 3]
                x, y = places[at, a] - places[pelvis, a], places[at, b] - places[pelvis, b]
                out[frame, limb, 3 * side + a] = (cosine * x - sine * y) / leg
                out[frame, limb, 3 * side + b] = (sine * x + cosine * y) / leg
                out[frame, limb, 3 * side + up] = (places[at, up] - places[pelvis, up]) / leg


@uncounted
def judge(ground: Ground, pace: Pace, frames: Frames, frame: int, known: int) -> None:
    """raw of a frame: by how sure the contact is, whether heel or toe is down and, if careful, by height and speed."""
    a, b = plane_of(ground.up)
    first, last = max(frame - pace.reach, 0), min(frame + pace.reach, known - 1)
    for leg in range(frames.points.shape[1]):
        heel = frames.points[frame, leg, 2, ground.up] - ground.soles[leg, 0, 0]
        toe = frames.points[frame, leg, 3, ground.up] - ground.soles[leg, 1, 0]
        for point in range(2):
            height = heel if point == 0 else toe
            sure = frames.strength[frame, leg, point]
            raw = 2 if sure >= BEGIN else (1 if sure >= GO_ON else 0)
            rolled = height - min(heel, toe) > ROLLED * ground.leg
            if rolled:
                raw = 0
            if pace.careful and (raw or pace.rest_on > 0.0):
                x = frames.points[last, leg, 2 + point, a] - frames.points[first, leg, 2 + point, a]
                y = frames.points[last, leg, 2 + point, b] - frames.points[first, leg, 2 + point, b]
                speed = math.hypot(x, y) / max(last - first, 1)
                begins, ends = (pace.speed_on, pace.speed_off) if raw else (pace.rest_on, pace.rest_off)
                if frames.over[frame, leg] == 0 or height > pace.height_off or speed > ends or rolled:
                    raw = 0
                elif height > pace.height_on or speed > begins:
                    raw = 1
                else:
                    raw = raw or 2
            frames.raw[frame, leg, point] = raw


@uncounted
def decide(ground: Ground, pace: Pace, frames: Frames, frame: int, judged: int, started: bool) -> None:
    """Contacts of a frame from `raw` of this and the next frames; `started` where there is a frame before it.

    A contact goes on over short pauses and begins only where it will last.
    """
    a, b = plane_of(ground.up)
    for leg in range(frames.points.shape[1]):
        for point in range(2):
            on = started and frames.stands[frame - 1, leg, point] == 1
            if on:
                stays = False
                for k in range(frame, min(frame + pace.bridged, judged)):
                    stays = stays or frames.raw[k, leg, point] > 0
                on = stays
            else:
                lasts, begins = True, False
                for k in range(frame, min(frame + pace.shortest, judged)):
                    lasts = lasts and frames.raw[k, leg, point] > 0
                    begins = begins or frames.raw[k, leg, point] == 2
                on = lasts and begins
            frames.stands[frame, leg, point] = 1 if on else 0
        standing = frames.stands[frame, leg, 0] == 1 or frames.stands[frame, leg, 1] == 1
        if not started:
            frames.age[frame, leg] = 1 << 20 if standing else -1  # it has stood before the first frame
            frames.pivot[frame, leg, 0] = frames.pivot[frame, leg, 1] = 0.0
            continue
        frames.age[frame, leg] = frames.age[frame - 1, leg] + 1 if standing else -1
        for k in range(2):
            frames.pivot[frame, leg, k] = frames.pivot[frame - 1, leg, k]
        for point in (1, 0):
            if frames.stands[frame, leg, point] == 1 and frames.stands[frame - 1, leg, point] == 1:
                here, before = frames.points[frame, leg, 2 + point], frames.points[frame - 1, leg, 2 + point]
                frames.pivot[frame, leg, 0] += here[a] - before[a]
                frames.pivot[frame, leg, 1] += here[b] - before[b]
                break
