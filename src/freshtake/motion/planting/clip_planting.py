"""Plant the feet of a clip and meet its pins; the report is measured on first use.

The path of a pinned point is blended to the pin's place and back, and limbs follow it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.body.limbs import Limb
from freshtake.motion.clip import Clip
from freshtake.motion.pins import Pin, check_pins
from freshtake.motion.planting.limb_leading import FULL, PINNED, lead_limbs
from freshtake.motion.planting.planter import NO_LEGS, Planter, PlanterState
from freshtake.motion.planting.planting_model import (
    PlantingModel,
    checked_labels,
    learn_planting,
    own_planting_model,
    spread_labels,
)
from freshtake.motion.planting.rig import PlantedFrames, PlantSettings, empty_frames, fresh_memory, make_bones
from freshtake.numeric.arrays import Floats, runs
from freshtake.numeric.curves import quintic
from freshtake.numeric.rotations import angle_between


class Pinned(NamedTuple):
    """A path (frames, 3) with pins, and how firmly each frame is pinned (frames,), 0 to 1."""

    path: Floats
    contact_strength: Floats


def pinned_path(path: Floats, pins: Sequence[Pin], frame_time: float) -> Pinned:
    """Blend a path to the places of its pins.

    In a pin's frames the path is at its place exactly. Next to them it is (1 - e) path + e place with e from 1 to 0;
    next to a run of frames the place continues as it moved, next to a single frame it moves with the path.
    """
    out, contact_strength = path.copy(), np.zeros(len(path))
    taken = np.zeros(len(path), dtype=bool)
    for pin in pins:
        taken[pin.start : pin.stop] = True
    for pin in pins:
        share = _ease(pin, taken, frame_time)
        place = _place(pin, out)
        out += share[:, None] * (place - out)
        contact_strength = np.maximum(contact_strength, share)
    return Pinned(out, contact_strength)


def _ease(pin: Pin, taken: np.ndarray[tuple[int], np.dtype[np.bool_]], frame_time: float) -> Floats:
    """Return 1 in the pin's frames, quintic ends of its blend time, cut short where another pin is nearer."""
    frames = np.arange(len(taken))
    others = taken.copy()
    others[pin.start : pin.stop] = False
    before, after = np.flatnonzero(others[: pin.start]), pin.stop + np.flatnonzero(others[pin.stop :])
    blend = pin.blend / frame_time + 1.0
    left = min(blend, pin.start - before[-1]) if len(before) else blend
    right = min(blend, after[0] - pin.stop + 1) if len(after) else blend
    outside = np.maximum((pin.start - frames) / left, (frames - pin.stop + 1) / right)
    return quintic(np.clip(1.0 - outside, 0.0, 1.0))


def _place(pin: Pin, path: Floats) -> Floats:
    """Return where the pin puts the point, (frames, 3), in its frames and extrapolated around them."""
    pinned = path[pin.start : pin.stop]
    goal = np.broadcast_to(pinned.mean(axis=0) if pin.position is None else np.asarray(pin.position), pinned.shape)
    out = np.empty_like(path)
    out[pin.start : pin.stop] = goal
    if len(pinned) == 1:
        out[:] = goal[0] + path - pinned[0]
        return out
    before, after = np.arange(-pin.start, 0)[:, None], np.arange(1, len(path) - pin.stop + 1)[:, None]
    out[: pin.start] = goal[0] + before * (goal[1] - goal[0])
    out[pin.stop :] = goal[-1] + after * (goal[-1] - goal[-2])
    return out


def pinned_root(clip: Clip, pins: Sequence[Pin]) -> Clip:
    """Return the clip with its root moved to the root's pins."""
    root_pins = [pin for pin in pins if clip.skeleton.index(pin.joint) == 0]
    return clip.changed(root=pinned_path(clip.root, root_pins, clip.frame_time).path) if root_pins else clip


