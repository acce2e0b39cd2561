"""Planter: frames in, frames with planted feet out, after a constant delay and with constant memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion.body.roles import leg_length
from freshtake.motion.clip import Clip
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
from freshtake.motion.planting.planting_model import PlantingModel, checked_labels, learn_planting, spread_labels
from freshtake.motion.planting.rig import (
    Bones,
    Frames,
    Ground,
    Memory,
    Pace,
    PlantedFrames,
    PlantSettings,
    Scene,
    empty_frames,
    fresh_memory,
    pace,
)
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.compiled import compiled, uncounted
from freshtake.numeric.limb_kernels import copy_into
from freshtake.numeric.smooth_path import PathScratch, path_scratch

NO_LEGS = "the skeleton has no legs that can be recognized: name their joints in a mapping"


class PlantScratch(NamedTuple):
    """Workspace for planting, allocated once for many frames."""

    limbs: LimbScratch
    plans: Floats  # (legs, frames, 3)
    firm: Floats  # (legs, frames)
    paths: PathScratch


@compiled
def plant_frames(bones: Bones, scene: Scene, offsets: Floats, counts: Ints, ended: bool, out: PlantedFrames) -> None:
    """Advance all stages as far as the known frames allow.

    `counts` (5,): numbers of frames ingested, classified, settled and returned, and 1 where frames before the buffer's
    first have been returned. Planted frames are written to `out`, from 0 on.
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
    # Each stage waits for the frames that it looks ahead to; at the end there are no more to wait for.
    classified = fed if ended else max(fed - pace.reach, counts[1])
    for frame in range(counts[1], classified):
        classify(ground, pace, frames, frame, fed)
    counts[1] = classified
    settled = fed if ended else max(fed - pace.wait, counts[2])
    for frame in range(counts[2], settled):
        settle(ground, pace, frames, frame, classified, frame > 0)
        find_lifts(ground, pace, frames, frame)
    counts[2] = settled
    given = settled if ended else max(settled - pace.horizon, counts[3])
    size, legs = pace.horizon + 1, frames.points.shape[1]
    for frame in range(counts[3], given):
        k = frame - counts[3]
        last = min(frame + size, settled)
        for leg in range(legs):
            plan_foot(scene, leg, frame, last, paths, plans[leg], firm[leg])
            contact_strengths[k, leg] = firm[leg, 0]
        # Legs that cannot reach make the hips sink, rather than stretch or lose the floor.
        sink = plan_sink(scene, frame, last, paths, plans, firm)
        remember(memory, plans, sink)
        copy_into(frames.root[frame], root[k])
        # Limit the sinking of the hips softly: a hard limit would show as a jolt.
        root[k, ground.up] -= pace.sink * math.tanh(sink / pace.sink) if sink != 0.0 else 0.0
        for joint in range(rotations.shape[1]):
            copy_into(frames.rotations[frame, joint], rotations[k, joint])
        frame_offsets = offsets[min(frame, len(offsets) - 1)]
        for leg in range(legs):
            slack = slack_of(ground, plans[leg], last - frame)
            # With a smaller offset the foot is already at its goal.
            move = Move(frames.root[frame], root[k], plans[leg, 0], 1e-9 * ground.leg, True, slack, SOFT)
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


class StreamFrame(NamedTuple):
    """Frames of a stream: root (frames, 3) and local rotations (frames, joints, 4)."""

    root: Floats
    rotations: Floats


class PlanterState(NamedTuple):
    """The state of a planter: buffered frames, the feet's offsets, how far each stage is (see `plant_frames`).

    `offsets` (1 or frames, joints, 3) lead from each joint's parent to the joint.
    """

    frames: Frames
    memory: Memory
    counts: Ints
    offsets: Floats


