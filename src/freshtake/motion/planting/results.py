"""What planting did, and how well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from freshtake.motion.pins import Pin


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