def pinned_clip(clip: Clip, base: PlantingModel, pins: Sequence[Pin]) -> Clip:
    """Return the clip with limbs led to the pins of their ends; feet stay where they are.

    A hard pin that a limb cannot reach moves the root too, unless the root itself is pinned.
    """
    limb_pins = [pin for pin in pins if clip.skeleton.index(pin.joint) != 0]
    if not limb_pins:
        return clip
    positions = clip.positions()
    goals = [_led(clip, positions, limb, limb_pins) for limb in base.limbs]
    missing = [
        pin for pin in limb_pins if not any(clip.skeleton.index(pin.joint) in limb.points for limb in base.limbs)
    ]
    if missing:
        places = [clip.skeleton.names[j] for limb in base.limbs for j in limb.points]
        raise UsageError(
            f"{missing[0].joint!r} cannot be pinned: pins hold the root ({clip.skeleton.names[0]}) and the ends of "
            f"limbs ({', '.join(places) or 'none were recognized'})"
        )
    root_pinned = pinned_path(
        clip.root, [p for p in pins if clip.skeleton.index(p.joint) == 0], clip.frame_time
    ).contact_strength
    shift = _carried(positions, base.limbs, goals) * (1.0 - root_pinned)[:, None]
    bones = make_bones(clip.skeleton, base.limbs)
    bones.reach[:, 1] = 1.0
    root, rotations = clip.root + shift, clip.rotations.copy()
    feet = np.array([limb.is_leg for limb in base.limbs])
    moves = np.stack([goal.path - positions[:, limb.end] for limb, goal in zip(base.limbs, goals, strict=True)], axis=1)
    free = ~feet & ~np.array([goal.contact_strength.any() for goal in goals])
    moves[:, free] = shift[:, None]  # limbs without pins move with the root
    pinned = {clip.skeleton.index(pin.joint) for pin in limb_pins}
    by_toe = np.array([limb.is_leg and limb.end not in pinned for limb in base.limbs], dtype=np.intp)
    lead_limbs(bones, clip.root, root, clip.bone_offsets(), moves, by_toe, rotations, PINNED)
    return clip.changed(root=root, rotations=rotations)


class LedPath(NamedTuple):
    """The path of a limb's end (frames, 3), how firmly pins hold it (frames,), and how firmly hard ones do."""

    path: Floats
    contact_strength: Floats
    hard: Floats


def _led(clip: Clip, positions: Floats, limb: Limb, pins: Sequence[Pin]) -> LedPath:
    path, contact_strength, hard = positions[:, limb.end].copy(), np.zeros(len(clip)), np.zeros(len(clip))
    for joint in limb.points:
        joint_pins = [pin for pin in pins if clip.skeleton.index(pin.joint) == joint]
        if joint_pins:
            led = pinned_path(positions[:, joint], joint_pins, clip.frame_time)
            path += led.path - positions[:, joint]
            contact_strength = np.maximum(contact_strength, led.contact_strength)
            hard = np.maximum(
                hard, pinned_path(path, [pin for pin in joint_pins if pin.hard], clip.frame_time).contact_strength
            )
    return LedPath(path, contact_strength, hard)


def _carried(positions: Floats, limbs: Sequence[Limb], goals: Sequence[LedPath]) -> Floats:
    """Return the root's shift (frames, 3) that brings hard pins within reach, as firmly as they hold.

    Each limb allows its base a ball around its goal; the shift is projected on one ball after the other.
    """
    shift = np.zeros((len(positions), 3))
    if not any(goal.hard.any() for goal in goals):
        return shift
    # Projecting on one ball moves the shift off another, so all of them are visited several times.
    for _ in range(8):
        for limb, goal in zip(limbs, goals, strict=True):
            base, middle, end = (positions[:, joint] for joint in (limb.upper, limb.middle, limb.end))
            length = np.linalg.norm(middle - base, axis=1) + np.linalg.norm(end - middle, axis=1)
            usual = np.linalg.norm(end - base, axis=1)
            line = goal.path - base - shift
            distance = np.linalg.norm(line, axis=1)
            # Beyond 98.5 % of the length of a limb the root moves too.
            excess = np.maximum(distance - np.maximum(0.985 * length, np.minimum(usual, FULL * length)), 0.0)
            shift += line * (goal.hard * excess / np.maximum(distance, 1e-12))[:, None]
    return shift


class PlantedContact(NamedTuple):
    """A foot held in frames start to stop (exclusive): where its toe was, and by how much its goal was missed."""

    joint: str
    start: int
    stop: int
    place: tuple[float, float, float]
    residual: float


class PinResult(NamedTuple):
    """How far a pin was missed at most, in the clip's unit."""

    pin: Pin
    residual: float


