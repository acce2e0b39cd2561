"""The frames of an AMC file: words to columns, in one sweep where all frames list their joints alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.numbers import finite_number
from freshtake.motion import Skeleton
from freshtake.numeric.arrays import Floats

_COMMENT = re.compile(r"#[^\n]*")
_WHOLE = re.compile(r"\d{1,15}")
_PLAIN = re.compile(r"[\s!-^`-~]*")  # ASCII without the underscore, which float() would pass over


class AmcText(NamedTuple):
    """`degrees` and `fps` are None where the header leaves them unsaid; `values` is (frames, channels)."""

    degrees: bool | None
    fps: float | None
    values: Floats


def parse_amc(path: Path, text: str, skeleton: Skeleton) -> AmcText:
    """Columns in the skeleton's layout, whatever order the file lists the joints in."""
    text = _COMMENT.sub("", text) if "#" in text else text
    degrees, fps, start = _header(path, text)
    layout = {name: len(dofs) for name, dofs in zip(skeleton.names, skeleton.channels, strict=True) if dofs}
    body, line = text[start:], text.count("\n", 0, start) + 1
    if not body.strip():
        raise FormatError(path, "a frame number was expected after the header, but the file ends there", f"line {line}")
    values = _alike(body, layout)
    return AmcText(degrees, fps, _one_by_one(path, body, line, layout) if values is None else values)


def _header(path: Path, text: str) -> tuple[bool | None, float | None, int]:
    """What the lines that begin with a colon say, and where the frames start."""
    degrees: bool | None = None
    fps: float | None = None
    at, line = 0, 1
    for row in text.splitlines(keepends=True):
        words = row.split()
        if words and not words[0].startswith(":"):
            break
        word = words[0].upper() if words else ""
        if word in (":DEGREES", ":RADIANS"):
            degrees = word == ":DEGREES"
        elif word == ":SAMPLES-PER-SECOND":
            fps = finite_number(words[1]) if len(words) > 1 else None
            if fps is None or not 0.0 < fps <= 1e6:
                raise FormatError(path, "a rate above 0 was expected after :SAMPLES-PER-SECOND", f"line {line}")
        at += len(row)
        line += 1
    return degrees, fps, at


def _alike(body: str, layout: dict[str, int]) -> Floats | None:
    """All frames at once; None unless every frame lists the same joints in the same order, as files usually do."""
    if _PLAIN.fullmatch(body) is None:
        return None
    words = body.split()
    width = 1 + sum(1 + count for count in layout.values())
    if len(words) % width:
        return None
    starts = _joint_places(words[:width], layout)
    if starts is None:
        return None
    for name, place in starts.items():
        if words[place::width].count(name) * width != len(words):
            return None
    names = set(starts.values())
    columns = [words[place::width] for place in range(width) if place not in names]
    try:
        table = np.array([list(map(float, column)) for column in columns]).T
    except ValueError:
        return None
    numbers = table[:, 0]
    whole = all(map(_WHOLE.fullmatch, columns[0]))
    if not whole or not np.isfinite(table).all() or (np.diff(numbers) != 1.0).any():
        return None
    firsts = np.cumsum([1, *[layout[name] for name in starts]])
    at = dict(zip(starts, firsts.tolist(), strict=False))
    order = [at[name] + k for name, count in layout.items() for k in range(count)]
    return np.ascontiguousarray(table[:, order])


def _joint_places(words: Sequence[str], layout: dict[str, int]) -> dict[str, int] | None:
    """Where in the first frame each joint's name stands."""
    starts: dict[str, int] = {}
    place = 1
    while place < len(words):
        name = words[place]
        if name not in layout or name in starts:
            return None
        starts[name] = place
        place += 1 + layout[name]
    return starts


class _Walk:
    """The words of the frames one by one, with their lines, to read unusual files and to name what is wrong."""

    def __init__(self, path: Path, body: str, line: int) -> None:
        self.path = path
        self.words = [(word, number) for number, row in enumerate(body.split("\n"), line) for word in row.split()]
        self.at = 0

    def fail(self, problem: str, back: int = 0) -> FormatError:
        at = min(max(self.at - back, 0), len(self.words) - 1)
        return FormatError(self.path, problem, f"line {self.words[at][1]}")

    def peek(self) -> str:
        return self.words[self.at][0] if self.at < len(self.words) else ""

    def same_line(self) -> bool:
        """Whether the next word stands in the line of the one before."""
        return 0 < self.at < len(self.words) and self.words[self.at][1] == self.words[self.at - 1][1]


def _one_by_one(path: Path, body: str, line: int, layout: dict[str, int]) -> Floats:
    walk = _Walk(path, body, line)
    rows: list[list[float]] = []
    expected: int | None = None
    while walk.peek():
        expected = _frame_number(walk, expected)
        rows.append(_frame(walk, expected, layout))
        expected += 1
    return np.array(rows)


def _frame_number(walk: _Walk, expected: int | None) -> int:
    word = walk.peek()
    if word.isascii() and _WHOLE.fullmatch(word) and expected in (None, int(word)):
        walk.at += 1
        return int(word)
    wanted = "a frame number" if expected is None else f"the frame number {expected}"
    raise walk.fail(f"{wanted} was expected, not {word[:40]!r}: frames must follow one another without a gap")


def _frame(walk: _Walk, frame: int, layout: dict[str, int]) -> list[float]:
    values: dict[str, list[float]] = {}
    while len(values) < len(layout):
        word = walk.peek()
        if word not in layout or word in values:
            raise _no_joint(walk, frame, layout, values)
        walk.at += 1
        values[word] = _numbers(walk, frame, word, layout[word])
    return [value for name in layout for value in values[name]]


def _numbers(walk: _Walk, frame: int, joint: str, count: int) -> list[float]:
    values: list[float] = []
    while walk.same_line():
        value = finite_number(walk.peek())
        if value is None:
            raise walk.fail(f"frame {frame}: joint {joint!r} needs finite numbers, not {walk.peek()[:40]!r}")
        values.append(value)
        walk.at += 1
    if len(values) != count:
        raise walk.fail(f"frame {frame}: joint {joint!r} has {count} dofs, but {len(values)} numbers in its line", 1)
    return values


def _no_joint(walk: _Walk, frame: int, layout: dict[str, int], values: dict[str, list[float]]) -> FormatError:
    word = walk.peek()
    missing = next(name for name in layout if name not in values)
    if word in values:
        return walk.fail(f"frame {frame}: joint {word!r} comes a second time, while {missing!r} is missing")
    if finite_number(word or "0") is not None:
        return walk.fail(f"frame {frame}: joint {missing!r} is missing: every frame lists every joint that has dofs", 1)
    return walk.fail(
        f"frame {frame}: {word[:40]!r} is not a joint with dofs in this skeleton: is this the right ASF file?"
    )
