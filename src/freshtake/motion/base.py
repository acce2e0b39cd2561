"""Base: the joints above the body in a file, for rigs whose first joint does not travel with the body."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from freshtake.errors import InvalidMotion
from freshtake.motion.validation import Parts, frozen, frozen_quaternions
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import multiply, rotate


@dataclass(frozen=True, eq=False)
class Base:
    """Everything `rooting.as_filed` needs to restore the form of a clip's file.

    `chain` runs from joint 0 to the joint that carries the body; `mover` is the joint among them that carries the
    travel in the file. `translations` (chain, 3) and `rotations` (chain, 4) are the file's local transforms of the
    chain in its first frame (zero and identity if they are the body's), `offsets` (joints, 3) the file's offsets.
    `carried` are the first joints that move on branches next to the body, such as targets of inverse kinematics. With
    `follows` (root motion), joint 0 moves along under the body: its translation is its height and its distance from the
    body along the ground. `led` are pairs of a carried joint and the body's joint that it follows in all takes (such as
    ik_foot_l and foot_l), with its position (pairs, 3) and rotation (pairs, 4) in that joint's frame.
    """

    chain: tuple[int, ...]
    mover: int
    translations: Floats
    rotations: Floats
    offsets: Floats
    carried: tuple[int, ...] = ()
    follows: bool = False
    led: tuple[tuple[int, int], ...] = ()
    led_places: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    led_turns: Floats = field(default_factory=lambda: np.zeros((0, 4)))

    def __post_init__(self) -> None:
        put, length = object.__setattr__, len(self.chain)
        put(self, "led_places", frozen(self.led_places, "led_places", (len(self.led), 3)))
        put(self, "led_turns", frozen_quaternions(self.led_turns, "led_turns", (len(self.led), 4)))
        put(self, "translations", frozen(self.translations, "translations", (length, 3)))
        put(self, "rotations", frozen_quaternions(self.rotations, "rotations", (length, 4)))
        put(self, "offsets", frozen(self.offsets, "offsets", (None, 3)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Base):
            return NotImplemented
        plain = ("chain", "mover", "carried", "follows", "led")
        return all(getattr(self, name) == getattr(other, name) for name in plain) and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("translations", "rotations", "offsets", "led_places", "led_turns")
        )

    def __hash__(self) -> int:
        return hash((self.chain, self.mover, self.carried))

    @property
    def joint(self) -> int:
        """The joint that carries the body."""
        return self.chain[-1]

    def scaled(self, factor: float) -> Base:
        """Return the base with all lengths times a factor."""
        lengths = {name: getattr(self, name) * factor for name in ("translations", "offsets", "led_places")}
        return replace(self, **lengths)

    def tilted(self, turn: Floats) -> Base:
        """Rotate the base by a quaternion: the first joint rotates, and the others with it."""
        translations, rotations = self.translations.copy(), self.rotations.copy()
        translations[0] = rotate(turn, translations[0])
        if len(self.chain) > 1:
            rotations[0] = multiply(turn, rotations[0])
        return replace(self, translations=translations, rotations=rotations)

    def parts(self) -> Parts:
        """Return the header and arrays from which `from_parts` rebuilds the base."""
        header: dict[str, Any] = {"chain": list(self.chain), "mover": self.mover, "carried": list(self.carried)}
        header["follows"] = self.follows
        arrays = {name: getattr(self, name) for name in ("translations", "rotations", "offsets")}
        if self.led:
            header["led"] = [list(pair) for pair in self.led]
            arrays |= {"led_places": self.led_places, "led_turns": self.led_turns}
        return Parts(header, arrays)

    @classmethod
    def from_parts(cls, parts: Parts) -> Base:
        """Return the base from its `parts`."""
        chain, carried = (parts.listed(name, "joints", int) for name in ("chain", "carried"))
        stored = [parts.array(name) for name in ("translations", "rotations", "offsets")]
        follows: bool = parts.field("follows", bool)
        base = cls(chain, parts.field("mover", int), stored[0], stored[1], stored[2], carried, follows)
        if "led" not in parts.header:
            return base
        pairs = parts.listed("led", "pairs of joints", list, tuple)
        if not all(len(pair) == 2 and isinstance(pair[0], int) for pair in pairs):
            raise InvalidMotion("'led' of a stored recipe must be a list of pairs of joints")
        led = tuple((int(joint), int(lead)) for joint, lead in pairs)
        return replace(base, led=led, led_places=parts.array("led_places"), led_turns=parts.array("led_turns"))
