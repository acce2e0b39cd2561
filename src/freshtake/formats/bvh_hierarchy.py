"""The HIERARCHY part of a BVH file: text to skeleton and back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np

from freshtake.errors import FormatError, InvalidMotion
from freshtake.motion import EndSite, Skeleton

_CHANNELS = {
    f"{axis}{kind}": f"{kind[0].replace('p', 't')}{axis.lower()}" for axis in "XYZ" for kind in ("position", "rotation")
}
_LOWER = {name.lower(): short for name, short in _CHANNELS.items()}
_TOKEN = re.compile(r"[{}]|[^\s{}]+")
_DEEPEST = 500


class _Token(NamedTuple):
    text: str
    line: int


class _Joint:
    """A joint while its block is being read."""

    def __init__(self, name: str, parent: int, line: int) -> None:
        self.name, self.parent, self.line = name, parent, line
        self.offset: tuple[float, float, float] | None = None
        self.channels: tuple[str, ...] | None = None


class _Reader:
    """A walk over the tokens of the hierarchy; every refusal names the line."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.tokens = self._tokens(text)
        self.last = _Token("", 1)
        self.joints: list[_Joint] = []
        self.sites: list[EndSite] = []

    @staticmethod
    def _tokens(text: str) -> Iterator[_Token]:
        for number, row in enumerate(text.splitlines(), start=1):
            # A joint's name may hold spaces: it is the rest of its line.
            named = re.match(r"\s*(ROOT|JOINT)[ \t]+([^{}]*?)[ \t]*(\{.*)?$", row, re.IGNORECASE)
            if named and named[2]:
                yield _Token(named[1], number)
                yield _Token(named[2], number)
                row = named[3] or ""
            for found in _TOKEN.finditer(row):
                yield _Token(found[0], number)

    def fail(self, expected: str) -> NoReturn:
        found = f"not {self.last.text[:40]!r}" if self.last.text else "but the hierarchy ends there"
        raise FormatError(self.path, f"{expected} was expected, {found}", f"line {self.last.line}")

    def next(self) -> str:
        self.last = next(self.tokens, _Token("", self.last.line))
        return self.last.text

    def expect(self, word: str) -> None:
        if self.next().upper() != word:
            self.fail(repr(word))

    def number(self, what: str) -> float:
        text = self.next()
        try:
            value = float(text)
        except ValueError:
            self.fail(what)
        if not np.isfinite(value) or "_" in text:
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
                    raise FormatError(self.path, f"joints are nested deeper than {_DEEPEST}", f"line {self.last.line}")
                self.begin(open_joints[-1])
                open_joints.append(len(self.joints) - 1)
            elif word == "END":
                self.end_site(open_joints[-1])
            else:
                self.fail(f"OFFSET, CHANNELS, JOINT, End Site or }} for joint {joint.name!r}")
        if self.next():
            self.fail("the end of the hierarchy (one ROOT only)")

    def begin(self, parent: int) -> None:
        name = self.next()
        if name in ("", "{", "}"):
            self.fail("the name of a joint")
        self.joints.append(_Joint(name, parent, self.last.line))
        self.expect("{")

    def end_site(self, joint: int) -> None:
        self.expect("SITE")
        name = self.next()
        if name != "{":  # some tools give end sites a name
            self.expect("{")
        self.expect("OFFSET")
        self.sites.append(EndSite(joint, self.vector(), "" if name == "{" else name))
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


def parse_hierarchy(path: Path, text: str) -> Skeleton:
    """The skeleton that the hierarchy describes."""
    reader = _Reader(path, text)
    reader.hierarchy()
    for joint in reader.joints:
        if joint.offset is None:
            raise FormatError(path, f"joint {joint.name!r} has no OFFSET", f"line {joint.line}")
    lines: dict[str, int] = {}
    for joint in reader.joints:
        if joint.name in lines:
            first = lines[joint.name]
            raise FormatError(
                path, f"two joints are named {joint.name!r} (the first in line {first})", f"line {joint.line}"
            )
        lines[joint.name] = joint.line
    try:
        return Skeleton(
            tuple(joint.name for joint in reader.joints),
            np.array([joint.parent for joint in reader.joints]),
            np.array([joint.offset for joint in reader.joints], dtype=np.float64),
            tuple(reader.sites),
            tuple(joint.channels or () for joint in reader.joints),
        )
    except InvalidMotion as error:
        raise FormatError(path, str(error), "hierarchy") from None


def write_hierarchy(path: Path, skeleton: Skeleton) -> tuple[str, list[int]]:
    """The text, and which columns of the skeleton's channels follow one another in it (depth first)."""
    names = {short: name for name, short in _CHANNELS.items()}
    starts = np.concatenate([[0], np.cumsum([len(c) for c in skeleton.channels])])
    lines, columns = ["HIERARCHY"], []
    stack: list[tuple[int, int, bool]] = [(0, 0, False)]
    while stack:
        joint, depth, closing = stack.pop()
        tab = "  " * depth
        if closing:
            lines.append(f"{tab}}}")
            continue
        name, channels = skeleton.names[joint], skeleton.channels[joint]
        if re.search(r"[{}]|^\s|\s$", name):
            raise FormatError(
                path, f"the joint name {name!r} holds braces or outer blanks, which BVH cannot hold: rename it"
            )
        lines += [f"{tab}{'JOINT' if depth else 'ROOT'} {name}", f"{tab}{{"]
        lines.append(f"{tab}  OFFSET {_vector(skeleton.offsets[joint].tolist())}")
        lines.append(" ".join([f"{tab}  CHANNELS {len(channels)}", *[names[c] for c in channels]]))
        columns += list(range(starts[joint], starts[joint + 1]))
        for site in skeleton.end_sites:
            if site.joint == joint:
                label = f" {site.name}" if re.fullmatch(r"[^\s{}]+", site.name) else ""
                lines += [
                    f"{tab}  End Site{label}",
                    f"{tab}  {{",
                    f"{tab}    OFFSET {_vector(site.offset)}",
                    f"{tab}  }}",
                ]
        stack.append((joint, depth, True))
        stack += [(child, depth + 1, False) for child in reversed(skeleton.children(joint))]
    return "\n".join(lines) + "\n", columns


def _vector(values: tuple[float, ...] | list[float]) -> str:
    return " ".join(repr(float(v)) for v in values)
