"""The cast of a crowd: the group, place, heading, phase, amount, size and variant of every character."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.crowd.placing import NO_TABLES, Places, placed
from freshtake.crowd.plan import Plan, Range, counts, library_counts
from freshtake.numeric.arrays import Floats, Ints
from freshtake.workflows.seeds import generator

# Third words of generators, far from the tries that a character's own motion may take.
TRAITS, PLACES, ORDER, WALKS = 1000, 1001, 1002, 1003


class Cast(NamedTuple):
    """One entry per character, in order: those of the first group come first. `heading` is in radians."""

    group: Ints
    ground: Floats  # (characters, 2): x and z in metres
    heading: Floats
    phase: Floats
    amount: Floats
    size: Floats
    variant: Ints  # from 1; in unique mode the character's own number
    routes: Floats  # (characters, steps, 2): where walkers are at each step; no steps where nobody is steered

    def part(self, first: int, last: int) -> Cast:
        """Characters `first` to `last` of them, counted from 1."""
        return Cast._make(values[first - 1 : last] for values in self)


def cast_of(plan: Plan, tables: Mapping[Path, Places] = NO_TABLES) -> Cast:
    """The same for the same plan, however and wherever it is made. `tables` are places from files."""
    number = plan.number
    sizes = counts(number, tuple(group.share for group in plan.groups))
    group = np.repeat(np.arange(len(plan.groups)), sizes)
    places = _places(plan, group, tables)
    # A row per character: what one draws does not depend on how many there are.
    drawn = generator(plan.seed, 0, TRAITS).random((number, 5))
    heading = places.heading + np.radians(_between(drawn[:, 1], group, [g.heading for g in plan.groups]))
    return Cast(
        group,
        places.ground,
        heading,
        _between(drawn[:, 0], group, [g.phase for g in plan.groups]),
        _between(drawn[:, 2], group, [g.amount for g in plan.groups]),
        _between(drawn[:, 3], group, [g.size for g in plan.groups]),
        _variants(plan, group, drawn[:, 4]),
        np.empty((number, 0, 2)),
    )


def _places(plan: Plan, group: Ints, tables: Mapping[Path, Places]) -> Places:
    """Groups are mixed, except those with a placement of their own; tables are taken line by line."""
    together = np.flatnonzero([plan.groups[k].placement is None for k in group])
    ground, heading = np.empty((len(group), 2)), np.empty(len(group))
    if len(together):
        shared = placed(plan.placement, len(together), generator(plan.seed, 0, PLACES), tables)
        order = np.arange(len(together))
        if plan.placement.kind != "csv" and len(plan.groups) > 1:
            order = generator(plan.seed, 0, ORDER).permutation(len(together))
        ground[together], heading[together] = shared.ground[order], shared.heading[order]
    for number, one in enumerate(plan.groups):
        members = np.flatnonzero(group == number)
        if one.placement is not None and len(members):
            places = placed(one.placement, len(members), generator(plan.seed, 1 + number, PLACES), tables)
            ground[members], heading[members] = places.ground, places.heading
    return Places(ground, heading)


def _between(share: Floats, group: Ints, ranges: list[Range]) -> Floats:
    low, high = np.array(ranges).T
    return np.asarray(low[group] + share * (high - low)[group])


def _variants(plan: Plan, group: Ints, share: Floats) -> Ints:
    if plan.mode == "unique":
        return np.arange(1, plan.number + 1)
    variants = np.array(library_counts(plan))
    first = np.concatenate([[0], np.cumsum(variants)[:-1]])
    return np.asarray(1 + first[group] + np.floor(share * variants[group]).astype(np.intp))
