"""Base: how a file's joints above the body stand, for rigs whose first joint does not travel with it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from freshtake.motion.validation import frozen, frozen_quaternions
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import multiply, rotate


@dataclass(frozen=True, eq=False)
class Base:
    """What `rooting.as_filed` needs to give a clip the form of its file again.

    `chain` runs from joint 0 to the joint that carries the body; `mover` is the one of them that holds the travel in
    the file. `translations` (chain, 3) and `rotations` (chain, 4) are the file's local transforms of the chain in its
    first frame (zero and none where they are the body's), `offsets` (joints, 3) the file's offsets. `carried` are the
    first joints that move on branches beside the body, such as targets of inverse kinematics. With `follows` (root
    motion) joint 0 goes along under the body: its translation is its height, and how far it is from the body along the
    ground.
    """

    chain: tuple[int, ...]
    mover: int
    translations: Floats
    rotations: Floats
    offsets: Floats
    carried: tuple[int, ...] = ()
    follows: bool = False

    def __post_init__(self) -> None:
        put, length = object.__setattr__, len(self.chain)
        put(self, "translations", frozen(self.translations, "translations", (length, 3)))
        put(self, "rotations", frozen_quaternions(self.rotations, "rotations", (length, 4)))
        put(self, "offsets", frozen(self.offsets, "offsets", (None, 3)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Base):
            return NotImplemented
        plain = ("chain", "mover", "carried", "follows")
        return all(getattr(self, name) == getattr(other, name) for name in plain) and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("translations", "rotations", "offsets")
        )

    def __hash__(self) -> int:
        return hash((self.chain, self.mover, self.carried))

    @property
    def joint(self) -> int:
        """The joint that carries the body."""
        return self.chain[-1]

    def scaled(self, factor: float) -> Base:
        """All lengths times a factor."""
        return replace(self, translations=self.translations * factor, offsets=self.offsets * factor)

    def tilted(self, turn: Floats) -> Base:
        """Turned as a whole (quaternion): the first joint turns, and the others with it."""
        translations, rotations = self.translations.copy(), self.rotations.copy()
        translations[0] = rotate(turn, translations[0])
        if len(self.chain) > 1:
            rotations[0] = multiply(turn, rotations[0])
        return replace(self, translations=translations, rotations=rotations)
