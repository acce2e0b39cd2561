"""How much variants vary in space, in time, and by body part (Lau 2009, §10, leaves this open)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.roles import body_parts
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats

LARGEST = 4.0
NATURAL = 1.3  # above it, variants leave the range of recorded takes


@dataclass(frozen=True)
class Amount:
    """The amount of variation: 0 is the mean motion, 1 varies like the examples, 4 is the maximum.

    `space` is for poses, `time` for tempo (default: like `space`). `parts` replaces `space` for some of the body:
    {"arms": 1.5, "legs": 0.3, "head": 0.0, "LeftHand": 2.0}, by part, joint or DOF; the last entry counts.
    """

    space: float = 1.0
    time: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check(self.space, "amount")
        if self.time is not None:
            _check(self.time, "amount of time")
        for name, value in self.parts.items():
            _check(value, f"amount of {name!r}")

    @property
    def tempo(self) -> float:
        """The amount in time."""
        return self.space if self.time is None else self.time

    @property
    def largest(self) -> float:
        """The largest of all amounts."""
        return max(self.space, self.tempo, *self.parts.values())

    def per_dof(self, dofs: Sequence[str], skeleton: Skeleton | None) -> Floats:
        """Return the amount of every DOF.

        Args:
            dofs: The DOFs by name.
            skeleton: The skeleton whose body parts can be named; None: only DOFs can.

        Returns:
            (DOFs,). An unknown part raises a UsageError that lists the known ones.
        """
        out = np.full(len(dofs), float(self.space))
        if not self.parts:
            return out
        for name, value in self.parts.items():
            out[dofs_of_parts(dofs, skeleton, [name])] = value
        return out


def amount_of(value: float | Amount) -> Amount:
    """Return a number as an Amount."""
    return value if isinstance(value, Amount) else Amount(value)


def dofs_of_parts(dofs: Sequence[str], skeleton: Skeleton | None, names: Sequence[str]) -> list[int]:
    """Return the numbers of the DOFs of body parts, joints or DOFs by name; an unknown name raises a UsageError."""
    groups = _groups(dofs, skeleton)
    for name in names:
        if name not in groups:
            common = ", ".join(names_of_parts(dofs, skeleton))
            raise UsageError(f"there is no body part, joint or DOF {name!r} to vary: choose from {common}")
    return sorted({number for name in names for number in groups[name]})


def names_of_parts(dofs: Sequence[str], skeleton: Skeleton | None) -> list[str]:
    """Return the names that `parts` accepts, those with most DOFs first; single DOFs are left out."""
    return [name for name in _groups(dofs, skeleton) if name not in dofs]


def _check(value: float, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= LARGEST:
        raise UsageError(f"the {name} must lie between 0 and {LARGEST:g}, but is {value!r}")


def _groups(dofs: Sequence[str], skeleton: Skeleton | None) -> dict[str, list[int]]:
    """Return DOF numbers by name: body parts (also both sides together), joints, DOFs."""
    groups: dict[str, list[int]] = {}
    parts = {} if skeleton is None else dict(zip(skeleton.names, body_parts(skeleton), strict=True))
    for number, dof in enumerate(dofs):
        joint = dof.rpartition(".")[0]
        part = parts.get(joint)
        names = [dof] if not joint else [dof, joint]
        if part is not None:
            names.append(part)
            side, _, limb = part.partition(" ")
            names += [f"{limb}s"] if side in ("left", "right") else []
        for name in names:
            groups.setdefault(name, []).append(number)
    return dict(sorted(groups.items(), key=lambda item: -len(item[1])))
