"""Read and write tables of numbers (.csv, .tsv): strokes, markers, and joint positions of clips."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from pathlib import Path
from typing import Literal

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.files import read_text, write_bytes
from freshtake.formats.numbers import finite_number
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions, choose_for
from freshtake.motion import Clip, PointClip, Stroke
from freshtake.motion.body.orientation import UNITS
from freshtake.motion.kinds import joint_points, kind_word
from freshtake.motion.validation import UP_AXES
from freshtake.numeric.arrays import Floats, Ints

_MISSING = {"": nan, "nan": nan, "na": nan, "n/a": nan, "null": nan, "inf": inf, "+inf": inf, "-inf": -inf}

_QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True)
class Table:
    """Column names, values (rows, columns) with NaN for empty cells, the line of each row, the first row's text."""

    path: Path
    names: tuple[str, ...]
    values: Floats
    lines: Ints
    first: tuple[str, ...]

    def place(self, row: int) -> str:
        """Return the line of a row, for a message."""
        return f"line {self.lines[row]}"


def parse_table(path: Path, text: str) -> Table:
    """Parse a table; its separator is the most frequent of comma, semicolon and tab in the first line.

    Decimal commas are accepted only with semicolons or tabs.
    """
    start = len(text) - len(text.lstrip())
    first = text.count("\n", 0, start) + 1
    head, _, body = text[start:].partition("\n")
    separator = max(",;\t", key=_QUOTED.sub("", head).count)
    names = _header(path, head, separator, first)
    if separator != ",":
        body = body.replace(",", ".")
    if not body.strip():
        problem = "rows of numbers were expected below the line of names, but there are none"
        raise FormatError(path, problem, "end of file")
    return parse_rows(path, names, body, separator, first + 1)


def csv_rows(path: Path, strict: bool = False) -> list[tuple[int, list[str]]]:
    """Return the non-blank rows of a file of comma-separated text, each with its first line number."""
    return [(n, row) for n, row in _cells(path, read_text(path), ",", 1, strict) if any(cell.strip() for cell in row)]


