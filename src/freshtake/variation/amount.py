"""How much variants vary in space, in time, and by body part (left open in Lau 2009, §10).

Variants whose bodies would be impossible are redrawn, and vary less if that does not help.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.body.roles import body_parts
from freshtake.motion.body_limits import BodyCheck, BodyLimits
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats

LARGEST = 4.0
NATURAL = 1.3  # amounts above it make variants leave the range of recorded takes
TRIES = 5  # draws at the full amount
SHARES = (0.75, 0.5, 0.25, 0.0)  # fractions of the amount at which the best of these draws is tried again

if TYPE_CHECKING:
    from freshtake.variation.goals.guidance import Guided

Draw: TypeAlias = "Callable[[int, float | Amount], Guided]"  # arguments: number of the attempt, amount of variation


@dataclass(frozen=True)
class Amount:
    """The amount of variation: 0 is the mean motion, 1 varies like the examples, 4 is the maximum.

    `space` is for poses, `time` for tempo (default: like `space`). `parts` replaces `space` for parts of the body:
    {"arms": 1.5, "legs": 0.3, "head": 0.0, "LeftHand": 2.0}, by part, joint or DOF; the last match counts.
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
        """The amount of variation in time."""
        return self.space if self.time is None else self.time

    @property
    def largest(self) -> float:
        """The largest of all amounts."""
        return max(self.space, self.tempo, *self.parts.values())

    def per_dof(self, dofs: Sequence[str], skeleton: Skeleton | None) -> Floats:
        """Return the amount of each DOF.

        Args:
            dofs: The names of the DOFs.
            skeleton: The skeleton whose body parts can be named; if None, only DOFs can.

        Returns:
            (DOFs,). An unknown part raises a UsageError that lists the valid names.
        """
        out = np.full(len(dofs), float(self.space))
        for name, value in self.parts.items():
            out[dofs_of_parts(dofs, skeleton, [name])] = value
        return out


def amount_of(value: float | Amount) -> Amount:
    """Return a number as an Amount."""
    return value if isinstance(value, Amount) else Amount(value)


def dofs_of_parts(dofs: Sequence[str], skeleton: Skeleton | None, names: Sequence[str]) -> list[int]:
    """Return the DOF numbers of the named body parts, joints or DOFs; an unknown name raises a UsageError."""
    groups = _groups(dofs, skeleton)
    for name in names:
        if name not in groups:
            common = ", ".join(names_of_parts(dofs, skeleton))
            raise UsageError(f"there is no body part, joint or DOF {name!r} to vary; choose from {common}")
    return sorted({number for name in names for number in groups[name]})


def names_of_parts(dofs: Sequence[str], skeleton: Skeleton | None) -> list[str]:
    """Return the names that `parts` accepts, except single DOFs, by decreasing number of DOFs."""
    return [name for name in _groups(dofs, skeleton) if name not in dofs]


def _check(value: float, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= LARGEST:
        raise UsageError(f"the {name} must lie between 0 and {LARGEST:g}, but is {value!r}")


def _groups(dofs: Sequence[str], skeleton: Skeleton | None) -> dict[str, list[int]]:
    """Return DOF numbers by name: body parts (each side and both together), joints, DOFs."""
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


class GuardReport(NamedTuple):
    """The outcome of a variant's body checks.

    `tries` counts draws; `share` is the fraction of the requested amount used; `left` lists the limits that the
    variant still exceeds, and `refused` the limits that rejected draws exceeded.
    """

    tries: int = 1
    share: float = 1.0
    left: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def guarded(draw: Draw, limits: BodyLimits | None, amount: float | Amount) -> tuple[Guided, GuardReport]:
    """Return the first draw that passes; else the best draw with less variation; else the best draw."""
    variant = draw(0, amount)
    if limits is None or not isinstance(variant.motion, Clip):
        return variant, GuardReport()

    def checked(variant: Guided) -> BodyCheck:
        return limits.check(variant.motion, amount=amount_of(amount).largest, rate=variant.report.rate)

    refused: dict[str, None] = {}  # in order of appearance
    best, best_check, first = variant, checked(variant), 0
    tries = 1
    while not best_check.passed and tries < TRIES:
        refused |= dict.fromkeys(best_check.sentences)
        variant = draw(tries, amount)
        check = checked(variant)
        if check.excess < best_check.excess:
            best, best_check, first = variant, check, tries
        tries += 1
    if best_check.passed:
        return best, GuardReport(tries, refused=tuple(refused))
    for share in SHARES:
        tries += 1
        variant = draw(first, scaled(amount, share))
        if checked(variant).passed:
            return variant, GuardReport(tries, share, refused=tuple(refused))
    return best, GuardReport(tries, left=best_check.sentences, refused=tuple(refused))


def guard_notes(reports: Sequence[GuardReport], *, left: bool = True) -> list[str]:
    """Return notes on a set of variants: how many were redrawn, vary less or, with `left`, still fail."""
    count, again = len(reports), [report for report in reports if report.tries > 1]
    less = [report.share for report in reports if report.share < 1.0]
    notes = []
    if again:
        drawn, verb = sum(report.tries - 1 for report in reports), "was" if len(again) == 1 else "were"
        why = again[0].refused[0]
        notes.append(
            f"{len(again)} of {count} variants {verb} redrawn until the body was possible "
            f"({drawn} draw{'s' * (drawn != 1)} refused; the first: {why})"
        )
    if less:
        notes.append(
            f"{len(less)} of {count} variants got less than the requested amount, down to {min(less):g} of it: "
            f"{TRIES} draws at the full amount were impossible"
        )
    failing = [report for report in reports if report.left and left]
    if failing:
        verb = "fail the body checks however they are drawn"
        notes.append(f"{len(failing)} of {count} variants {verb}: {failing[0].left[0]}")
    return notes


def scaled(amount: float | Amount, share: float) -> Amount:
    """Return a fraction of an amount of variation."""
    whole = amount_of(amount)
    time = None if whole.time is None else share * whole.time
    return replace(whole, space=share * whole.space, time=time, parts={k: share * v for k, v in whole.parts.items()})
