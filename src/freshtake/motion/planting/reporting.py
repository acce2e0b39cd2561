"""What planting gives back: the clip, and a report that is measured on first use.

What planting did, and how well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from freshtake.motion.body.limbs import Limb
from freshtake.motion.clip import Clip
from freshtake.motion.pins import Pin
from freshtake.motion.planting.contacts import runs
from freshtake.motion.planting.planting_model import PlantingModel
from freshtake.motion.planting.rig import PlantedFrames
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import angle_between

FIRM = 0.999


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
    for start, stop in runs(contact_strength >= FIRM):
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
