"""A text table as numbers: a line of names, then one line per frame; an empty cell is not a number."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from math import inf, nan
from pathlib import Path

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.numbers import finite_number, parse_numbers, words_per_line
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
        """Where a row stands, for a message."""
        return f"line {self.lines[row]}"


def parse_table(path: Path, text: str) -> Table:
    """Comma, semicolon or tab, whichever the first line has most of; a decimal comma only beside the other two."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    start = len(text) - len(text.lstrip())
    first = text.count("\n", 0, start) + 1
    head, _, body = text[start:].partition("\n")
    separator = max(",;\t", key=_QUOTED.sub("", head).count)
    names = _header(path, head, separator, first)
    if separator != ",":
        body = body.replace(",", ".")
    if not body.strip():
        raise FormatError(
            path, "rows of numbers were expected below the line of names, but there are none", "end of file"
        )
    return _plain(path, names, body, separator, first + 1) or _any(path, names, body, separator, first + 1)


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


def _cells(path: Path, text: str, separator: str, line: int) -> list[tuple[int, list[str]]]:
    """The cells of each row and the line in which it begins."""
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=separator)
    rows = []
    begin = 0
    try:
        for row in reader:
            rows.append((line + begin, row))
            begin = reader.line_num
    except csv.Error as error:
        raise FormatError(path, f"the table cannot be taken apart ({error})", f"line {line + begin}") from None
    return rows


def _plain(path: Path, names: tuple[str, ...], body: str, separator: str, line: int) -> Table | None:
    """All numbers in one sweep; None where there are quotes, blanks, empty cells or anything but plain numbers."""
    if '"' in body or " " in body or (separator != "\t" and "\t" in body):
        return None
    spread = body.replace(separator, " ")
    words = words_per_line(spread)
    rows = np.flatnonzero(words)
    if (words[rows] != len(names)).any() or body.count(separator) != (len(names) - 1) * len(rows):
        return None
    try:
        values = parse_numbers(path, spread, line)
    except FormatError:
        return None
    if len(values) != len(rows) * len(names):
        return None
    first = tuple(body.lstrip("\n").partition("\n")[0].split(separator))
    return Table(path, names, values.reshape(len(rows), len(names)), rows + line, first)


def _any(path: Path, names: tuple[str, ...], body: str, separator: str, line: int) -> Table:
    """Row by row, with quotes, blanks and gaps; what is wrong is named with its line and column."""
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
    return [_cell(path, cell.strip(), name, line) for cell, name in zip(cells, names, strict=True)]


def _cell(path: Path, text: str, name: str, line: int) -> float:
    value = _MISSING.get(text.lower())
    value = finite_number(text) if value is None else value
    if value is None:
        raise FormatError(path, f"column {name!r} needs a finite number, not {text[:40]!r}", f"line {line}")
    return value
