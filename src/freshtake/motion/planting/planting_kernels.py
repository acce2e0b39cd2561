"""Advance all stages of planting as far as the known frames allow, compiled."""

import math
from typing import NamedTuple

import numpy as np

from freshtake.motion.planting.foot_plans import (
    classify,
    find_lifts,
    longest_reach,
    place_legs,
    plan_foot,
    plan_sink,
    settle,
    slack_of,
)
from freshtake.motion.planting.limb_leading import SOFT, LimbScratch, Move, lead_limb, limb_scratch
from freshtake.motion.planting.rig import Bones, Memory, PlantedFrames, Scene
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled, uncounted
from freshtake.numeric.limb_kernels import copy_into
from freshtake.numeric.smooth_path import PathScratch, path_scratch


class PlantScratch(NamedTuple):
    """Workspace for planting, allocated once for many frames."""

    limbs: LimbScratch
    plans: Floats  # (legs, frames, 3)
    firm: Floats  # (legs, frames)
    paths: PathScratch


@compiled
def plant_frames(bones: Bones, scene: Scene, offsets: Floats, counts: Ints, ended: bool, out: PlantedFrames) -> None:
    """Advance all stages as far as the known frames allow.

    `counts` (5,): numbers of frames ingested, classified, settled and returned, and 1 if frames before the buffer's
    first were returned. Planted frames are written to `out`, starting at 0.
    """
    size, legs = scene.pace.horizon + 1, scene.frames.points.shape[1]
    scratch = PlantScratch(limb_scratch(bones), np.empty((legs, size, 3)), np.empty((legs, size)), path_scratch(size))
    _plant_frames(bones, scene, offsets, counts, ended, scratch, out)


@uncounted
def _plant_frames(
    bones: Bones, scene: Scene, offsets: Floats, counts: Ints, ended: bool, scratch: PlantScratch, out: PlantedFrames
) -> None:
    ground, pace, frames, memory = scene
    root, rotations, contact_strengths, missed = out
    limbs, plans, firm, paths = scratch
    fed = len(frames.root)
    for frame in range(counts[0], fed):
        place_legs(bones, ground, offsets, frames, frame, limbs.path.places, limbs.path.turns)
        frame_offsets = offsets[min(frame, len(offsets) - 1)]
        for leg in range(frames.points.shape[1]):
            hip, ankle = frames.points[frame, leg, 0], frames.points[frame, leg, 1]
            frames.longest[frame, leg] = longest_reach(bones, leg, frame_offsets, hip, ankle)
    counts[0] = fed
    # Each stage waits for the frames that it looks ahead to; at the end there are none left to wait for.
    classified = fed if ended else max(fed - pace.reach, counts[1])
    for frame in range(counts[1], classified):
        classify(ground, pace, frames, frame, fed)
    counts[1] = classified
    settled = fed if ended else max(fed - pace.wait, counts[2])
    for frame in range(counts[2], settled):
        settle(ground, pace, frames, frame, classified, frame > 0)
        find_lifts(ground, pace, frames, frame)
    counts[2] = settled
    returned = settled if ended else max(settled - pace.horizon, counts[3])
    size, legs = pace.horizon + 1, frames.points.shape[1]
    for frame in range(counts[3], returned):
        k = frame - counts[3]
        last = min(frame + size, settled)
        for leg in range(legs):
            plan_foot(scene, leg, frame, last, paths, plans[leg], firm[leg])
            contact_strengths[k, leg] = firm[leg, 0]
        # Legs that cannot reach make the hips sink rather than stretching or losing the floor.
        sink = plan_sink(scene, frame, last, paths, plans, firm)
        remember(memory, plans, sink)
        copy_into(frames.root[frame], root[k])
        # Limit the sinking of the hips softly: a hard limit would be visible as a jolt.
        root[k, ground.up] -= pace.sink * math.tanh(sink / pace.sink) if sink != 0.0 else 0.0
        for joint in range(rotations.shape[1]):
            copy_into(frames.rotations[frame, joint], rotations[k, joint])
        frame_offsets = offsets[min(frame, len(offsets) - 1)]
        for leg in range(legs):
            slack = slack_of(ground, plans[leg], last - frame)
            # With a smaller offset the foot is already at its goal.
            move = Move(frames.root[frame], root[k], plans[leg, 0], 1e-9 * ground.leg, True, slack, SOFT)
            missed[k, leg] = lead_limb(bones, leg, move, frame_offsets, rotations[k], limbs)
    counts[3] = returned


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
