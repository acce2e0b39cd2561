"""BVH: any joint tree, any channel order, read and written so that nothing is lost."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.errors import FormatError, InvalidMotion
from freshtake.formats.bvh_hierarchy import parse_hierarchy, write_hierarchy
from freshtake.formats.channels import channels_from_clip, clip_from_channels
from freshtake.formats.files import read_text, write_bytes
from freshtake.formats.options import Motion, ReadOptions, WriteOptions
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats

_HEADER = re.compile(r"\s*Frames\s*:\s*(\S+)\s+Frame\s+Time\s*:\s*(\S+)", re.IGNORECASE)
_DECIMALS = 9  # of degrees and units that we computed ourselves; a file's own numbers keep all their digits


class _Motion(NamedTuple):
    frame_time: float
    values: Floats  # (frames, channels)


def read(path: Path, options: ReadOptions) -> Clip:
    """One clip; `channels` holds the file's numbers as they stand."""
    text = read_text(path)
    split = re.search(r"^\s*MOTION\b", text, re.MULTILINE | re.IGNORECASE)
    if split is None:
        raise FormatError(path, "a line with MOTION was expected after the hierarchy, but there is none", "end of file")
    skeleton = parse_hierarchy(path, text[: split.start()])
    line = text.count("\n", 0, split.end()) + 1
    motion = _parse_motion(path, text[split.end() :], skeleton.channel_count, line)
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
    line += body.count("\n", 0, header.end())
    frames = _count(path, header[1], line)
    frame_time = _frame_time(path, header[2], line)
    if columns == 0:
        raise FormatError(path, "no joint has a channel, so there is no motion in the file", f"line {line}")
    # A number takes two characters at least: a count that cannot fit is refused before anything is allocated.
    if frames * columns > len(body) - header.end():
        raise FormatError(path, _wrong_count(frames, columns, len(body[header.end() :].split())), f"line {line}")
    values = parse_numbers(path, body[header.end() :], line)
    if len(values) != frames * columns:
        raise FormatError(path, _wrong_count(frames, columns, len(values)), f"line {line}")
    return _Motion(frame_time, values.reshape(frames, columns))


def _wrong_count(frames: int, columns: int, numbers: int) -> str:
    whole, rest = divmod(numbers, columns)
    found = f"{whole} frames" + (f" and {rest} numbers" if rest else "")
    return f"{frames} frames of {columns} channels are declared, but {found} are there: correct 'Frames:' or the data"


def _count(path: Path, text: str, line: int) -> int:
    if not re.fullmatch(r"\+?\d{1,12}", text) or int(text) == 0:
        raise FormatError(
            path, f"a number of frames above 0 was expected after 'Frames:', not {text[:40]!r}", f"line {line}"
        )
    return int(text)


def _frame_time(path: Path, text: str, line: int) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = np.nan
    if not (np.isfinite(value) and value > 0):
        raise FormatError(
            path, f"a frame time above 0 s was expected after 'Frame Time:', not {text[:40]!r}", f"line {line}"
        )
    return float(value)


def parse_numbers(path: Path, text: str, first_line: int) -> Floats:
    """All numbers of a text, whatever white space lies between them; others are named with their line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            values: Floats = np.fromstring(text, dtype=np.float64, sep=" ") if text.strip() else np.empty(0)
    except (DeprecationWarning, ValueError):
        raise _bad_number(path, text, first_line) from None
    if not np.isfinite(values).all():
        raise _bad_number(path, text, first_line)
    return values


def _bad_number(path: Path, text: str, first_line: int) -> FormatError:
    for number, row in enumerate(text.split("\n")):
        for token in row.split():
            try:
                good = bool(np.isfinite(float(token))) and "_" not in token
            except ValueError:
                good = False
            if not good:
                return FormatError(
                    path, f"a finite number was expected, not {token[:40]!r}", f"line {first_line + number}"
                )
    return FormatError(path, "a finite number was expected", f"line {first_line}")


def write(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write a clip. Channels that came from a file are written with all their digits."""
    if not isinstance(motion, Clip):
        raise FormatError(path, f"BVH holds a skeleton in motion, not a {type(motion).__name__}: choose .npz or .csv")
    write_bytes(path, to_text(path, motion).encode())


def to_text(path: Path, clip: Clip) -> str:
    """The whole file as text."""
    try:
        layout, values = channels_from_clip(clip)
    except InvalidMotion as error:
        raise FormatError(path, str(error)) from None
    hierarchy, columns = write_hierarchy(path, layout)
    rounded = values if clip.channels is not None else np.round(values, _DECIMALS) + 0.0
    rows = "\n".join([" ".join(map(repr, row)) for row in rounded[:, columns].tolist()])
    return f"{hierarchy}MOTION\nFrames: {len(clip)}\nFrame Time: {clip.frame_time!r}\n{rows}\n"
