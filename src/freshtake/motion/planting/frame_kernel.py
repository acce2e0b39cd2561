"""The frame kernel: contacts, plans for the feet and the hips, and legs turned to their goals, frame after frame."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from freshtake.motion.planting.contact_kernels import decide, judge, take_in
from freshtake.motion.planting.foot_plans import find_lifts, longest_reach, plan_foot, plan_sink, slack_of
from freshtake.motion.planting.limb_leading import SOFT, LimbRoom, Move, lead_limb, limb_room
from freshtake.motion.planting.rig import Bones, Memory, PlantedFrames, Scene
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled, uncounted
from freshtake.numeric.limb_kernels import copy_into
from freshtake.numeric.smooth_path import PathRoom, path_room

UNMOVED = 1e-9  # leg lengths


class PlantRoom(NamedTuple):
    """What planting works with, made once for many frames."""

    limbs: LimbRoom
    plans: Floats  # (legs, frames, 3)
    firm: Floats  # (legs, frames)
    paths: PathRoom


@compiled
def plant_frames(bones: Bones, scene: Scene, offsets: Floats, counts: Ints, ended: bool, out: PlantedFrames) -> None:
    """Take all stages as far as they know enough of the future.

    `counts` (5,): how many frames are taken in, judged, decided and given, and 1 where frames before the buffer's first
    have been given. Planted frames go to `out`, from 0 on.
    """
    size, legs = scene.pace.horizon + 1, scene.frames.points.shape[1]
    room = PlantRoom(limb_room(bones), np.empty((legs, size, 3)), np.empty((legs, size)), path_room(size))
    _plant_frames(bones, scene, offsets, counts, ended, room, out)


@uncounted
def _plant_frames(
    bones: Bones, scene: Scene, offsets: Floats, counts: Ints, ended: bool, room: PlantRoom, out: PlantedFrames
) -> None:
    ground, pace, frames, memory = scene
    root, rotations, contact_strengths, missed = out
    limbs, plans, firm, paths = room
    fed = len(frames.root)
    for frame in range(counts[0], fed):
        take_in(bones, ground, offsets, frames, frame, limbs.path.places, limbs.path.turns)
        frame_offsets = offsets[min(frame, len(offsets) - 1)]
        for leg in range(frames.points.shape[1]):
            hip, ankle = frames.points[frame, leg, 0], frames.points[frame, leg, 1]
            frames.longest[frame, leg] = longest_reach(bones, leg, frame_offsets, hip, ankle)
    counts[0] = fed
    judged = fed if ended else max(fed - pace.reach, counts[1])
    for frame in range(counts[1], judged):
        judge(ground, pace, frames, frame, fed)
    counts[1] = judged
    decided = fed if ended else max(fed - pace.wait, counts[2])
    for frame in range(counts[2], decided):
        decide(ground, pace, frames, frame, judged, frame > 0)
        find_lifts(ground, pace, frames, frame)
    counts[2] = decided
    given = decided if ended else max(decided - pace.horizon, counts[3])
    size, legs = pace.horizon + 1, frames.points.shape[1]
    for frame in range(counts[3], given):
        k = frame - counts[3]
        last = min(frame + size, decided)
        for leg in range(legs):
            plan_foot(scene, leg, frame, last, paths, plans[leg], firm[leg])
            contact_strengths[k, leg] = firm[leg, 0]
        sink = plan_sink(scene, frame, last, paths, plans, firm)
        remember(memory, plans, sink)
        copy_into(frames.root[frame], root[k])
        root[k, ground.up] -= pace.sink * math.tanh(sink / pace.sink) if sink != 0.0 else 0.0
        for joint in range(rotations.shape[1]):
            copy_into(frames.rotations[frame, joint], rotations[k, joint])
        frame_offsets = offsets[min(frame, len(offsets) - 1)]
        for leg in range(legs):
            slack = slack_of(ground, plans[leg], last - frame)
            move = Move(frames.root[frame], root[k], plans[leg, 0], UNMOVED * ground.leg, True, slack, SOFT)
            missed[k, leg] = lead_limb(bones, leg, move, frame_offsets, rotations[k], limbs)
    counts[3] = given


@uncounted
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
