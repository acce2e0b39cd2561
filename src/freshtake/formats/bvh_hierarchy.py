"""The HIERARCHY part of a BVH file: text to skeleton and back."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

import numpy as np

from freshtake.errors import FormatError, InvalidMotion
from freshtake.formats.numbers import finite_number
from freshtake.motion import EndSite, Skeleton

_CHANNELS = {
    f"{axis}{kind}": f"{kind[0].replace('p', 't')}{axis.lower()}" for axis in "XYZ" for kind in ("position", "rotation")
}
_LOWER = {name.lower(): short for name, short in _CHANNELS.items()}
_LONG = {short: name for name, short in _CHANNELS.items()}
_WORD = re.compile(r"\s*([{}]|[^\s{}]+)")
_NAME = re.compile(r"\s*([^\s{}](?:[^{}\n]*[^\s{}])?)")  # the rest of its line: a joint's name may hold spaces
_DEEPEST = 500


class _Joint:
    """A joint while its block is being read."""

    def __init__(self, name: str, parent: int, place: int) -> None:
        self.name, self.parent, self.place = name, parent, place
        self.offset: tuple[float, float, float] | None = None
        self.channels: tuple[str, ...] | None = None


class _Reader:
    """A walk over the words of the hierarchy; every refusal names the line."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        self.at = 0  # where the next word may begin
        self.word, self.place = "", 0  # the last word and where it began
        self.joints: list[_Joint] = []
        self.sites: list[EndSite] = []

    def line(self, place: int) -> str:
        return f"line {self.text.count(chr(10), 0, place) + 1}"

    def fail(self, expected: str) -> NoReturn:
        actual = f"not {self.word[:40]!r}" if self.word else "but the file ends there"
        raise FormatError(self.path, f"{expected} was expected, {actual}", self.line(self.place))

    def next(self, pattern: re.Pattern[str] = _WORD) -> str:
        match = pattern.match(self.text, self.at)
        self.word = match[1] if match else ""
        self.place = match.start(1) if match else len(self.text.rstrip())
        self.at = match.end() if match else self.at
        return self.word

    def expect(self, word: str) -> None:
        if self.next().upper() != word:
            self.fail(repr(word))

    def number(self, what: str) -> float:
        value = finite_number(self.next())
        if value is None:
            self.fail(what)
        return value

    def vector(self) -> tuple[float, float, float]:
        return self.number("an offset in x"), self.number("an offset in y"), self.number("an offset in z")

    def hierarchy(self) -> None:
        self.expect("HIERARCHY")
        self.expect("ROOT")
        self.begin(-1)
        open_joints = [0]
        while open_joints:
            joint = self.joints[open_joints[-1]]
            word = self.next().upper()
            if word == "}":
                open_joints.pop()
            elif word == "OFFSET" and joint.offset is None:
                joint.offset = self.vector()
            elif word == "CHANNELS" and joint.channels is None:
                joint.channels = self.channel_list(joint)
            elif word == "JOINT":
                if len(open_joints) >= _DEEPEST:
                    raise FormatError(self.path, f"joints are nested deeper than {_DEEPEST}", self.line(self.place))
                self.begin(open_joints[-1])
                open_joints.append(len(self.joints) - 1)
            elif word == "END":
                self.end_site(open_joints[-1])
            else:
                self.fail(f"OFFSET, CHANNELS, JOINT, End Site or }} for joint {joint.name!r}")
        if self.next().upper() != "MOTION":
            self.fail("MOTION after the hierarchy, which has one ROOT,")

    def begin(self, parent: int) -> None:
        name = self.next(_NAME)
        if not name:
            self.next()
            self.fail("the name of a joint")
        self.joints.append(_Joint(name, parent, self.place))
        self.expect("{")

    def end_site(self, joint: int) -> None:
        self.expect("SITE")
        name = self.next(_NAME)  # some tools give end sites a name
        self.expect("{")
        self.expect("OFFSET")
        self.sites.append(EndSite(joint, self.vector(), name))
        self.expect("}")

    def channel_list(self, joint: _Joint) -> tuple[str, ...]:
        count = self.next()
        if not re.fullmatch(r"[0-6]", count):
            self.fail(f"a channel count from 0 to 6 for joint {joint.name!r}")
        names = []
        for _ in range(int(count)):
            short = _LOWER.get(self.next().lower())
            if short is None:
                self.fail(f"one of {', '.join(_CHANNELS)} for joint {joint.name!r}")
            names.append(short)
        return tuple(names)