@dataclass(frozen=True)
class Planter:
    """Plants feet, in a stream as in a clip.

    state = planter.start(); state, out = planter.feed(state, root, rotations, contacts) for one frame or a block of
    them, repeatedly; out = planter.finish(state) returns the last `latency` frames. `careful` leaves feet
    alone that step, or that do not carry the body, whatever the contacts are.
    """

    base: PlantingModel
    settings: PlantSettings
    frame_time: float
    careful: bool = True

    @classmethod
    def learn(
        cls,
        examples: PlantingModel | Sequence[Clip],
        settings: PlantSettings | None = None,
        *,
        fps: float | None = None,
        careful: bool = True,
    ) -> Planter:
        """Learn a planter for streams like the examples; `fps` if their frame rate differs."""
        base = examples if isinstance(examples, PlantingModel) else learn_planting(examples)
        if not base.feet:
            raise UsageError(NO_LEGS)
        return cls(base, settings or PlantSettings(), base.frame_time if fps is None else 1.0 / fps, careful)

    @property
    def latency(self) -> int:
        """How many frames go in before the first is returned."""
        return self.pace.latency

    @cached_property
    def pace(self) -> Pace:
        """The settings in frames."""
        return pace(self.settings, self.frame_time, leg_length(self.base.skeleton), self.careful)

    @cached_property
    def ground(self) -> Ground:
        """The floor as plain arrays."""
        up = "xyz".index(self.base.up)
        soles = self.base.soles[..., None] + np.array([0.0, self.pace.band])
        return Ground(up, leg_length(self.base.skeleton), self.base.pelvis_depth, self.base.below, soles)

    def around(self, frames: int) -> tuple[int, int]:
        """Return how many frames of a loop to play before it, and in all, so that both its ends are planted alike."""
        # After 1.5 s planting has forgotten where it began.
        before = int(np.ceil(1.5 / self.frame_time))
        return before, before + frames + 1 + self.latency

    def start(self) -> PlanterState:
        """Return the state before the first frame."""
        legs, offsets = len(self.base.legs), self.base.skeleton.offsets
        frames = empty_frames(0, len(offsets), legs)
        return PlanterState(frames, fresh_memory(legs), np.zeros(4, dtype=np.intp), np.ascontiguousarray(offsets)[None])

    def feed(
        self, state: PlanterState, root: npt.ArrayLike, rotations: npt.ArrayLike, contacts: npt.ArrayLike
    ) -> tuple[PlanterState, StreamFrame]:
        """Feed one frame (3,), (joints, 4), (feet,) or a block of frames; return those that are ready, possibly none.

        A frame that is refused leaves the state as it was.
        """
        places, turns = _checked_poses(root, rotations, len(self.base.skeleton))
        labels = checked_labels(np.atleast_2d(np.asarray(contacts, dtype=np.float64)), len(places), self.base.feet)
        state = _grown(state, places, turns, spread_labels(labels, self.base.feet))
        out = self.advance(state, False)
        return state, StreamFrame(out.root, out.rotations)

    def finish(self, state: PlanterState) -> StreamFrame:
        """Return the remaining frames at the end of the stream."""
        nothing = np.zeros((0, 3)), np.zeros((0, len(self.base.skeleton), 4)), np.zeros((0, len(self.base.legs), 2))
        out = self.advance(_grown(state, *nothing), True)
        return StreamFrame(out.root, out.rotations)

    def advance(self, state: PlanterState, ended: bool) -> PlantedFrames:
        """Plant all frames that can be planted now; fill the state's arrays in place."""
        waiting, legs = len(state.frames.root) - int(state.counts[3]), len(self.base.legs)
        most = waiting if ended else max(waiting - self.latency, 0)
        out = PlantedFrames(
            np.empty((most, 3)), np.empty((most, len(self.base.skeleton), 4)), np.zeros((most, legs)),
            np.zeros((most, legs)),
        )  # fmt: skip
        before = int(state.counts[3])
        scene = Scene(self.ground, self.pace, state.frames, state.memory)
        plant_frames(self.base.bones, scene, state.offsets, state.counts, ended, out)
        done = int(state.counts[3]) - before
        return PlantedFrames(*(part[:done] for part in out))

    def stream(self) -> PlantingStream:
        """Return a stream for poses that need no checks."""
        return PlantingStream(self)


