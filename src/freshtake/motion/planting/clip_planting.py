"""Plant the feet of a clip and meet its pins; the report is measured on first use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.body.limbs import Limb, LimbNames
from freshtake.motion.clip import Clip
from freshtake.motion.pins import Pin, check_pins
from freshtake.motion.planting.contacts import ContactSettings, runs
from freshtake.motion.planting.pinning import pinned_clip, pinned_root
from freshtake.motion.planting.planter import NO_LEGS, Planter, PlanterState
from freshtake.motion.planting.planting_model import (
    PlantingModel,
    checked_labels,
    learn_planting,
    own_planting_model,
    spread_labels,
)
from freshtake.motion.planting.rig import PlantedFrames, PlantSettings, empty_frames, fresh_memory
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import angle_between


class PlantedContact(NamedTuple):
    """A foot that was held in frames start to stop (exclusive): where its toe was, how far its goal was missed."""

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
    """Lengths are in the clip's unit, angles in degrees.

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
        """Plain values, for JSON."""
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
        return make_report(self.before, self.clip, self.base, self.frames, self.pins)

    @cached_property
    def pins(self) -> tuple[PinResult, ...]:
        """How well every pin was met."""
        positions = self.clip.positions() if self.requested else np.zeros(0)
        return tuple(_pin(self.clip, positions, pin) for pin in self.requested)


def make_report(
    before: Clip, after: Clip, base: PlantingModel, out: PlantedFrames, pins: Sequence[PinResult]
) -> PlantReport:
    """What was changed, and what was missed."""
    positions = after.positions()
    turned = np.degrees(angle_between(before.rotations, after.rotations))
    contacts: list[PlantedContact] = []
    free, held = [np.zeros(0)], [np.zeros(0)]
    for number, limb in enumerate(base.legs):
        contact_strength = out.contact_strengths[:, number]
        contacts += _contacts(after, positions, limb, contact_strength, out.missed[:, number])
        path = after.skeleton.chain(limb.points[-1])
        joints = path[path.index(limb.upper) :]
        free.append(turned[contact_strength == 0.0][:, joints].ravel())
        held.append(turned[contact_strength > 0.0][:, joints].ravel())
    return PlantReport(
        tuple(contacts),
        tuple(pins),
        max((contact.residual for contact in contacts), default=0.0),
        float(np.linalg.norm(after.root - before.root, axis=1).max()),
        _mean(np.concatenate(free)),
        _mean(np.concatenate(held)),
    )


def _contacts(
    after: Clip, positions: Floats, limb: Limb, contact_strength: Floats, missed: Floats
) -> list[PlantedContact]:
    """Runs of frames in which a contact is firmly held."""
    contacts = []
    joint = limb.points[-1]
    for start, stop in runs(contact_strength >= 0.999):
        x, y, z = positions[start:stop, joint].mean(axis=0).tolist()
        contacts.append(
            PlantedContact(after.skeleton.names[limb.end], start, stop, (x, y, z), float(missed[start:stop].max()))
        )
    return contacts


def _pin(after: Clip, positions: Floats, pin: Pin) -> PinResult:
    """How far the joint is from the pin's place; from its mean there, where the pin names no place."""
    here = positions[pin.start : pin.stop, after.skeleton.index(pin.joint)]
    wanted = here.mean(axis=0) if pin.position is None else np.asarray(pin.position)
    return PinResult(pin, float(np.linalg.norm(here - wanted, axis=1).max()))


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0


def plant(
    clip: Clip,
    contacts: npt.ArrayLike | None = None,
    *,
    pins: Sequence[Pin] = (),
    examples: PlantingModel | Sequence[Clip] = (),
    floor: npt.ArrayLike | None = None,
    mapping: LimbNames | None = None,
    finding: ContactSettings | None = None,
    settings: PlantSettings | None = None,
    careful: bool | None = None,
) -> Planted:
    """Hold feet where they stand and bring pinned joints to their places (Lau 2009, §7).

    `contacts` (frames, feet) or (frames, foot joints), 0 to 1, say when feet stand; by default they are found: in the
    nearest poses of `examples` where these are given, else in the clip itself. `careful` leaves feet alone that step or
    that the body does not stand on, whatever the contacts say; by default only where contacts are found. `floor`
    gives the standing height of every foot joint, or one for all; default: that of the examples or of the clip. Ranges
    and hinges of the joints are learned from the same clips. For many clips, give what `learn_planting` learned as
    `examples`; floor, mapping and finding are then its own.
    """
    check_pins(pins, clip)
    if isinstance(examples, PlantingModel):
        base = examples
    elif len(examples):
        base = learn_planting(examples, floor=floor, mapping=mapping, finding=finding)
    else:
        base = own_planting_model(clip, floor=floor, mapping=mapping, finding=finding)
    base.check(clip)
    if not base.feet and contacts is not None:
        raise UsageError(NO_LEGS)
    labels = checked_labels(base.contacts(clip) if contacts is None else contacts, len(clip), base.feet)
    planter = _planter(
        base, settings or PlantSettings(), clip.frame_time, contacts is None if careful is None else careful
    )
    led = pinned_root(clip, pins)
    out = planted_frames(planter, led, labels)
    planted = (
        _changed(led, out)
        if out.contact_strengths.any() or out.missed.any() or (out.rotations != led.rotations).any()
        else led
    )
    planted = pinned_clip(planted, base, pins)
    return Planted(planted, clip, base, out, tuple(pins))


@lru_cache(maxsize=16)
def _planter(base: PlantingModel, settings: PlantSettings, frame_time: float, careful: bool) -> Planter:
    """Planters hold the body as plain arrays, which many clips share."""
    return Planter(base, settings, frame_time, careful)


def planted_frames(planter: Planter, clip: Clip, labels: Floats) -> PlantedFrames:
    """A clip is a stream that is fed at once."""
    legs = len(planter.base.legs)
    frames = empty_frames(len(clip), len(clip.skeleton), legs)
    frames.root[:], frames.rotations[:] = clip.root, clip.rotations
    frames.strength[:] = spread_labels(labels, planter.base.feet)
    offsets = clip.skeleton.offsets[None] if clip.joint_translations is None else clip.joint_translations
    counts = np.zeros(4, dtype=np.intp)
    state = PlanterState(frames, fresh_memory(legs), counts, np.ascontiguousarray(offsets))
    return planter.advance(state, True)


def _changed(clip: Clip, out: PlantedFrames) -> Clip:
    """The clip with the root and rotations that were found."""
    moved = clip.joint_translations
    if moved is None:
        return clip.with_own(out.root, out.rotations)
    moved = moved.copy()
    moved[:, 0] = out.root
    return clip.changed(root=out.root, rotations=out.rotations, joint_translations=moved)