def parse_hierarchy(path: Path, text: str) -> tuple[Skeleton, int]:
    """The skeleton that the hierarchy describes, and the place behind the word MOTION that follows it.

    Lines of the text end with a line feed alone.
    """
    reader = _Reader(path, text)
    reader.hierarchy()
    seen: dict[str, _Joint] = {}
    for joint in reader.joints:
        if joint.offset is None:
            raise FormatError(path, f"joint {joint.name!r} has no OFFSET", reader.line(joint.place))
        if joint.name in seen:
            first = reader.line(seen[joint.name].place)
            raise FormatError(
                path, f"two joints are named {joint.name!r} (the first in {first})", reader.line(joint.place)
            )
        seen[joint.name] = joint
    try:
        skeleton = Skeleton(
            tuple(joint.name for joint in reader.joints),
            np.array([joint.parent for joint in reader.joints]),
            np.array([joint.offset for joint in reader.joints], dtype=np.float64),
            tuple(reader.sites),
            tuple(joint.channels or () for joint in reader.joints),
        )
    except InvalidMotion as error:
        raise FormatError(path, str(error), "hierarchy") from None
    return skeleton, reader.at


def write_hierarchy(path: Path, skeleton: Skeleton) -> tuple[str, list[int]]:
    """The text, and which columns of the skeleton's channels follow one another in it (depth first)."""
    try:
        return _hierarchy(skeleton)
    except InvalidMotion as error:
        raise FormatError(path, str(error)) from None


@lru_cache(maxsize=64)
def _hierarchy(skeleton: Skeleton) -> tuple[str, list[int]]:
    starts = np.concatenate([[0], np.cumsum([len(c) for c in skeleton.channels])]).tolist()
    below: list[list[int]] = [[] for _ in skeleton.names]
    for joint, parent in enumerate(skeleton.parents.tolist()[1:], start=1):
        below[parent].append(joint)
    sites: list[list[EndSite]] = [[] for _ in skeleton.names]
    for site in skeleton.end_sites:
        sites[site.joint].append(site)
    lines = ["HIERARCHY"]
    columns: list[int] = []
    stack: list[tuple[int, int]] = [(0, 0)]  # (joint, depth); joint -1 closes a block
    while stack:
        joint, depth = stack.pop()
        if joint < 0:
            lines.append("  " * depth + "}")
            continue
        lines += _joint_lines(skeleton, joint, depth, sites[joint])
        columns += range(starts[joint], starts[joint + 1])
        stack.append((-1, depth))
        stack += [(child, depth + 1) for child in reversed(below[joint])]
    return "\n".join(lines) + "\n", columns


def _joint_lines(skeleton: Skeleton, joint: int, depth: int, sites: list[EndSite]) -> list[str]:
    """A joint's block without what hangs on it and without its closing brace."""
    tab, channels = "  " * depth, skeleton.channels[joint]
    name = _writable(skeleton.names[joint], "joint")
    lines = [
        f"{tab}{'JOINT' if depth else 'ROOT'} {name}",
        f"{tab}{{",
        f"{tab}  OFFSET {_vector(skeleton.offsets[joint].tolist())}",
        " ".join([f"{tab}  CHANNELS {len(channels)}", *[_LONG[c] for c in channels]]),
    ]
    for site in sites:
        label = f"End Site {_writable(site.name, 'end site')}" if site.name else "End Site"
        lines += [f"{tab}  {label}", f"{tab}  {{", f"{tab}    OFFSET {_vector(site.offset)}", f"{tab}  }}"]
    return lines


def _writable(name: str, what: str) -> str:
    if _NAME.fullmatch(name) is None or name != name.strip():
        raise InvalidMotion(f"the {what} name {name!r} holds braces or outer blanks, which BVH cannot hold: rename it")
    return name


def _vector(values: tuple[float, ...] | list[float]) -> str:
    return " ".join(repr(float(v)) for v in values)
