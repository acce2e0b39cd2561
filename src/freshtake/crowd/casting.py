"""Positions on the ground without overlaps, and the random draws for each character of a crowd."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from freshtake.crowd.plan import Placement, Plan, Polyline, Range, counts, library_counts
from freshtake.errors import FormatError, UsageError
from freshtake.numeric.arrays import Floats, Ints
from freshtake.workflows.inputs import generator

# Third numbers of seeds, far from the numbers that seed the draws of a character's motion.
TRAITS, PLACES, ORDER, WALKS = 1000, 1001, 1002, 1003
HEXAGON = np.sqrt(3.0) / 2.0  # area of a cell of a hexagonal lattice whose neighbors are 1 apart
MIDDLES = ((0.0, 0.0), (0.5, 0.0), (0.5, 0.5 / math.sqrt(3.0)))  # middle of a cell, a side and a corner, in pitches


class Places(NamedTuple):
    """Positions (characters, 2): x and z in metres; headings (characters,) in radians, 0 along z."""

    ground: Floats
    heading: Floats


def assign_places(placement: Placement, number: int, rng: np.random.Generator, tables: Mapping[Path, Places]) -> Places:
    """Return `number` positions, or raise if they do not fit. `tables` holds positions read from files."""
    if placement.kind == "csv":
        if placement.file is None:
            raise UsageError("placement.file: a placement of kind csv needs its table")
        table = tables[placement.file]
        if (count := len(table.ground)) < number:
            raise FormatError(placement.file, f"the table has {count} positions for {number} characters: add some")
        return Places(table.ground[:number], table.heading[:number])
    if placement.kind == "paths":
        return along(placement.paths, number, placement.spacing)
    if placement.kind == "grid":
        places = grid(number, placement.spacing)
    else:
        places = disc(number, placement.spacing, placement.radius, rng)
    return Places(places.ground + np.array(placement.center), places.heading)


def grid(number: int, spacing: float) -> Places:
    """Return positions in rows and columns around the origin, nearly a square."""
    columns = int(np.ceil(np.sqrt(number)))
    across, along_z = np.arange(number) % columns, np.arange(number) // columns
    rows = int(along_z[-1]) + 1
    ground = spacing * np.stack([across - 0.5 * (columns - 1), along_z - 0.5 * (rows - 1)], axis=1)
    return Places(ground, np.zeros(number))


def disc(number: int, gap: float, radius: float | None, rng: np.random.Generator) -> Places:
    """Scatter positions in a disc, no two closer than `gap`: each at random inside its cell of a lattice."""
    if radius is None:
        # Loose enough for randomness: neighbors are 1.4 times the minimum distance apart on average.
        radius = 1.4 * gap * np.sqrt(number * HEXAGON / np.pi) + gap
    widest = np.sqrt(np.pi / HEXAGON / number) * radius
    pitch = max(gap, widest)
    cells = _lattice(pitch, radius - 0.5 * (pitch - gap))  # leaves a margin, so that moved positions stay inside
    while len(cells) < number and pitch > gap:  # the border cuts off some cells, so the lattice is tightened
        pitch = max(gap, 0.98 * pitch)
        cells = _lattice(pitch, radius - 0.5 * (pitch - gap))
    if len(cells) < number:
        raise UsageError(
            f"placement: {number} characters, {gap:g} m apart, do not fit into a disc of {radius:g} m radius, which "
            f"has room for {len(cells)}: use a larger radius, less spacing or fewer characters"
        )
    # Each position moves by up to half the slack of its cell, so no two come closer than the gap.
    chosen = cells[np.sort(rng.permutation(len(cells))[:number])]
    turn, far = 2.0 * np.pi * rng.random(number), 0.5 * (pitch - gap) * np.sqrt(rng.random(number))
    ground = chosen + far[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return Places(ground, np.zeros(number))


def _lattice(pitch: float, radius: float) -> Floats:
    """Return centers of hexagonal cells (cells, 2) in a disc centered on a cell, a side or a corner of the lattice."""
    reach = int(max(radius, 0.0) / (pitch * HEXAGON)) + 2
    row, column = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    points = pitch * np.stack([column + 0.5 * (row % 2), HEXAGON * row], axis=-1).reshape(-1, 2)
    around = [points + pitch * np.array(middle) for middle in MIDDLES]
    return max((each[np.hypot(each[:, 0], each[:, 1]) <= radius + 1e-9 * pitch] for each in around), key=len)


def along(paths: tuple[Polyline, ...], number: int, spacing: float) -> Places:
    """Return consecutive positions along polylines, facing along them.

    They are spread evenly if there is space to spare. The last point of a closed path is its first, so nobody is
    placed there a second time, or closer to the first character than the spacing.
    """
    lines = [np.array(path, dtype=np.float64) for path in paths]
    steps = [np.linalg.norm(np.diff(line, axis=0), axis=1) for line in lines]
    ends = np.concatenate([[0.0], np.cumsum([step.sum() for step in steps])])
    closed = [len(line) > 2 and np.array_equal(line[0], line[-1]) for line in lines]
    counts_on_lines = [
        max(1, int(step.sum() / spacing + 1e-9) + (0 if loop else 1)) for step, loop in zip(steps, closed, strict=True)
    ]
    if number > sum(counts_on_lines):
        raise UsageError(
            f"placement: {number} characters, {spacing:g} m apart, do not fit onto paths of {ends[-1]:.1f} m, which "
            f"have room for {sum(counts_on_lines)}: use longer paths, less spacing or fewer characters"
        )
    # Spread fewer characters than positions over all lines instead of crowding them onto the first.
    picked = np.floor(np.arange(number) * sum(counts_on_lines) / number).astype(np.intp)
    ground, heading = np.empty((number, 2)), np.empty(number)
    first = 0
    for line, step, count in zip(lines, steps, counts_on_lines, strict=True):
        mine = np.flatnonzero((picked >= first) & (picked < first + count))
        far = spacing * (picked[mine] - first)
        reached = np.concatenate([[0.0], np.cumsum(step)])
        leg = np.clip(np.searchsorted(reached, far, "right") - 1, 0, len(step) - 1)
        direction = np.diff(line, axis=0)[leg] / step[leg, None]
        ground[mine] = line[leg] + direction * (far - reached[leg])[:, None]
        heading[mine] = np.arctan2(direction[:, 0], direction[:, 1])
        first += count
    return Places(ground, heading)


class Cast(NamedTuple):
    """One entry per character, in order: the first group comes first. `heading` is in radians."""

    group: Ints
    ground: Floats  # (characters, 2): x and z in metres
    heading: Floats
    phase: Floats
    amount: Floats
    size: Floats
    variant: Ints  # from 1; in unique mode, the character's number
    routes: Floats  # (characters, steps, 2): positions of walkers at each step; no steps if nobody is steered

    def part(self, first: int, last: int) -> Cast:
        """Select characters `first` to `last`, counted from 1."""
        return Cast._make(values[first - 1 : last] for values in self)


def cast_of(plan: Plan, tables: Mapping[Path, Places] = MappingProxyType({})) -> Cast:
    """Cast a plan, independently of how and where it is made. `tables` holds positions from files."""
    number = plan.number
    sizes = counts(number, tuple(group.share for group in plan.groups))
    group = np.repeat(np.arange(len(plan.groups)), sizes)
    places = _places(plan, group, tables)
    # A row per character: its draws do not depend on the number of characters.
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
    """Return the positions of all characters: groups are mixed, except those with a separate placement."""
    together = np.flatnonzero([plan.groups[k].placement is None for k in group])
    ground, heading = np.empty((len(group), 2)), np.empty(len(group))
    if len(together):
        shared = assign_places(plan.placement, len(together), generator(plan.seed, 0, PLACES), tables)
        order = np.arange(len(together))
        if plan.placement.kind != "csv" and len(plan.groups) > 1:
            order = generator(plan.seed, 0, ORDER).permutation(len(together))
        ground[together], heading[together] = shared.ground[order], shared.heading[order]
    for number, one in enumerate(plan.groups):
        members = np.flatnonzero(group == number)
        if one.placement is not None and len(members):
            places = assign_places(one.placement, len(members), generator(plan.seed, 1 + number, PLACES), tables)
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
