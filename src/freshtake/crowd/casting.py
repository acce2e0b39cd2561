"""The cast of a crowd: the group, place, heading, phase, amount, size and variant of every character."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.crowd.placing import Places, placed
from freshtake.crowd.plan import Plan, Range, counts, library_counts
from freshtake.numeric.arrays import Floats, Ints
from freshtake.workflows.variation_varying import generator

# Third words of generators, far from the tries that a character's own motion may take.
TRAITS, PLACES, ORDER = 1000, 1001, 1002


class Cast(NamedTuple):
    """One entry per character, in order: those of the first group come first. `heading` is in radians."""

    group: Ints
    ground: Floats  # (characters, 2): x and z in metres
    heading: Floats
    phase: Floats
    amount: Floats
    size: Floats
    variant: Ints  # from 1; in unique mode the character's own number

    def part(self, first: int, last: int) -> Cast:
        """Characters `first` to `last` of them, counted from 1."""
        return Cast._make(values[first - 1 : last] for values in self)


def cast_of(plan: Plan, read: Places | None = None) -> Cast:
    """The same for the same plan, however and wherever it is made. `read` are places from a file."""
    number = plan.number
    places = placed(plan.placement, number, generator(plan.seed, 0, PLACES)) if read is None else read
    if read is None:  # groups stand among each other
        mixed = generator(plan.seed, 0, ORDER).permutation(number) if len(plan.groups) > 1 else np.arange(number)
        places = Places(places.ground[mixed], places.heading[mixed])
    # A row per character: what one draws does not depend on how many there are.
    drawn = generator(plan.seed, 0, TRAITS).random((number, 5))
    sizes = counts(number, tuple(group.share for group in plan.groups))
    group = np.repeat(np.arange(len(plan.groups)), sizes)
    heading = places.heading + np.radians(_between(drawn[:, 1], group, [g.heading for g in plan.groups]))
    return Cast(
        group,
        places.ground,
        heading,
        _between(drawn[:, 0], group, [g.phase for g in plan.groups]),
        _between(drawn[:, 2], group, [g.amount for g in plan.groups]),
        _between(drawn[:, 3], group, [g.size for g in plan.groups]),
        _variants(plan, group, drawn[:, 4]),
    )


def _between(share: Floats, group: Ints, ranges: list[Range]) -> Floats:
    low, high = np.array(ranges).T
    return np.asarray(low[group] + share * (high - low)[group])


def _variants(plan: Plan, group: Ints, share: Floats) -> Ints:
    if plan.mode == "unique":
        return np.arange(1, plan.number + 1)
    have = np.array(library_counts(plan))
    first = np.concatenate([[0], np.cumsum(have)[:-1]])
    return np.asarray(1 + first[group] + np.floor(share * have[group]).astype(np.intp))
