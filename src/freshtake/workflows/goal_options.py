"""Goals of variants from the command line's options: poses by file and frame, pins, headings and paths."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import read_text
from freshtake.formats.pin_files import read_pins
from freshtake.formats.registry import read
from freshtake.formats.table_cells import parse_table
from freshtake.numeric.arrays import Floats
from freshtake.variation.amount import Amount
from freshtake.variation.goals.goals import Goals, PosePin
from freshtake.variation.goals.steering import Steering

_POSE = re.compile(r"(?P<file>.+?)(:(?P<frame>-?\d+))?(@(?P<time>-?[\d.]+))?")


class GoalOptions(NamedTuple):
    """Options of the command line; `start`, `end` and `poses` are FILE[:FRAME][@SECONDS], `heading` is in degrees."""

    start: str | None = None
    end: str | None = None
    poses: Sequence[str] = ()
    pins: Path | None = None
    speed: float | None = None
    heading: float | None = None
    path: Path | None = None


def goals_of(options: GoalOptions) -> Goals:
    """The goals, with the files that they name."""
    if options.heading is not None and options.path is not None:
        raise UsageError("a heading and a path cannot both be followed: give one of them")
    steer = None
    if options.heading is not None:
        steer = Steering(np.radians(options.heading))
    if options.path is not None:
        steer = Steering(path=read_path(options.path))
    return Goals(
        start=None if options.start is None else _pose(options.start, 0),
        end=None if options.end is None else _pose(options.end, -1),
        poses=[_pose(text, 0) for text in options.poses],
        targets=[] if options.pins is None else read_pins(options.pins),
        speed=options.speed,
        steer=steer,
    )


def _pose(text: str, usual: int) -> PosePin:
    match = _POSE.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a pose: write FILE, FILE:FRAME or FILE:FRAME@SECONDS")
    frame = usual if match["frame"] is None else int(match["frame"])
    try:
        time = float(match["time"] or 0.0)
    except ValueError:
        raise UsageError(f"{text!r} is not a pose: {match['time']!r} is not a number of seconds") from None
    return PosePin(read(Path(match["file"])), frame, time)


def read_path(path: Path) -> Floats:
    """Points (points, 2) of a way over the ground, from a table with the columns x and z (or x and y)."""
    table = parse_table(path, read_text(path))
    names = [name.lower() for name in table.names]
    for second in ("z", "y"):
        if "x" in names and second in names:
            return np.asarray(table.values[:, [names.index("x"), names.index(second)]])
    raise FormatError(path, "the columns x and z (or x and y) were expected", "line 1")


def amount_from(space: float, time: float | None, parts: Sequence[str]) -> Amount:
    """An amount from --amount, --amount-time and --part."""
    chosen = {}
    for text in parts:
        name, sign, value = text.rpartition("=")
        try:
            chosen[name] = float(value)
        except ValueError:
            sign = ""
        if not (sign and name):
            raise UsageError(f"{text!r} gives no amount for a part: write NAME=AMOUNT, such as arms=1.5")
    return Amount(space, time, chosen)
