"""What a user asks of variants on the command line, as goals: poses by file and frame, pins, ways over the ground."""

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
from freshtake.variation.goals.goals import Goals, PosePin
from freshtake.variation.goals.steering import Steering
from freshtake.variation.synthesis.amount import Amount

_POSE = re.compile(r"(?P<file>.+?)(:(?P<frame>-?\d+))?(@(?P<time>-?[\d.]+))?")


class Asked(NamedTuple):
    """Words of the command line; `start`, `end` and `poses` are FILE[:FRAME][@SECONDS], `parts` are NAME=AMOUNT."""

    start: str | None = None
    end: str | None = None
    poses: Sequence[str] = ()
    pins: Path | None = None
    speed: float | None = None
    heading: float | None = None
    path: Path | None = None


def goals_of(asked: Asked) -> Goals:
    """Read what the words name."""
    if asked.heading is not None and asked.path is not None:
        raise UsageError("a heading and a path cannot both be followed: give one of them")
    steer = None
    if asked.heading is not None:
        steer = Steering(np.radians(asked.heading))
    if asked.path is not None:
        steer = Steering(path=read_path(asked.path))
    return Goals(
        start=None if asked.start is None else _pose(asked.start, 0),
        end=None if asked.end is None else _pose(asked.end, -1),
        poses=[_pose(text, 0) for text in asked.poses],
        targets=[] if asked.pins is None else read_pins(asked.pins),
        speed=asked.speed,
        steer=steer,
    )


def _pose(text: str, usual: int) -> PosePin:
    found = _POSE.fullmatch(text)
    if found is None:
        raise UsageError(f"{text!r} names no pose: write FILE, FILE:FRAME or FILE:FRAME@SECONDS")
    frame = usual if found["frame"] is None else int(found["frame"])
    try:
        time = float(found["time"] or 0.0)
    except ValueError:
        raise UsageError(f"{text!r} names no pose: {found['time']!r} is no number of seconds") from None
    return PosePin(read(Path(found["file"])), frame, time)


def read_path(path: Path) -> Floats:
    """Points (points, 2) of a way over the ground, from a table with the columns x and z (or x and y)."""
    table = parse_table(path, read_text(path))
    names = [name.lower() for name in table.names]
    for second in ("z", "y"):
        if "x" in names and second in names:
            return np.asarray(table.values[:, [names.index("x"), names.index(second)]])
    raise FormatError(path, "the columns x and z (or x and y) were expected", "line 1")


def amount_asked(space: float, time: float | None, parts: Sequence[str]) -> Amount:
    """An amount from its words."""
    chosen = {}
    for text in parts:
        name, sign, value = text.rpartition("=")
        try:
            chosen[name] = float(value)
        except ValueError:
            sign = ""
        if not (sign and name):
            raise UsageError(f"{text!r} says no amount for a part: write NAME=AMOUNT, such as arms=1.5")
    return Amount(space, time, chosen)
