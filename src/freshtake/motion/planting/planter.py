"""Plant feet: in clips and pinned clips, and in streams with constant delay and constant memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion.body.roles import leg_length, pelvis
from freshtake.motion.clip import Clip
from freshtake.motion.pins import Pin
from freshtake.motion.planting.contacts import SYNTHESIZED, ContactSettings, PlantSettings
from freshtake.motion.planting.pinning import pinned_clip, pinned_root
from freshtake.motion.planting.planting_kernels import plant_frames
from freshtake.motion.planting.planting_model import PlantingModel, checked_labels, learn_planting, own_planting_model
from freshtake.motion.planting.rig import Frames, Ground, Memory, Pace, PlantedFrames, Scene
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.curves import runs
from freshtake.numeric.rotations import angle_between

NO_LEGS = "the skeleton has no legs that can be recognized: name their joints in a mapping"


class StreamFrame(NamedTuple):
    """Frames of a stream: root (frames, 3) and local rotations (frames, joints, 4)."""

    root: Floats
    rotations: Floats


class PlanterState(NamedTuple):
    """The state of a planter: buffered frames, the feet's offsets, the progress of each stage (see `plant_frames`)."""

    frames: Frames
    memory: Memory
    counts: Ints
    offsets: Floats  # (1 or frames, joints, 3): from each joint's parent to the joint


@dataclass(frozen=True)
class Planter:
    """Plants feet, both in streams and in clips.

    state = planter.start(); state, out = planter.feed(state, root, rotations, contacts) for one frame or a block of
    them, repeatedly; out = planter.finish(state) returns the last `latency` frames. `careful` leaves alone feet that
    step or do not carry the body, whatever the contacts are.
    """

    base: PlantingModel
    settings: PlantSettings
    frame_time: float
    careful: bool = True

    @classmethod
    def learn(
        cls, examples: PlantingModel | Sequence[Clip], settings: PlantSettings | None = None, *, careful: bool = True
    ) -> Planter:
        """Learn a planter for streams like the examples."""
        base = examples if isinstance(examples, PlantingModel) else learn_planting(examples)
        if not base.feet:
            raise UsageError(NO_LEGS)
        return cls(base, settings or PlantSettings(), base.frame_time, careful)

    @property
    def latency(self) -> int:
        """The number of frames fed before the first is returned."""
        return self.pace.horizon + self.pace.wait

    @cached_property
    def pace(self) -> Pace:
        """The settings in frames."""
        return pace(self.settings, self.frame_time, leg_length(self.base.skeleton), self.careful)

    @cached_property
    def ground(self) -> Ground:
        """The floor as plain arrays."""
        skeleton, counts = self.base.skeleton, np.array([len(foot.joints) for foot in self.base.feet], dtype=np.intp)
        toes = np.cumsum(counts) - 1
        heights = self.base.floor[toes]
        below = np.maximum(self.base.floor[toes - counts + 1] - heights, 0.0)
        soles = np.repeat(heights, 2).reshape(-1, 2, 1) + np.array([0.0, self.pace.band])
        depth = len(skeleton.chain(pelvis(skeleton))) - 1
        return Ground("xyz".index(self.base.up), leg_length(skeleton), depth, below, soles)

    def around(self, frames: int) -> tuple[int, int]:
        """Return how many frames of a loop must be played before it, and in total, to plant both ends equally."""
        # After 1.5 s, planting has forgotten where it began.
        before = int(np.ceil(1.5 / self.frame_time))
        return before, before + frames + 1 + self.latency

    def start(self) -> PlanterState:
        """Return the state before the first frame."""
        offsets = self.base.skeleton.offsets
        return _first_state(empty_frames(0, len(offsets), len(self.base.legs)), np.ascontiguousarray(offsets)[None])

    def feed(
        self, state: PlanterState, root: npt.ArrayLike, rotations: npt.ArrayLike, contacts: npt.ArrayLike
    ) -> tuple[PlanterState, StreamFrame]:
        """Feed one frame (3,), (joints, 4), (feet,) or a block; return the frames that are ready, possibly none.

        A refused frame leaves the state unchanged.
        """
        places, turns = _checked_poses(root, rotations, len(self.base.skeleton))
        labels = checked_labels(np.atleast_2d(np.asarray(contacts, dtype=np.float64)), len(places), self.base.feet)
        state = _appended(state, places, turns, labels)
        return state, StreamFrame(*self._advance(state, False)[:2])

    def finish(self, state: PlanterState) -> StreamFrame:
        """Return the remaining frames at the end of the stream."""
        nothing = np.zeros((0, 3)), np.zeros((0, len(self.base.skeleton), 4)), np.zeros((0, len(self.base.legs), 2))
        return StreamFrame(*self._advance(_appended(state, *nothing), True)[:2])

    def plant_clip(self, clip: Clip, labels: Floats) -> PlantedFrames:
        """Plant a clip as a stream fed all at once."""
        frames = empty_frames(len(clip), len(clip.skeleton), len(self.base.legs))
        frames.root[:], frames.rotations[:], frames.strength[:] = clip.root, clip.rotations, labels
        return self._advance(_first_state(frames, clip.bone_offsets()), True)

    def _advance(self, state: PlanterState, ended: bool) -> PlantedFrames:
        """Plant all frames that can be planted now; fill the state's arrays in place."""
        before, legs = int(state.counts[3]), len(self.base.legs)
        waiting = len(state.frames.root) - before
        most = waiting if ended else max(waiting - self.latency, 0)
        out = PlantedFrames(
            np.empty((most, 3)), np.empty((most, len(self.base.skeleton), 4)), np.zeros((most, legs)),
            np.zeros((most, legs)),
        )  # fmt: skip
        scene = Scene(self.ground, self.pace, state.frames, state.memory)
        plant_frames(self.base.bones, scene, state.offsets, state.counts, ended, out)
        return PlantedFrames(*(part[: int(state.counts[3]) - before] for part in out))


