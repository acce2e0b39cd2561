"""Read and write a study as CSV: ratings (participant,position,experiment,motion,stimulus,score) and the key.

The sheet of ratings does not contain the conditions; the key (stimulus,experiment,motion,condition,sources) does, and
stays with the person who runs the study.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from freshtake.errors import FormatError, UsageError
from freshtake.evaluation.study.schedule import Rating, Stimulus, Trial, check_stimulus, scale_of
from freshtake.formats.files import write_bytes
from freshtake.formats.table import csv_records

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
    """Return all rows, checked; an empty score is None. The error for a bad row names its line."""
    ratings, seen = [], set()
    for line, cells in csv_records(path, RATINGS):
        rating = _rating(path, line, [cells[name] for name in RATINGS])
        if (rating.participant, rating.position) in seen:
            problem = f"{rating.participant} has two rows at position {rating.position}: keep one"
            raise FormatError(path, problem, line)
        seen.add((rating.participant, rating.position))
        ratings.append(rating)
    if not ratings:
        raise FormatError(path, "the table has no ratings below its line of names")
    return ratings


def write_key(path: Path, stimuli: Iterable[Stimulus]) -> None:
    """Write the key, which states what each stimulus is."""
    table = [(s.name, s.experiment, s.motion, s.condition, BETWEEN.join(s.sources)) for s in stimuli]
    write_bytes(path, _text(KEY, table))


def read_key(path: Path) -> dict[str, Stimulus]:
    """Return the stimuli by name, checked."""
    stimuli: dict[str, Stimulus] = {}
    for line, cells in csv_records(path, KEY):
        name, experiment, motion, condition, sources = (cells[column] for column in KEY)
        stimulus = Stimulus(name, experiment, motion, condition, tuple(filter(None, sources.split(BETWEEN))))
        if name in stimuli:
            raise FormatError(path, f"the stimulus {name!r} is listed twice: keep one", line)
        try:
            check_stimulus(stimulus)
        except UsageError as error:
            raise FormatError(path, str(error), line) from None
        stimuli[name] = stimulus
    return stimuli


def _rating(path: Path, line: str, cells: Sequence[str]) -> Rating:
    participant, position, experiment, motion, stimulus, score = cells
    for name, value in (("participant", participant), ("stimulus", stimulus)):
        if not value:
            raise FormatError(path, f"the {name} is missing", line)
    if not (position.isascii() and position.isdigit() and len(position) < 10 and int(position) >= 1):
        problem = f"the position is {position[:40]!r}: a whole number of 1 or more is expected"
        raise FormatError(path, problem, line)
    lowest, highest = scale_of(experiment)
    if score and score not in {str(k) for k in range(lowest, highest + 1)}:
        problem = f"the score is {score[:40]!r}: a whole number from {lowest} to {highest} is expected, or nothing"
        raise FormatError(path, problem, line)
    return Rating(participant, int(position), experiment, motion, stimulus, int(score) if score else None)


def _text(names: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue().encode()
