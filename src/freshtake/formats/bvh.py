"""Read and write BVH: a hierarchy of joints with channels, and one row of numbers per frame."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

import numpy as np

from freshtake.errors import FormatError, InvalidMotion
from freshtake.formats.files import DEEPEST, read_text, write_bytes
from freshtake.formats.numbers import COMPUTED_DECIMALS, finite_number, format_rows, parse_numbers, words_per_line
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions, choose_for
from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.body.orientation import hides_up
from freshtake.motion.body.rooting import rooted
from freshtake.motion.channels import channels_from_clip, clip_from_channels
from freshtake.motion.kinds import kind_word
from freshtake.numeric.arrays import Floats

_CHANNELS = {
    f"{axis}{kind}": f"{kind[0].replace('p', 't')}{axis.lower()}" for axis in "XYZ" for kind in ("position", "rotation")
}
_LOWER = {name.lower(): short for name, short in _CHANNELS.items()}
_LONG = {short: name for name, short in _CHANNELS.items()}
_WORD = re.compile(r"\s*([{}]|[^\s{}]+)")
_NAME = re.compile(r"\s*([^\s{}](?:[^{}\n]*[^\s{}])?)")  # the rest of the line: a joint's name may contain spaces


@dataclass
class _Joint:
    """A joint while its block is being read, and where its name is in the text."""

    name: str
    parent: int
    place: int
    offset: tuple[float, float, float] | None = None
    channels: tuple[str, ...] | None = None


class _Reader:
    """An iterator over the words of the hierarchy; every error names the line."""

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
                if len(open_joints) >= DEEPEST:
                    raise FormatError(self.path, f"joints are nested deeper than {DEEPEST}", self.line(self.place))
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
    """Return the skeleton that the hierarchy describes, and the position after the word MOTION that follows it.

    Lines of the text must end with a line feed alone.
    """
    reader = _Reader(path, text)
    reader.hierarchy()
    seen: dict[str, _Joint] = {}
    for joint in reader.joints:
        if joint.offset is None:
            raise FormatError(path, f"joint {joint.name!r} has no OFFSET", reader.line(joint.place))
        if joint.name in seen:
            first = reader.line(seen[joint.name].place)
            problem = f"two joints are named {joint.name!r} (the first in {first})"
            raise FormatError(path, problem, reader.line(joint.place))
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


@lru_cache(maxsize=64)
def _hierarchy(skeleton: Skeleton) -> tuple[str, list[int]]:
    """Return the text, and the order of the skeleton's channel columns in it (depth first)."""
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
    """Return a joint's block without its children and without its closing brace."""
    tab, channels = "  " * depth, skeleton.channels[joint]
    name = _check_name(skeleton.names[joint], "joint")
    lines = [
        f"{tab}{'JOINT' if depth else 'ROOT'} {name}",
        f"{tab}{{",
        f"{tab}  OFFSET {_vector(skeleton.offsets[joint].tolist())}",
        " ".join([f"{tab}  CHANNELS {len(channels)}", *[_LONG[c] for c in channels]]),
    ]
    for site in sites:
        label = f"End Site {_check_name(site.name, 'end site')}" if site.name else "End Site"
        lines += [f"{tab}  {label}", f"{tab}  {{", f"{tab}    OFFSET {_vector(site.offset)}", f"{tab}  }}"]
    return lines


def _check_name(name: str, what: str) -> str:
    if _NAME.fullmatch(name) is None or name != name.strip():
        raise InvalidMotion(f"the {what} name {name!r} has braces or outer blanks, which BVH cannot store: rename it")
    return name


def _vector(values: tuple[float, ...] | list[float]) -> str:
    return " ".join(repr(float(v)) for v in values)


_HEADER = re.compile(r"\s*Frames\s*:\s*(\S+)\s+Frame\s+Time\s*:\s*(\S+)", re.IGNORECASE)
# BVH has no field for the vertical axis, and no comments. If the body does not reveal it, blanks after the first word
# state it. Every reader skips these; without them a variant of a z-up take could be read back lying down.
_UP_MARKS = {"y": " \t", "z": "\t "}
_SPLICED_HEADER = re.compile(rb"(MOTION\s+Frames\s*:\s*)(\S+)\s+Frame\s+Time\s*:\s*\S+", re.IGNORECASE)


def read(path: Path, options: ReadOptions) -> Clip:
    """Read one clip; `channels` holds the numbers of the file unchanged."""
    text = read_text(path)
    skeleton, end = parse_hierarchy(path, text)
    frame_time, values = _parse_motion(path, text[end:], skeleton.channel_count, text.count("\n", 0, end) + 1)
    first_line = text.partition("\n")[0]
    up = next((axis for axis, mark in _UP_MARKS.items() if first_line == f"HIERARCHY{mark}"), "y")
    return clip_from_channels(
        skeleton, values, frame_time,
        name=path.stem, provenance=path.name, unit_m=options.unit_m, up=options.up or up,
    )  # fmt: skip