def _checked_poses(root: npt.ArrayLike, rotations: npt.ArrayLike, joints: int) -> tuple[Floats, Floats]:
    """Return finite arrays (frames, 3) and (frames, joints, 4), also from a single frame."""
    places, turns = (np.asarray(values, dtype=np.float64) for values in (root, rotations))
    if places.ndim == 1:
        places, turns = places[None], turns[None]
    if places.ndim != 2 or places.shape[1] != 3 or turns.shape != (len(places), joints, 4):
        raise InvalidMotion(
            f"a frame to be planted has a position of 3 numbers and {joints} rotations of 4, but positions are "
            f"{places.shape} and rotations {turns.shape}"
        )
    for values, what in ((places, "place"), (turns, "rotation")):
        if not np.isfinite(values).all():
            raise InvalidMotion(f"a {what} to be planted is not finite: leave that frame out")
    return places, turns


def _appended(state: PlanterState, root: Floats, rotations: Floats, strength: Floats) -> PlanterState:
    """Return a copy of the state with frames appended; frames that are no longer used are dropped."""
    # Keep three frames before the next frame to be settled: offsets continue from them.
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


def pace(settings: PlantSettings, frame_time: float, leg: float, careful: bool) -> Pace:
    """Return the settings for a frame rate and a body's size."""

    def frames(seconds: float, least: int = 1) -> int:
        return max(least, round(seconds / frame_time))

    # A hard-locked foot does not drift: the time constant is a minute.
    hold, drift = (settings.hold, settings.drift) if settings.lock == "soft" else (settings.hard_hold, 60.0)
    reach, bridged = frames(0.5 * ContactSettings.window), frames(ContactSettings.bridged)
    shortest = frames(ContactSettings.shortest, 2)
    resting = settings.rests * leg * frame_time
    # Hips sink within 0.08 s and rise again within 0.16 s, more slowly than feet, or they would visibly shake.
    # A contact ends at 1.5 times the speed at which it begins, so it does not flicker.
    return Pace(
        frames(settings.lookahead, 3), (frame_time / hold) ** 6, (frame_time / settings.hold) ** 6,
        (frame_time / settings.swing) ** 6,
        frames(settings.ramp), frame_time / drift, settings.drift_radius * leg, settings.band * leg,
        settings.step * leg, settings.sink * leg, reach, bridged, shortest, reach + max(bridged, shortest),
        int(careful), SYNTHESIZED.height_on * leg, SYNTHESIZED.height_off * leg, settings.steps * leg * frame_time,
        1.5 * settings.steps * leg * frame_time, resting * ContactSettings.speed_on,
        resting * ContactSettings.speed_off, (frame_time / 0.08) ** 6, (frame_time / 0.16) ** 6,
    )  # fmt: skip


def empty_frames(count: int, joints: int, legs: int) -> Frames:
    """Return empty frames."""
    return Frames(
        np.empty((count, 3)), np.empty((count, joints, 4)), np.empty((count, legs, 2)), np.empty((count, legs, 4, 3)),
        np.zeros((count, legs), dtype=np.int8), np.zeros((count, legs, 2), dtype=np.int8),
        np.zeros((count, legs, 2), dtype=np.int8),
        np.full((count, legs), -1, dtype=np.int32), np.zeros((count, legs, 2)),
        np.zeros((count, legs)), np.zeros((count, legs, 2)),
    )  # fmt: skip


def fresh_memory(legs: int) -> Memory:
    """Return the memory before the first frame."""
    return Memory(np.zeros((legs, 3, 3)), np.zeros((3, 1)), np.zeros(1, dtype=np.intp), np.zeros((legs, 2)))


def _first_state(frames: Frames, offsets: Floats) -> PlanterState:
    """Return the state before any frame has been examined."""
    return PlanterState(frames, fresh_memory(frames.strength.shape[1]), np.zeros(4, dtype=np.intp), offsets)


class PlantedContact(NamedTuple):
    """A foot planted in frames start to stop (exclusive), the mean place of its toe, and the distance from its goal."""

    joint: str
    start: int
    stop: int
    place: tuple[float, float, float]
    residual: float


class PinResult(NamedTuple):
    """The largest distance by which a pin was missed, in the clip's unit."""

    pin: Pin
    residual: float


