"""Limits of a robot's joints: a table joint,low,high, in the unit of the motion that they are for."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

from freshtake.errors import FormatError
from freshtake.formats.files import read_text

Limits = dict[str, tuple[float, float]]
_COLUMNS = ("joint", "low", "high")
_OPEN = {"": math.inf, "inf": math.inf, "+inf": math.inf, "-inf": -math.inf}


def read_limits(path: Path) -> Limits:
    """Lowest and highest value by joint; an empty cell is no limit."""
    rows = list(csv.reader(io.StringIO(read_text(path), newline="")))
    names = [cell.strip().lower() for cell in rows[0]] if rows else []
    if any(column not in names for column in _COLUMNS):
        raise FormatError(path, f"the columns {', '.join(_COLUMNS)} were expected", "line 1")
    out: Limits = {}
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(names):
            raise FormatError(path, f"{len(names)} cells were expected, not {len(row)}", f"line {number}")
        joint = row[names.index("joint")].strip()
        if not joint or joint in out:
            raise FormatError(path, f"joint {joint[:40]!r} has no name, or stands here twice", f"line {number}")
        low, high = (_value(path, row[names.index(key)], number, sign) for key, sign in (("low", -1.0), ("high", 1.0)))
        if not low <= high:
            raise FormatError(
                path, f"the low limit {low:g} of {joint[:40]!r} is above the high {high:g}", f"line {number}"
            )
        out[joint] = (low, high)
    if not out:
        raise FormatError(path, "a line for each joint was expected", "end of file")
    return out


def _value(path: Path, cell: str, line: int, sign: float) -> float:
    text = cell.strip().lower()
    if text in _OPEN:
        return sign * _OPEN[""] if not text else _OPEN[text]
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FormatError(path, f"a number was expected, not {cell[:40]!r}", f"line {line}")
    return value
