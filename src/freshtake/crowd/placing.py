"""Places on the ground without overlaps: on a grid, in a disc, along paths. Arrays in, arrays out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.crowd.plan import Placement, Polyline
from freshtake.errors import FormatError, UsageError
from freshtake.numeric.arrays import Floats

HEXAGON = np.sqrt(3.0) / 2.0  # area of a cell of a hexagonal lattice whose neighbors are 1 apart
MIDDLES = ((0.0, 0.0), (0.5, 0.0), (0.5, 0.5 / math.sqrt(3.0)))  # of a cell, a side and a corner, in pitches
LOOSE = 1.4  # neighbors of a disc without a radius are so many times the least distance apart on average


class Places(NamedTuple):
    """Places (characters, 2) as x and z in metres, and headings (characters,) in radians, 0 along z."""

    ground: Floats
    heading: Floats


NO_TABLES: Mapping[Path, Places] = {}


def placed(
    placement: Placement, number: int, rng: np.random.Generator, tables: Mapping[Path, Places] = NO_TABLES
) -> Places:
    """So many places; refused where they do not fit. `tables` are places that were read from files."""
    if placement.kind == "csv":
        if placement.file is None or placement.file not in tables:
            raise UsageError("placement.file: a placement of the kind csv needs its table")
        table = tables[placement.file]
        if len(table.ground) < number:
            many = len(table.ground)
            raise FormatError(placement.file, f"the table has {many} places for {number} characters: add some")
        return Places(table.ground[:number], table.heading[:number])
    if placement.kind == "paths":
        return along(placement.paths, number, placement.spacing)
    if placement.kind == "grid":
        places = grid(number, placement.spacing)
    else:
        places = disc(number, placement.spacing, placement.radius, rng)
    return Places(places.ground + np.array(placement.center), places.heading)


def grid(number: int, spacing: float) -> Places:
    """Rows and columns around the origin, nearly a square."""
    columns = int(np.ceil(np.sqrt(number)))
    across, along_z = np.arange(number) % columns, np.arange(number) // columns
    rows = int(along_z[-1]) + 1
    ground = spacing * np.stack([across - 0.5 * (columns - 1), along_z - 0.5 * (rows - 1)], axis=1)
    return Places(ground, np.zeros(number))


def disc(number: int, gap: float, radius: float | None, rng: np.random.Generator) -> Places:
    """At random in a disc, no two closer than `gap`: cells of a lattice, each place moved at random inside its own."""
    if radius is None:
        radius = LOOSE * gap * np.sqrt(number * HEXAGON / np.pi) + gap
    widest = np.sqrt(np.pi / HEXAGON / number) * radius
    pitch = max(gap, widest)
    cells = _lattice(pitch, radius - 0.5 * (pitch - gap))  # what is moved stays inside
    while len(cells) < number and pitch > gap:  # the border cuts cells: a little tighter
        pitch = max(gap, 0.98 * pitch)
        cells = _lattice(pitch, radius - 0.5 * (pitch - gap))
    if len(cells) < number:
        raise UsageError(
            f"placement: {number} characters, {gap:g} m apart, do not fit into a disc of {radius:g} m radius, which "
            f"takes {len(cells)}: give it more radius, less spacing or fewer characters"
        )
    chosen = cells[np.sort(rng.permutation(len(cells))[:number])]
    turn, far = 2.0 * np.pi * rng.random(number), 0.5 * (pitch - gap) * np.sqrt(rng.random(number))
    ground = chosen + far[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return Places(ground, np.zeros(number))


def _lattice(pitch: float, radius: float) -> Floats:
    """The middles of hexagonal cells (cells, 2) inside a disc, whose middle is that of a cell, a side or a corner."""
    reach = int(max(radius, 0.0) / (pitch * HEXAGON)) + 2
    row, column = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    points = pitch * np.stack([column + 0.5 * (row % 2), HEXAGON * row], axis=-1).reshape(-1, 2)
    around = [points + pitch * np.array(middle) for middle in MIDDLES]
    return max((each[np.hypot(each[:, 0], each[:, 1]) <= radius + 1e-9 * pitch] for each in around), key=len)


def along(paths: tuple[Polyline, ...], number: int, spacing: float) -> Places:
    """One after the other along polylines, facing along them; filled evenly where there is room to spare."""
    lines = [np.array(path, dtype=np.float64) for path in paths]
    steps = [np.linalg.norm(np.diff(line, axis=0), axis=1) for line in lines]
    ends = np.concatenate([[0.0], np.cumsum([step.sum() for step in steps])])
    rooms = [int(step.sum() / spacing + 1e-9) + 1 for step in steps]
    if number > sum(rooms):
        raise UsageError(
            f"placement: {number} characters, {spacing:g} m apart, do not fit onto paths of {ends[-1]:.1f} m, which "
            f"take {sum(rooms)}: give longer paths, less spacing or fewer characters"
        )
    picked = np.floor(np.arange(number) * sum(rooms) / number).astype(np.intp)
    ground, heading = np.empty((number, 2)), np.empty(number)
    first = 0
    for line, step, room in zip(lines, steps, rooms, strict=True):
        mine = np.flatnonzero((picked >= first) & (picked < first + room))
        far = spacing * (picked[mine] - first)
        reached = np.concatenate([[0.0], np.cumsum(step)])
        leg = np.clip(np.searchsorted(reached, far, "right") - 1, 0, len(step) - 1)
        direction = np.diff(line, axis=0)[leg] / step[leg, None]
        ground[mine] = line[leg] + direction * (far - reached[leg])[:, None]
        heading[mine] = np.arctan2(direction[:, 0], direction[:, 1])
        first += room
    return Places(ground, heading)