@dataclass(frozen=True)
class PlantReport:
    """The changes made by planting, and its errors; lengths are in the clip's unit, angles in degrees.

    `residual` is the largest distance by which a leg missed the goal of a planted foot, `root_shift` the largest move
    of the root, `change` the mean rotation of the legs' joints outside contacts and `change_held` during contacts.
    """

    contacts: tuple[PlantedContact, ...]
    pins: tuple[PinResult, ...]
    residual: float
    root_shift: float
    change: float
    change_held: float

    def summary(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        pins = [
            {"joint": p.joint, "start": p.start, "stop": p.stop, "hard": p.hard, "residual": residual}
            for p, residual in self.pins
        ]
        return {**vars(self), "contacts": [contact._asdict() for contact in self.contacts], "pins": pins}


@dataclass(frozen=True, eq=False)
class Planted:
    """The clip with planted feet, the clip before, the planted frames, and the requested pins."""

    clip: Clip
    before: Clip
    base: PlantingModel
    frames: PlantedFrames
    requested: tuple[Pin, ...] = ()

    @cached_property
    def report(self) -> PlantReport:
        """The report on changes and misses."""
        before, after, out = self.before, self.clip, self.frames
        positions = after.positions()
        turned = np.degrees(angle_between(before.rotations, after.rotations))
        contacts: list[PlantedContact] = []
        outside, during = [np.zeros(0)], [np.zeros(0)]
        for number, limb in enumerate(self.base.legs):
            contact_strength, joint = out.contact_strengths[:, number], limb.points[-1]
            for start, stop in runs(contact_strength >= 0.999):
                x, y, z = positions[start:stop, joint].mean(axis=0).tolist()
                missed = float(out.missed[start:stop, number].max())
                contacts.append(PlantedContact(after.skeleton.names[limb.end], start, stop, (x, y, z), missed))
            path = after.skeleton.chain(joint)
            joints = path[path.index(limb.upper) :]
            outside.append(turned[contact_strength == 0.0][:, joints].ravel())
            during.append(turned[contact_strength > 0.0][:, joints].ravel())
        change, change_held = (
            float(np.mean(turns)) if len(turns) else 0.0 for turns in map(np.concatenate, (outside, during))
        )
        return PlantReport(
            tuple(contacts), self.pins, max((contact.residual for contact in contacts), default=0.0),
            float(np.linalg.norm(after.root - before.root, axis=1).max()), change, change_held,
        )  # fmt: skip

    @cached_property
    def pins(self) -> tuple[PinResult, ...]:
        """The distance by which each pin was missed."""
        positions = self.clip.positions() if self.requested else np.zeros(0)
        out = []
        for pin in self.requested:
            here = positions[pin.start : pin.stop, self.clip.skeleton.index(pin.joint)]
            # A pin without a position keeps the joint at its mean position.
            goal = here.mean(axis=0) if pin.position is None else np.asarray(pin.position)
            out.append(PinResult(pin, float(np.linalg.norm(here - goal, axis=1).max())))
        return tuple(out)


def plant(
    clip: Clip,
    contacts: npt.ArrayLike | None = None,
    *,
    pins: Sequence[Pin] = (),
    examples: PlantingModel | Sequence[Clip] = (),
    floor: npt.ArrayLike | None = None,
    settings: PlantSettings | None = None,
    careful: bool | None = None,
) -> Planted:
    """Keep feet in place during contacts and move pinned joints to their pins (Lau 2009, §7).

    `contacts` (frames, feet) or (frames, foot joints) are 0 to 1; by default they are taken from the nearest poses of
    `examples` if given, else from the clip itself. `careful` leaves alone feet that step or do not carry the body,
    whatever the contacts are; the default is to do so unless contacts are given. `floor` gives the height of every
    planted foot joint, or one for all; by default the height in the examples or the clip. Ranges and hinges of the
    joints are learned from the same clips. For many clips, or if limbs must be named, pass the result of
    `learn_planting` as `examples`; it contains the floor.
    """
    for pin in pins:
        pin.check(clip)
    if isinstance(examples, PlantingModel):
        base = examples
    elif len(examples):
        base = learn_planting(examples, floor=floor)
    else:
        base = own_planting_model(clip, floor=floor)
    base.check(clip)
    if not base.feet and contacts is not None:
        raise UsageError(NO_LEGS)
    labels = checked_labels(base.contacts(clip) if contacts is None else contacts, len(clip), base.feet)
    careful = contacts is None if careful is None else careful
    led = pinned_root(clip, pins) if pins else clip
    out = _planter(base, settings or PlantSettings(), clip.frame_time, careful).plant_clip(led, labels)
    # If no foot was moved, the clip keeps its file's channels.
    if out.contact_strengths.any() or out.missed.any() or (out.rotations != led.rotations).any():
        led = led.changed(root=out.root, rotations=out.rotations)
    return Planted(pinned_clip(led, base, pins) if pins else led, clip, base, out, tuple(pins))


@lru_cache(maxsize=16)
def _planter(base: PlantingModel, settings: PlantSettings, frame_time: float, careful: bool) -> Planter:
    """Return the planter for a body and a frame rate, which many clips share."""
    return Planter(base, settings, frame_time, careful)