def _parse_motion(path: Path, body: str, columns: int, line: int) -> tuple[float, Floats]:
    """Return the frame time and the numbers (frames, columns) after the word MOTION."""
    header = _HEADER.match(body)
    if header is None:
        raise FormatError(path, "'Frames: N' and 'Frame Time: seconds' were expected after MOTION", f"line {line}")
    if not re.fullmatch(r"\+?\d{1,12}", header[1]) or int(header[1]) == 0:
        problem = f"a number of frames above 0 was expected after 'Frames:', not {header[1][:40]!r}"
        raise FormatError(path, problem, f"line {line + body.count(chr(10), 0, header.start(1))}")
    frames = int(header[1])
    line += body.count("\n", 0, header.end())
    frame_time = finite_number(header[2].replace(",", "."))
    if frame_time is None or frame_time <= 0:
        problem = f"a frame time above 0 s was expected after 'Frame Time:', not {header[2][:40]!r}"
        raise FormatError(path, problem, f"line {line}")
    if columns == 0:
        raise FormatError(path, "no joint has a channel, so there is no motion in the file", f"line {line}")
    data = body[header.end() :]
    values = parse_numbers(path, data, line)
    if len(values) != frames * columns:
        whole, rest = divmod(len(values), columns)
        actual = _count_of(whole, "frame") + (f" and {_count_of(rest, 'number')}" if rest else "")
        declared = f"{_count_of(frames, 'frame')} of {_count_of(columns, 'channel')}"
        problem = f"{declared} were expected, but the data has {actual}: correct 'Frames:' or the data"
        raise FormatError(path, problem, f"line {line}")
    _check_rows(path, data, frames, columns, line)
    return frame_time, values.reshape(frames, columns)


def _count_of(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _check_rows(path: Path, data: str, frames: int, columns: int, line: int) -> None:
    """Check that each line holds one frame if there are as many lines as frames; wrapped frames are accepted."""
    words = words_per_line(data)
    filled = np.flatnonzero(words)
    if len(filled) == frames and (words[filled] != columns).any():
        odd = int(filled[np.argmax(words[filled] != columns)])
        problem = f"{columns} numbers were expected in this line, one per channel, not {words[odd]}"
        raise FormatError(path, problem, f"line {line + odd}")


def write(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write a clip. Channels that came from a file are written with all their digits."""
    if not isinstance(motion, Clip):
        raise FormatError(path, f"BVH holds a skeleton in motion, not a {kind_word(motion)}: {choose_for(motion)}")
    write_bytes(path, to_bytes(path, motion))


def to_bytes(path: Path, clip: Clip) -> bytes:
    """Return the complete file, in UTF-8."""
    layout_for_bvh = _other_layout(clip.skeleton)
    clip = clip if layout_for_bvh is None else clip.changed(skeleton=layout_for_bvh)
    try:
        layout, values = channels_from_clip(clip)
        hierarchy, columns = _hierarchy(layout)
    except InvalidMotion as error:
        raise FormatError(path, str(error)) from None
    rounded = values if clip.channels is not None else _round(values)
    if hides_up(clip if clip.joint_translations is None else rooted(clip)):
        hierarchy = hierarchy.replace("\n", f"{_UP_MARKS[clip.up]}\n", 1)
    header = f"{hierarchy}MOTION\nFrames: {len(clip)}\nFrame Time: {clip.frame_time!r}\n"
    return header.encode() + format_rows(rounded[:, columns])


def splice(source: Path, before: Floats, after: Floats) -> bytes | None:
    """Return a BVH file that differs from another only in the bytes of changed numbers.

    `before` (frames, channels) are its numbers, `after` (frames or more, channels) the new ones. None if the file
    does not have a line for every frame.
    """
    data = source.read_bytes()
    header = _SPLICED_HEADER.search(data)
    if header is None:
        return None
    ending = b"\r\n" if b"\r\n" in data[: header.end()] else b"\n"
    lines = data[header.end() :].split(ending)
    filled = [k for k, line in enumerate(lines) if line.strip()]
    if len(filled) != len(before) or any(len(lines[k].split()) != before.shape[1] for k in filled):
        return None
    rounded = _round(after)
    for frame in np.flatnonzero((after[: len(before)] != before).any(axis=1)).tolist():
        words = re.split(rb"(\s+)", lines[filled[frame]])
        # Numbers and the blanks between them alternate; an indented line begins with an empty word.
        first = 0 if words[0] else 2
        for column in np.flatnonzero(after[frame] != before[frame]).tolist():
            words[first + 2 * column] = repr(float(rounded[frame, column])).encode()
        lines[filled[frame]] = b"".join(words)
    added = [" ".join(map(repr, row)).encode() for row in rounded[len(before) :].tolist()]
    lines[filled[-1] + 1 : filled[-1] + 1] = added
    count = str(len(after)).encode() if added else header[2]
    return data[: header.start(2)] + count + data[header.end(2) : header.end()] + ending.join(lines)


@lru_cache(maxsize=64)
def _other_layout(skeleton: Skeleton) -> Skeleton | None:
    """Return the skeleton with a layout that BVH can hold: no bone axes, rotations in the order of the columns.

    None if the skeleton's layout is already of this kind. An Acclaim clip gets three plain angles.
    """
    if skeleton.axes is not None:
        return replace(skeleton.with_layout(), axes=None)
    listed = tuple("".join(c[1].upper() for c in channels if c[0] == "r") for channels in skeleton.channels)
    if skeleton.orders == listed:
        return None
    moves = [tuple(c for c in channels if c[0] == "t") for channels in skeleton.channels]
    turns = [tuple(f"r{axis.lower()}" for axis in order) for order in skeleton.orders]
    return skeleton.with_layout(tuple(a + b for a, b in zip(moves, turns, strict=True)))


def _round(values: Floats) -> Floats:
    with np.errstate(over="ignore"):
        rounded = np.round(values, COMPUTED_DECIMALS) + 0.0
    return np.where(np.isfinite(rounded), rounded, values)
