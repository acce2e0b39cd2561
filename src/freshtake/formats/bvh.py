"""BVH: any joint tree, any channel order, read and written so that nothing is lost."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.errors import FormatError, InvalidMotion
from freshtake.formats.bvh_hierarchy import parse_hierarchy, write_hierarchy
from freshtake.formats.files import read_text, write_bytes
from freshtake.formats.numbers import finite_number, format_rows, parse_numbers, words_per_line
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.motion import Clip, Skeleton
from freshtake.motion.channels import channels_from_clip, clip_from_channels
from freshtake.motion.kind_words import kind_word
from freshtake.numeric.arrays import Floats

_HEADER = re.compile(r"\s*Frames\s*:\s*(\S+)\s+Frame\s+Time\s*:\s*(\S+)", re.IGNORECASE)
_DECIMALS = 9  # of degrees and units that we computed ourselves; a file's own numbers keep all their digits


class _Motion(NamedTuple):
    frame_time: float
    values: Floats  # (frames, channels)


def read(path: Path, options: ReadOptions) -> Clip:
    """One clip; `channels` holds the file's numbers as they stand."""
    text = read_text(path)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    skeleton, end = parse_hierarchy(path, text)
    motion = _parse_motion(path, text[end:], skeleton.channel_count, text.count("\n", 0, end) + 1)
    return clip_from_channels(
        skeleton,
        motion.values,
        motion.frame_time,
        name=path.stem,
        provenance=path.name,
        unit_m=options.unit_m,
        up=options.up or "y",
    )


def _parse_motion(path: Path, body: str, columns: int, line: int) -> _Motion:
    header = _HEADER.match(body)
    if header is None:
        raise FormatError(path, "'Frames: N' and 'Frame Time: seconds' were expected after MOTION", f"line {line}")
    frames = _count(path, header[1], line + body.count("\n", 0, header.start(1)))
    line += body.count("\n", 0, header.end())
    frame_time = _frame_time(path, header[2], line)
    if columns == 0:
        raise FormatError(path, "no joint has a channel, so there is no motion in the file", f"line {line}")
    data = body[header.end() :]
    values = parse_numbers(path, data, line)
    if len(values) != frames * columns:
        raise FormatError(path, _wrong_count(frames, columns, len(values)), f"line {line}")
    _check_rows(path, data, frames, columns, line)
    return _Motion(frame_time, values.reshape(frames, columns))


def _wrong_count(frames: int, columns: int, numbers: int) -> str:
    whole, rest = divmod(numbers, columns)
    actual = _counted(whole, "frame") + (f" and {_counted(rest, 'number')}" if rest else "")
    declared = f"{_counted(frames, 'frame')} of {_counted(columns, 'channel')}"
    return f"{declared} were expected, but the data has {actual}: correct 'Frames:' or the data"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _check_rows(path: Path, data: str, frames: int, columns: int, line: int) -> None:
    """Where every frame has a line of its own, each line must hold one frame; wrapped frames are left alone."""
    words = words_per_line(data)
    filled = np.flatnonzero(words)
    if len(filled) == frames and (words[filled] != columns).any():
        odd = int(filled[np.argmax(words[filled] != columns)])
        problem = f"{columns} numbers were expected in this line, one per channel, not {words[odd]}"
        raise FormatError(path, problem, f"line {line + odd}")


def _count(path: Path, text: str, line: int) -> int:
    if not re.fullmatch(r"\+?\d{1,12}", text) or int(text) == 0:
        raise FormatError(
            path, f"a number of frames above 0 was expected after 'Frames:', not {text[:40]!r}", f"line {line}"
        )
    return int(text)


def _frame_time(path: Path, text: str, line: int) -> float:
    value = finite_number(text.replace(",", "."))
    if value is None or value <= 0:
        raise FormatError(
            path, f"a frame time above 0 s was expected after 'Frame Time:', not {text[:40]!r}", f"line {line}"
        )
    return value


def write(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write a clip. Channels that came from a file are written with all their digits."""
    if not isinstance(motion, Clip):
        raise FormatError(path, f"BVH holds a skeleton in motion, not a {kind_word(motion)}: choose .npz or .csv")
    write_bytes(path, to_bytes(path, motion))


def to_bytes(path: Path, clip: Clip) -> bytes:
    """The whole file, in UTF-8."""
    clip = _with_plain_angles(clip)
    try:
        layout, values = channels_from_clip(clip)
    except InvalidMotion as error:
        raise FormatError(path, str(error)) from None
    hierarchy, columns = write_hierarchy(path, layout)
    rounded = values if clip.channels is not None else _rounded(values)
    header = f"{hierarchy}MOTION\nFrames: {len(clip)}\nFrame Time: {clip.frame_time!r}\n"
    return header.encode() + format_rows(rounded[:, columns])


def _with_plain_angles(clip: Clip) -> Clip:
    other = _other_layout(clip.skeleton)
    return clip if other is None else clip.changed(skeleton=other)


@lru_cache(maxsize=64)
def _other_layout(skeleton: Skeleton) -> Skeleton | None:
    """BVH has no bone axes (an Acclaim clip gets three plain angles) and turns in the order of its columns.

    None where the skeleton's own layout is of this kind.
    """
    if skeleton.axes is not None:
        return replace(skeleton.with_layout(), axes=None)
    listed = tuple("".join(c[1].upper() for c in channels if c[0] == "r") for channels in skeleton.channels)
    if skeleton.orders == listed:
        return None
    moves = [tuple(c for c in channels if c[0] == "t") for channels in skeleton.channels]
    turns = [tuple(f"r{axis.lower()}" for axis in order) for order in skeleton.orders]
    return skeleton.with_layout(tuple(a + b for a, b in zip(moves, turns, strict=True)))


def _rounded(values: Floats) -> Floats:
    with np.errstate(over="ignore"):
        rounded = np.round(values, _DECIMALS) + 0.0
    return np.where(np.isfinite(rounded), rounded, values)
