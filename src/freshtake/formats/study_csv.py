"""Read and write a study as CSV: ratings (participant,position,experiment,motion,stimulus,score) and the key.

The sheet of ratings does not contain the conditions; the key (stimulus,experiment,motion,condition,sources) does, and
stays with the person who runs the study.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from freshtake.errors import FormatError, UsageError
from freshtake.evaluation.study.schedule import (
    Rating,
    Stimulus,
    Trial,
    check_stimulus,
    scale_of,
)
from freshtake.formats.files import read_text, write_bytes

RATINGS = ("participant", "position", "experiment", "motion", "stimulus", "score")
KEY = ("stimulus", "experiment", "motion", "condition", "sources")
BETWEEN = ";"  # separates the sources of one stimulus


def write_ratings(path: Path, rows: Iterable[Rating | Trial]) -> None:
    """Write ratings, or trials whose scores are not filled in yet."""
    write_bytes(path, ratings_text(rows))


def ratings_text(rows: Iterable[Rating | Trial]) -> bytes:
    """Return the bytes that `write_ratings` writes."""
    table = [(*row[:5], "" if isinstance(row, Trial) or row.score is None else row.score) for row in rows]
    return _text(RATINGS, table)


def read_ratings(path: Path) -> list[Rating]:
    """Return all rows, checked; an empty score is None. A bad row is an error that names its line."""
    ratings, seen = [], set()
    for line, cells in _rows(path, RATINGS):
        rating = _rating(path, line, cells)
        if (rating.participant, rating.position) in seen:
            problem = f"{rating.participant} has two rows at position {rating.position}: keep one"
            raise FormatError(path, problem, f"line {line}")
        seen.add((rating.participant, rating.position))
        ratings.append(rating)
    if not ratings:
        raise FormatError(path, "the table has no ratings below its line of names")
    return ratings


def write_key(path: Path, stimuli: Iterable[Stimulus]) -> None:
    """Write the key: what every stimulus is."""
    table = [(s.name, s.experiment, s.motion, s.condition, BETWEEN.join(s.sources)) for s in stimuli]
    write_bytes(path, _text(KEY, table))


def read_key(path: Path) -> dict[str, Stimulus]:
    """Return the stimuli by name, checked."""
    stimuli: dict[str, Stimulus] = {}
    for line, (name, experiment, motion, condition, sources) in _rows(path, KEY):
        stimulus = Stimulus(name, experiment, motion, condition, tuple(filter(None, sources.split(BETWEEN))))
        if name in stimuli:
            raise FormatError(path, f"the stimulus {name!r} is listed twice: keep one", f"line {line}")
        try:
            check_stimulus(stimulus)
        except UsageError as error:
            raise FormatError(path, str(error), f"line {line}") from None
        stimuli[name] = stimulus
    return stimuli


def _rating(path: Path, line: int, cells: Sequence[str]) -> Rating:
    participant, position, experiment, motion, stimulus, score = cells
    for name, value in (("participant", participant), ("stimulus", stimulus)):
        if not value:
            raise FormatError(path, f"the {name} is missing", f"line {line}")
    if not (position.isascii() and position.isdigit() and len(position) < 10 and int(position) >= 1):
        problem = f"the position is {position[:40]!r}: whole numbers from 1 on are expected"
        raise FormatError(path, problem, f"line {line}")
    lowest, highest = scale_of(experiment)
    if score and score not in {str(k) for k in range(lowest, highest + 1)}:
        problem = f"the score is {score[:40]!r}: a whole number from {lowest} to {highest} is expected, or nothing"
        raise FormatError(path, problem, f"line {line}")
    return Rating(participant, int(position), experiment, motion, stimulus, int(score) if score else None)


def _rows(path: Path, names: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Return line numbers and cells in the order of `names`; the file may have other columns and another order."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        head = [cell.strip().lower() for cell in next(reader, [])]
        missing = [name for name in names if name not in head]
        if missing:
            raise FormatError(path, f"the column {missing[0]!r} is missing; {', '.join(names)} are expected", "line 1")
        places = [head.index(name) for name in names]
        out = []
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(head):
                problem = f"there are {len(cells)} cells where the line of names has {len(head)}"
                raise FormatError(path, problem, f"line {reader.line_num}")
            out.append((reader.line_num, [cells[k].strip() for k in places]))
    except csv.Error as error:
        raise FormatError(path, f"this is not a CSV table ({error})", f"line {reader.line_num}") from None
    return out


def _text(names: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue().encode()
