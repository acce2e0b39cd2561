"""MOT: tables of coordinates for OpenSim (also .sto): a heading, a line of names, a line of numbers for each frame."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.clip_sets import in_metres
from freshtake.formats.files import read_text, write_bytes
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.formats.table import stroke_from
from freshtake.formats.table_cells import parse_table
from freshtake.motion import Clip, Stroke
from freshtake.motion.channels import channels_from_clip
from freshtake.motion.kind_words import kind_word
from freshtake.numeric.arrays import Floats

_END = re.compile(r"^[ \t]*endheader[ \t]*$", re.IGNORECASE | re.MULTILINE)
_MOST_HEADING = 100_000  # characters


def read(path: Path, options: ReadOptions) -> Stroke:
    """The coordinates as they stand, in their own units: a stroke whose dimensions are the columns."""
    text = read_text(path).replace("\r\n", "\n").replace("\r", "\n")
    end = _END.search(text, 0, _MOST_HEADING)
    if end is None:
        raise FormatError(path, "a heading that ends with 'endheader' was expected", "line 1")
    heading, body = text[: end.end()], text[end.end() :]
    above = len(body) - len(body.lstrip())
    lines = body[above:].split("\n")
    table = "\n".join("\t".join(line.split()) for line in lines)
    return stroke_from(parse_table(path, "\n" * (heading + body[:above]).count("\n") + table), options)


def write(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write a stroke's dimensions as they are, or a clip's channels: degrees and metres, y up."""
    if isinstance(motion, Clip):
        skeleton, values = channels_from_clip(in_metres(path, motion, options, "MOT"))
        layout = zip(skeleton.names, skeleton.channels, strict=True)
        names = [f"{name}_{channel}" for name, channels in layout for channel in channels]
        times = np.arange(float(len(motion))) * motion.frame_time
    elif isinstance(motion, Stroke):
        names, times, values = list(motion.dimensions), motion.times, motion.points
    else:
        raise FormatError(path, f"MOT holds a clip or a table, not a {kind_word(motion)}: choose .trc or .csv")
    plain = [re.sub(r"\s", "_", name) for name in names]
    if len(set(plain)) < len(plain) or "" in plain or "time" in [name.lower() for name in plain]:
        raise FormatError(path, "the columns' names must differ and not be 'time': rename them")
    write_bytes(path, _text(path, plain, times, values, isinstance(motion, Clip)).encode())


def _text(path: Path, names: list[str], times: Floats, values: Floats, degrees: bool) -> str:
    heading = [
        re.sub(r"\s", "_", path.stem), "version=1", f"nRows={len(values)}", f"nColumns={len(names) + 1}",
        f"inDegrees={'yes' if degrees else 'no'}", "endheader", "\t".join(["time", *names]),
    ]  # fmt: skip
    rows = ["\t".join(map(repr, row)) for row in np.column_stack([times, values]).tolist()]
    return "\n".join([*heading, *rows]) + "\n"