@dataclass(frozen=True)
class PlantReport:
    """What planting changed and missed; lengths are in the clip's unit, angles in degrees.

    `residual` is the largest distance by which a leg missed the goal of a held foot, `root_shift` the farthest that the
    root was moved, `change` the mean turn of the legs' joints while they are not held and `change_held` while they are.
    """

    contacts: tuple[PlantedContact, ...]
    pins: tuple[PinResult, ...]
    residual: float
    root_shift: float
    change: float
    change_held: float

    def summary(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "contacts": [contact._asdict() for contact in self.contacts],
            "pins": [
                {"joint": p.joint, "start": p.start, "stop": p.stop, "hard": p.hard, "residual": residual}
                for p, residual in self.pins
            ],
            "residual": self.residual,
            "root_shift": self.root_shift,
            "change": self.change,
            "change_held": self.change_held,
        }


@dataclass(frozen=True, eq=False)
class Planted:
    """The clip with planted feet, what was planted, and how well pins were met."""

    clip: Clip
    before: Clip
    base: PlantingModel
    frames: PlantedFrames
    requested: tuple[Pin, ...] = ()

    @cached_property
    def report(self) -> PlantReport:
        """What was changed and what was missed."""
        before, after, out = self.before, self.clip, self.frames
        positions = after.positions()
        turned = np.degrees(angle_between(before.rotations, after.rotations))
        contacts: list[PlantedContact] = []
        free, held = [np.zeros(0)], [np.zeros(0)]
        for number, limb in enumerate(self.base.legs):
            contact_strength, joint = out.contact_strengths[:, number], limb.points[-1]
            for start, stop in runs(contact_strength >= 0.999):
                x, y, z = positions[start:stop, joint].mean(axis=0).tolist()
                missed = float(out.missed[start:stop, number].max())
                contacts.append(PlantedContact(after.skeleton.names[limb.end], start, stop, (x, y, z), missed))
            path = after.skeleton.chain(joint)
            joints = path[path.index(limb.upper) :]
            free.append(turned[contact_strength == 0.0][:, joints].ravel())
            held.append(turned[contact_strength > 0.0][:, joints].ravel())
        change, change_held = (
            float(np.mean(turns)) if len(turns) else 0.0 for turns in map(np.concatenate, (free, held))
        )
        return PlantReport(
            tuple(contacts), self.pins, max((contact.residual for contact in contacts), default=0.0),
            float(np.linalg.norm(after.root - before.root, axis=1).max()), change, change_held,
        )  # fmt: skip

    @cached_property
    def pins(self) -> tuple[PinResult, ...]:
        """How well every pin was met."""
        positions = self.clip.positions() if self.requested else np.zeros(0)
        out = []
        for pin in self.requested:
            here = positions[pin.start : pin.stop, self.clip.skeleton.index(pin.joint)]
            # A pin without a position holds the joint at its mean place.
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
    """Hold feet where they stand and bring pinned joints to their places (Lau 2009, §7).

    `contacts` (frames, feet) or (frames, foot joints), 0 to 1, state when feet stand; by default they are found: in the
    nearest poses of `examples` where these are given, else in the clip itself. `careful` leaves feet alone that step or
    that do not carry the body, whatever the contacts are; by default only where contacts are found. `floor`
    gives the standing height of every foot joint, or one for all; default: that of the examples or of the clip. Ranges
    and hinges of the joints are learned from the same clips. For many clips, or where limbs have to be named, give what
    `learn_planting` learned as `examples`; the floor is then taken from it.
    """
    check_pins(pins, clip)
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
    planter = _planter(
        base, settings or PlantSettings(), clip.frame_time, contacts is None if careful is None else careful
    )
    led = pinned_root(clip, pins)
    out = planted_frames(planter, led, labels)
    # A clip in which no foot was moved keeps its file's channels.
    if out.contact_strengths.any() or out.missed.any() or (out.rotations != led.rotations).any():
        led = led.changed(root=out.root, rotations=out.rotations)
    return Planted(pinned_clip(led, base, pins), clip, base, out, tuple(pins))


@lru_cache(maxsize=16)
def _planter(base: PlantingModel, settings: PlantSettings, frame_time: float, careful: bool) -> Planter:
    """Return the planter for a body and a frame rate, which many clips share."""
    return Planter(base, settings, frame_time, careful)


def planted_frames(planter: Planter, clip: Clip, labels: Floats) -> PlantedFrames:
    """Plant a clip as a stream that is fed at once."""
    legs = len(planter.base.legs)
    frames = empty_frames(len(clip), len(clip.skeleton), legs)
    frames.root[:], frames.rotations[:] = clip.root, clip.rotations
    frames.strength[:] = spread_labels(labels, planter.base.feet)
    state = PlanterState(frames, fresh_memory(legs), np.zeros(4, dtype=np.intp), clip.bone_offsets())
    return planter.advance(state, True)