def csv_records(path: Path, needed: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Return the rows of a comma-separated file with a line of names: the line for messages, and cells by name.

    Names are in lower case; the file may have other columns than the needed ones, in any order.
    """
    rows = csv_rows(path, strict=True)
    names = [cell.strip().lower() for cell in rows[0][1]] if rows else []
    missing = [name for name in needed if name not in names]
    if missing:
        raise FormatError(path, f"the column {missing[0]!r} is missing; {', '.join(needed)} are expected", "line 1")
    twice = [name for name in needed if names.count(name) > 1]
    if twice:
        raise FormatError(path, f"two columns are named {twice[0]!r}: keep one", "line 1")
    for line, row in rows[1:]:
        if len(row) != len(names):
            raise FormatError(path, f"{len(names)} cells were expected, not {len(row)}", f"line {line}")
    return [(f"line {line}", dict(zip(names, [cell.strip() for cell in row], strict=True))) for line, row in rows[1:]]


def _header(path: Path, head: str, separator: str, line: int) -> tuple[str, ...]:
    names = tuple(cell.strip() for _, row in _cells(path, head, separator, line) for cell in row)
    place = f"line {line}"
    if all(finite_number(name) is not None for name in names):
        raise FormatError(path, "a line of column names such as t,x,y was expected above the numbers", place)
    for number, name in enumerate(names, start=1):
        if not name:
            raise FormatError(path, f"column {number} of {len(names)} has no name", place)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FormatError(path, f"two columns are named {twice[0][:40]!r}", place)
    return names


def _cells(path: Path, text: str, separator: str, line: int, strict: bool = False) -> list[tuple[int, list[str]]]:
    """Return the cells of each row and its first line number."""
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=separator, strict=strict)
    rows = []
    end = 0
    try:
        for row in reader:
            rows.append((line + end, row))
            end = reader.line_num
    except csv.Error as error:
        raise FormatError(path, f"this is not a CSV table ({error})", f"line {line + end}") from None
    return rows


def parse_rows(path: Path, names: tuple[str, ...], body: str, separator: str, line: int) -> Table:
    """Parse row by row, with quotes, blanks and gaps; errors name the line and column."""
    rows: list[list[float]] = []
    lines: list[int] = []
    first: tuple[str, ...] = ()
    for number, cells in _cells(path, body, separator, line):
        if not any(cell.strip() for cell in cells) and len(cells) != len(names):
            continue
        if len(cells) != len(names):
            raise FormatError(path, f"{len(names)} cells were expected, not {len(cells)}", f"line {number}")
        rows.append(_row(path, cells, names, number))
        lines.append(number)
        first = first or tuple(cells)
    if not rows:
        raise FormatError(path, "rows of numbers were expected below the line of names", f"line {line}")
    return Table(path, names, np.array(rows), np.array(lines), first)


def _row(path: Path, cells: list[str], names: tuple[str, ...], line: int) -> list[float]:
    joined = "".join(cells)
    if joined.isascii() and "_" not in joined:
        try:
            return [float(cell) if cell else nan for cell in cells]
        except ValueError:
            pass
    values = []
    for text, name in zip([cell.strip() for cell in cells], names, strict=True):
        value = _MISSING[text.lower()] if text.lower() in _MISSING else finite_number(text)
        if value is None:
            raise FormatError(path, f"column {name!r} needs a finite number, not {text[:40]!r}", f"line {line}")
        values.append(value)
    return values


_MOST_DECIMALS = 15
DEFAULT_FPS = 100.0
_TIME_NAMES = ("t", "time")
_COUNTER_NAMES = ("frame", "frames", "index", "sample", "row", "#")
NOTE_LINE = re.compile(r"(?:\ufeff)?\s*#[ \t]*((?:up|unit)\b[^\n]*)", re.IGNORECASE)
_COORDINATE = re.compile(r"(.*\S)\.([xyz])", re.IGNORECASE)


def even_frame_time(table: Table, times: Floats, printed: str) -> float:
    """Return the time between frames; times that are not evenly spaced within their printed digits are refused.

    It is exact if the times are exact multiples; otherwise it is the reciprocal of a whole number if this agrees with
    all rounded times, else the mean step. `printed` is the text of one of the times.
    """
    counts = np.arange(len(times))
    span = times - times[0]
    mean = float(span[-1]) / (len(times) - 1)
    if np.isfinite(mean) and mean > 1e-9:
        whole = 1.0 / max(round(1.0 / mean), 1)
        for exact in (float(span[1]), whole):
            if np.array_equal(span, counts * exact):
                return exact
        rounding = 10.0 ** -_decimals(times, printed) + 16.0 * float(np.spacing(np.abs(times).max()))
        for close in (whole, mean):
            if np.abs(span - counts * close).max() <= rounding:
                return close
    steps = np.diff(times)
    odd = int(np.abs(steps - np.median(steps)).argmax()) + 1
    raise FormatError(table.path, "times must increase in equal steps: resample them", table.place(odd))


def spread_ties(times: Floats) -> Floats:
    """Spread consecutive equal times evenly within their last digit, and return all times.

    Points recorded within one clock tick have the same time; they keep their order and move by less than a tick.
    """
    later = np.concatenate([[True], np.diff(times) != 0.0])
    group = np.cumsum(later) - 1
    starts = np.flatnonzero(later)
    sizes = np.diff(starts, append=len(times))
    share = (np.arange(len(times)) - starts[group]) / sizes[group]
    return np.asarray(times + share * 10.0 ** -_decimals(times, ""))


def _decimals(times: Floats, printed: str) -> int:
    """Return the number of decimals of the times: as in one text, or more if a time needs more."""
    mantissa, _, exponent = printed.strip().strip('"').lower().partition("e")
    shown = 0 if exponent else len(mantissa.replace(",", ".").partition(".")[2])
    for count in range(min(shown, _MOST_DECIMALS), _MOST_DECIMALS):
        with np.errstate(over="ignore", invalid="ignore"):
            whole = np.abs(np.round(times, count) - times) <= 4.0 * np.spacing(np.abs(times))
        if whole.all():
            return count
    return _MOST_DECIMALS


def read(path: Path, options: ReadOptions) -> Stroke | PointClip:
    """Read a point clip if columns are named NAME.x, NAME.y and NAME.z, otherwise a stroke."""
    text = read_text(path)
    note = NOTE_LINE.match(text)
    up, unit_m = None, None
    if note is not None:
        up, unit_m = _axis_and_unit(path, note[1])
        text = "\n" * text.count("\n", 0, note.end()) + text[note.end() :]
    motion = _read(parse_table(path, text), options)
    if isinstance(motion, PointClip):
        return replace(motion, up=options.up or up or "y", unit_m=options.unit_m or unit_m)
    return motion


def _axis_and_unit(path: Path, line: str) -> tuple[str | None, float | None]:
    """Parse axis and unit from a line such as `up z, unit mm`; a unit may also be a number of metres."""
    up, unit_m = None, None
    for part in line.split(","):
        key, _, value = part.strip().partition(" ")
        value = value.strip(' :=\t"').lower()
        if key.lower().rstrip(":=") == "up" and value in UP_AXES:
            up = value
        elif key.lower().rstrip(":=") == "unit":
            unit_m = next((unit.metres for unit in UNITS if value == unit.short), None) or finite_number(value)
        if (up is None and unit_m is None) or (unit_m is not None and not unit_m > 0):
            units = ", ".join(unit.short for unit in UNITS)
            problem = f"'up y' or 'up z' and 'unit' with {units} or metres were expected, not {part.strip()[:40]!r}"
            raise FormatError(path, problem, "line 1")
    return up, unit_m


def stroke_from(table: Table, options: ReadOptions) -> Stroke:
    """Return the columns of a table as a stroke, regardless of their names."""
    stroke = _read(table, options, points=False)
    assert isinstance(stroke, Stroke)
    return stroke


def _read(table: Table, options: ReadOptions, points: bool = True) -> Stroke | PointClip:
    path = table.path
    timed = [k for k, name in enumerate(table.names) if name.lower() in _TIME_NAMES]
    if len(timed) > 1:
        raise FormatError(path, "two columns hold times: keep one of t and time", "line of names")
    # Many tools write columns that only number the rows.
    counters = [k for k, name in enumerate(table.names) if name.lower() in _COUNTER_NAMES]
    counted = [k for k in counters if (np.diff(table.values[:, k]) == 1.0).all()]
    others = [k for k in range(len(table.names)) if k not in timed and k not in counted]
    if not others:
        raise FormatError(path, "columns such as x,y or NAME.x,NAME.y,NAME.z were expected besides the time", "line 1")
    time = timed[0] if timed else None
    if time is not None:
        require_finite(table, [time])
    if points and any(_COORDINATE.fullmatch(table.names[k]) for k in others):
        return _points(table, time, others, options)
    return _stroke(table, time, others, options)


def require_finite(table: Table, columns: list[int]) -> None:
    """Refuse gaps and infinite values in some columns."""
    bad = np.argwhere(~np.isfinite(table.values[:, columns]))
    if len(bad):
        row, column = bad[0].tolist()
        name = table.names[columns[column]]
        raise FormatError(table.path, f"column {name!r} needs a finite number in every row", table.place(row))


def _stroke(table: Table, time: int | None, columns: list[int], options: ReadOptions) -> Stroke:
    require_finite(table, columns)
    if time is None:
        times = np.arange(len(table.values)) / _assumed_fps(table.path, options)
    else:
        times = _stroke_times(table, time, options)
    names = tuple(table.names[k] for k in columns)
    return Stroke(table.values[:, columns], times, names, table.path.stem, table.path.name)


def _stroke_times(table: Table, time: int, options: ReadOptions) -> Floats:
    """Return the file's times, which must increase; a few equal times, from a coarse clock, are spread."""
    times: Floats = table.values[:, time]
    ties = int((np.diff(times) == 0.0).sum())
    if 0 < ties < len(times) / 2:
        times = spread_ties(times)
    backwards = np.flatnonzero(np.diff(times) <= 0.0)
    if len(backwards):
        raise FormatError(table.path, "the time must be later than in the previous row", table.place(backwards[0] + 1))
    if ties:
        problem = f"{ties} points have the same time as the point before them"
        options.warn(f"{table.path}: {problem}, and are spread within its last digit")
    return times


def _points(table: Table, time: int | None, columns: list[int], options: ReadOptions) -> PointClip:
    places = _coordinates(table, columns)
    values = table.values[:, np.concatenate(list(places.values()))]
    positions = positions_in(table, list(places), values)
    if time is None or len(table.values) == 1:
        frame_time = 1.0 / _assumed_fps(table.path, options)
    else:
        frame_time = even_frame_time(table, table.values[:, time], table.first[time])
    return PointClip(tuple(places), positions, frame_time, name=table.path.stem, provenance=table.path.name)


def positions_in(table: Table, names: Sequence[str], values: Floats) -> Floats:
    """Return the positions (rows, points, 3) of values (rows, 3 per point); a gap omits all three."""
    positions = values.reshape(len(values), len(names), 3)
    infinite = np.argwhere(np.isinf(positions))
    if len(infinite):
        place = table.place(infinite[0][0])
        raise FormatError(table.path, "a position is infinite: leave the cell empty for a gap", place)
    missing = np.isnan(positions)
    torn = np.argwhere(missing.any(-1) & ~missing.all(-1))
    if len(torn):
        row, point = torn[0].tolist()
        problem = f"point {names[point]!r} has only some of x, y and z: give all three, or none for a gap"
        raise FormatError(table.path, problem, table.place(row))
    return positions


def _coordinates(table: Table, columns: list[int]) -> dict[str, list[int]]:
    """Return the three columns of each point, in the order of the points' first columns."""
    points: dict[str, dict[str, int]] = {}
    for column in columns:
        match = _COORDINATE.fullmatch(table.names[column])
        if match is None:
            column_name = f"column {table.names[column][:40]!r}"
            problem = f"{column_name} is neither a time nor a coordinate such as NAME.x: remove or rename it"
            raise FormatError(table.path, problem, "line of names")
        axes = points.setdefault(match[1], {})
        if match[2].lower() in axes:
            raise FormatError(table.path, f"point {match[1][:40]!r} has two columns for {match[2]}", "line of names")
        axes[match[2].lower()] = column
    for name, axes in points.items():
        absent = [axis for axis in "xyz" if axis not in axes]
        if absent:
            raise FormatError(table.path, f"point {name[:40]!r} has no column {name[:40]}.{absent[0]}", "line of names")
    return {name: [axes[axis] for axis in "xyz"] for name, axes in points.items()}


def _assumed_fps(path: Path, options: ReadOptions) -> float:
    if options.fps is not None:
        return options.fps
    options.warn(
        f"{path}: the table has no rate, so {DEFAULT_FPS:g} rows per second are assumed: give the rate with --fps"
    )
    return DEFAULT_FPS


def write(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write a stroke, a point clip, or the joint positions of a clip, with all digits."""
    if isinstance(motion, Clip):
        motion = joint_points(motion)
    if isinstance(motion, Stroke):
        names, times, values = motion.dimensions, motion.times, motion.points
        bad = [n for n in names if n.lower() in _TIME_NAMES or _COORDINATE.fullmatch(n) or n != n.strip()]
    elif isinstance(motion, PointClip):
        names = tuple(f"{name}.{axis}" for name in motion.names for axis in "xyz")
        times = np.arange(float(len(motion))) * motion.frame_time
        values = motion.positions.reshape(len(motion), -1)
        bad = [name for name in motion.names if name != name.strip()]
    else:
        raise FormatError(path, f"a table holds points or a stroke, not a {kind_word(motion)}: {choose_for(motion)}")
    if bad:
        raise FormatError(path, f"a table cannot hold the name {bad[0]!r}: rename it")
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    head = io.StringIO()
    # Names that contain a separator are quoted: otherwise the reader might choose another separator.
    quoting: Literal[0, 1] = csv.QUOTE_ALL if re.search("[,;\t]", "".join(names)) else csv.QUOTE_MINIMAL
    csv.writer(head, delimiter=separator, lineterminator="\n", quoting=quoting).writerow(("t", *names))
    rows = np.concatenate([times[:, None], values], axis=1).tolist()
    lines = [separator.join(map(repr, row)).replace("nan", "") + "\n" for row in rows]
    write_bytes(path, (_note_line(motion, options) + head.getvalue() + "".join(lines)).encode())


def _note_line(motion: Stroke | PointClip, options: WriteOptions) -> str:
    """Return the first line, which states axis and unit; empty for strokes, or if y is up and the unit is unknown."""
    if isinstance(motion, Stroke):
        return ""
    unit_m = options.unit_m or motion.unit_m
    if unit_m is None:
        return "" if motion.up == "y" else f"# up {motion.up}\n"
    named = next((unit.short for unit in UNITS if unit.metres == unit_m), repr(float(unit_m)))
    return f"# up {motion.up}, unit {named}\n"
