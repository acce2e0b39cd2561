"""Draw variants whose bodies are possible: draw again where checks fail, and vary less where they keep failing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from freshtake.motion import Clip
from freshtake.motion.verdict import BodyCheck, BodyLimits
from freshtake.variation.amount import Amount, amount_of
from freshtake.variation.goals.guidance import Guided

TRIES = 5  # at the full amount
SHARES = (0.75, 0.5, 0.25, 0.0)  # of the amount, for the best of them

Draw = Callable[[int, float | Amount], Guided]  # number of the attempt, amount of variation


class GuardReport(NamedTuple):
    """How a variant passed its body checks.

    `tries` counts draws; `share` is the part of the requested amount that was used; `left` lists the limits that the
    variant still exceeds, and `refused` those that rejected draws exceeded.
    """

    tries: int = 1
    share: float = 1.0
    left: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def guarded(draw: Draw, limits: BodyLimits | None, amount: float | Amount) -> tuple[Guided, GuardReport]:
    """Return the first draw that passes; else the best one with less variation; else the best one."""
    variant = draw(0, amount)
    if limits is None or not isinstance(variant.motion, Clip):
        return variant, GuardReport()
    refused: list[str] = []
    best, best_check, first = variant, _check(limits, variant, amount), 0
    tries = 1
    while not best_check.passed and tries < TRIES:
        refused += _new(best_check, refused)
        variant = draw(tries, amount)
        check = _check(limits, variant, amount)
        if check.excess < best_check.excess:
            best, best_check, first = variant, check, tries
        tries += 1
    if best_check.passed:
        return best, GuardReport(tries, refused=tuple(refused))
    for share in SHARES:
        tries += 1
        variant = draw(first, scaled(amount, share))
        if _check(limits, variant, amount).passed:
            return variant, GuardReport(tries, share, refused=tuple(refused))
    return best, GuardReport(tries, left=best_check.sentences, refused=tuple(refused))


def guard_notes(reports: Sequence[GuardReport], *, left: bool = True) -> list[str]:
    """Return notes on a set of variants: how many were drawn again, vary less or, with `left`, still fail."""
    count, again = len(reports), [report for report in reports if report.tries > 1]
    less = [report.share for report in reports if report.share < 1.0]
    notes = []
    if again:
        drawn, verb = sum(report.tries - 1 for report in reports), "was" if len(again) == 1 else "were"
        why = again[0].refused[0]
        notes.append(
            f"{len(again)} of {count} variants {verb} drawn again until the body was possible "
            f"({drawn} draw{'s' * (drawn != 1)} refused; the first: {why})"
        )
    if less:
        notes.append(
            f"{len(less)} of {count} variants got less than the requested amount, down to {min(less):g} of it: "
            f"{TRIES} draws with all of it were impossible"
        )
    failing = [report for report in reports if report.left and left]
    if failing:
        verb = "fail the body checks however they are drawn"
        notes.append(f"{len(failing)} of {count} variants {verb}: {failing[0].left[0]}")
    return notes


def scaled(amount: float | Amount, share: float) -> Amount:
    """Return a share of an amount of variation."""
    whole = amount_of(amount)
    time = None if whole.time is None else share * whole.time
    return replace(whole, space=share * whole.space, time=time, parts={k: share * v for k, v in whole.parts.items()})


def _check(limits: BodyLimits, variant: Guided, amount: float | Amount) -> BodyCheck:
    return limits.check(variant.motion, amount=amount_of(amount).largest, rate=variant.report.rate)


def _new(body_check: BodyCheck, known: list[str]) -> list[str]:
    return [sentence for sentence in body_check.sentences if sentence not in known]
