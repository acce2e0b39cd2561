"""The unit of length where no file states it: guessed from the leg length of a two-legged body."""

from __future__ import annotations

from typing import NamedTuple

from freshtake.motion.body.roles import feet, leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.kinds import MeshSequence, PointClip
from freshtake.motion.skeleton import Skeleton

# From the pelvis over the hip to the ankle, in metres: people of 1.4 to 2.1 m. Joints of people in the CMU and ACCAD
# libraries give 0.87 to 1.05. The ranges of two units do not overlap.
LEGS = (0.75, 1.15)


class LengthUnit(NamedTuple):
    """What a unit is called, how it may be written for short, and how many metres it is."""

    name: str
    short: str
    metres: float


UNITS = (
    LengthUnit("metres", "m", 1.0),
    LengthUnit("centimetres", "cm", 0.01),
    LengthUnit("millimetres", "mm", 0.001),
    LengthUnit("decimetres", "dm", 0.1),
    LengthUnit("inches", "in", 0.0254),
    LengthUnit("feet", "ft", 0.3048),
    LengthUnit("CMU units of 5.644 cm", "cmu", 0.0254 / 0.45),
)


def guess_unit(skeleton: Skeleton) -> LengthUnit | None:
    """The unit in which a body has the legs of a person; None where no unit does, or there are not two feet."""
    if len(feet(skeleton)) != 2:
        return None
    leg = leg_length(skeleton)
    return next((unit for unit in UNITS if LEGS[0] <= leg * unit.metres <= LEGS[1]), None)


def unit_name(unit_m: float) -> str:
    """In words: "centimetres", or "units of 0.3 m" where the unit has no name."""
    named = (unit.name for unit in UNITS if abs(unit_m / unit.metres - 1.0) < 1e-3)
    return next(named, f"units of {unit_m:g} m")


def unit_of(motion: Clip | PointClip | MeshSequence) -> float | None:
    """Metres per unit: as the motion says, else guessed from a clip's body."""
    if motion.unit_m is not None or not isinstance(motion, Clip):
        return motion.unit_m
    guess = guess_unit(motion.skeleton)
    return None if guess is None else guess.metres