class PlantingStream:
    """`feed` and `finish` with separate buffers, which are filled in place instead of copied.

    For generated poses: they are not checked, and there is no earlier state to return to.
    """

    def __init__(self, planter: Planter) -> None:
        self._planter, self._state, self._fed = planter, planter.start(), 0

    def feed(self, root: Floats, rotations: Floats, stands: Bools) -> StreamFrame:
        """Feed frames (frames, 3), (frames, joints, 4), (frames, feet), and return those that are ready."""
        begin, end = self._fed, self._fed + len(root)
        if end > len(self._state.frames.root):
            self._enlarge(len(root))
            begin, end = self._fed, self._fed + len(root)
        frames, self._fed = self._state.frames, end
        frames.root[begin:end], frames.rotations[begin:end], frames.strength[begin:end] = (
            root, rotations, stands[:, :, None],
        )  # fmt: skip
        return self._advanced(False)

    def finish(self) -> StreamFrame:
        """Return the remaining frames at the end of the stream."""
        return self._advanced(True)

    def _advanced(self, ended: bool) -> StreamFrame:
        fed_frames = Frames._make(part[: self._fed] for part in self._state.frames)
        out = self._planter.advance(self._state._replace(frames=fed_frames), ended)
        return StreamFrame(out.root, out.rotations)

    def _enlarge(self, new: int) -> None:
        """Enlarge the buffers, dropping frames that are no longer used."""
        joints, legs = len(self._planter.base.skeleton), len(self._planter.base.legs)
        empty = np.empty((0, 3)), np.empty((0, joints, 4)), np.empty((0, legs, 2))
        whole = self._state
        grown = _grown(whole._replace(frames=Frames._make(part[: self._fed] for part in whole.frames)), *empty)
        self._fed = len(grown.frames.root)
        # Leave space for 256 further frames, so that a stream seldom allocates.
        frames = empty_frames(self._fed + new + 256, joints, legs)
        for part, values in zip(frames, grown.frames, strict=True):
            part[: self._fed] = values
        self._state = grown._replace(frames=frames)


def _checked_poses(root: npt.ArrayLike, rotations: npt.ArrayLike, joints: int) -> tuple[Floats, Floats]:
    """Return (frames, 3) and (frames, joints, 4) of finite numbers, also from a single frame."""
    places, turns = (np.asarray(values, dtype=np.float64) for values in (root, rotations))
    if places.ndim == 1:
        places, turns = places[None], turns[None]
    if places.ndim != 2 or places.shape[1] != 3 or turns.shape != (len(places), joints, 4):
        raise InvalidMotion(
            f"a frame to be planted has a place of 3 numbers and {joints} rotations of 4, but places are "
            f"{places.shape} and rotations {turns.shape}"
        )
    for values, what in ((places, "place"), (turns, "rotation")):
        if not np.isfinite(values).all():
            raise InvalidMotion(f"a {what} to be planted is not finite: leave that frame out")
    return places, turns


def _grown(state: PlanterState, root: Floats, rotations: Floats, strength: Floats) -> PlanterState:
    """Return a copy of the state with frames appended; those no longer used are dropped."""
    # Keep three frames before the next one to be settled: offsets are continued from them.
    drop = max(int(state.counts[3]) - 3, 0)
    old = [part[drop:] for part in state.frames]
    old_count, new = len(old[0]), len(root)
    frames = empty_frames(old_count + new, rotations.shape[1], strength.shape[1])
    for part, values in zip(frames, old, strict=True):
        part[:old_count] = values
    frames.root[old_count:], frames.rotations[old_count:], frames.strength[old_count:] = root, rotations, strength
    offsets, sinks, known, centers = state.memory
    memory = Memory(offsets.copy(), sinks.copy(), known.copy(), centers.copy())
    return PlanterState(frames, memory, state.counts - drop, state.offsets)
