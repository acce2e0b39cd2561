"""Read and write OpenSim's files: markers (.trc) and tables of coordinates (.mot, .sto)."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.files import read_head, read_text, write_bytes
from freshtake.formats.numbers import finite_number
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.formats.rig import in_metres, unit_in_metres
from freshtake.formats.table import (
    Table,
    even_frame_time,
    parse_rows,
    parse_table,
    positions_in,
    require_finite,
    stroke_from,
)
from freshtake.motion import Clip, PointClip, Stroke
from freshtake.motion.channels import channels_from_clip
from freshtake.motion.edit import tilt
from freshtake.motion.kinds import joint_points, kind_word
from freshtake.motion.validation import fps_of
from freshtake.numeric.rotations import rotate

# One module reads both kinds, so the name and the first bytes of a file decide which reader is used.
_MARKERS, _MARKERS_BEGIN = ".trc", b"PathFileType"
_UNITS = {"m": 1.0, "mm": 0.001, "cm": 0.01}
_HEADING = ("DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units")
_OTHERS = ("OrigDataRate", "OrigDataStartFrame", "OrigNumFrames")
_END = re.compile(r"^[ \t]*endheader[ \t]*$", re.IGNORECASE | re.MULTILINE)


def read(path: Path, options: ReadOptions) -> PointClip | Stroke:
    """Read markers (.trc) as a point clip, or a table of coordinates (.mot, .sto) as a stroke."""
    markers = path.suffix.lower() == _MARKERS or read_head(path).startswith(_MARKERS_BEGIN)
    return _read_markers(path, options) if markers else _read_table(path, options)


def write(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write markers (.trc) or a table of coordinates (.mot, .sto), chosen by the file extension."""
    (_write_markers if path.suffix.lower() == _MARKERS else _write_table)(path, motion, options)


def _read_markers(path: Path, options: ReadOptions) -> PointClip:
    """Return a point clip; the file states its unit, but not its up axis."""
    lines = read_text(path).split("\n")
    heading = _heading(path, lines)
    # A limit far above real marker sets: a damaged count must not allocate memory.
    count = _whole(path, heading, "NumMarkers", 10_000)
    names = [cell.strip() for cell in "".join(lines[3:4]).split("\t")[2::3] if cell.strip()]
    if len(names) != count:
        raise FormatError(path, f"{count} markers are declared, but {len(names)} are named", "line 4")
    table = _rows(path, lines, names)
    frames, declared = len(table.values), _whole(path, heading, "NumFrames", 10**9)
    if declared != frames:
        problem = f"{declared} frames are declared, but there are {frames}: correct NumFrames or the rows"
        raise FormatError(path, problem)
    unit = heading["Units"].strip()
    if unit not in _UNITS:
        raise FormatError(path, f"one of {', '.join(_UNITS)} was expected as Units, not {unit[:20]!r}", "line 3")
    return PointClip(
        tuple(names), positions_in(table, names, table.values[:, 2:]), _frame_time(table, heading),
        name=path.stem, provenance=path.name, up=options.up or "y", unit_m=_UNITS[unit],
    )  # fmt: skip


def _heading(path: Path, lines: list[str]) -> dict[str, str]:
    """Return the values of line 3 by the names of line 2."""
    if not lines[0].startswith("PathFileType"):
        raise FormatError(path, "'PathFileType' was expected", "line 1")
    names, values = ("".join(lines[k : k + 1]).split("\t") for k in (1, 2))
    heading = dict(zip([name.strip() for name in names], values, strict=False))
    for key in _HEADING:
        if key not in heading:
            raise FormatError(path, f"{key!r} is missing in the heading", "line 2")
    return heading


def _whole(path: Path, heading: dict[str, str], key: str, most: int) -> int:
    value = finite_number(heading[key].strip())
    if value is None or not 1 <= value <= most or value != int(value):
        raise FormatError(path, f"{key} must be a whole number from 1 to {most}, not {heading[key][:20]!r}", "line 3")
    return int(value)


def _rows(path: Path, lines: list[str], names: list[str]) -> Table:
    """Return frame number, time and coordinates of all frames."""
    columns = ("Frame#", "Time", *[f"{name}.{axis}" for name in names for axis in "xyz"])
    rows = []
    for line in lines[5:]:
        cells = line.rstrip().split("\t") if line.strip() else []
        # Gaps at the end of a line may have lost their tabs.
        rows.append("\t".join([*cells, *[""] * (len(columns) - len(cells))]) if cells else "")
    table = parse_rows(path, columns, "\n".join(rows), "\t", 6)
    require_finite(table, [0, 1])
    return table


def _frame_time(table: Table, heading: dict[str, str]) -> float:
    """Return the seconds per frame: from DataRate, or from the times if they disagree with it."""
    path, times = table.path, table.values[:, 1]
    rate = finite_number(heading["DataRate"].strip())
    if rate is None or rate <= 0:
        raise FormatError(path, f"DataRate must be above 0, not {heading['DataRate'][:20]!r}", "line 3")
    if len(times) < 2:
        return 1.0 / rate
    measured = even_frame_time(table, times, repr(float(times[-1])))
    return 1.0 / rate if abs(measured * rate - 1.0) < 1e-3 else measured


def _write_markers(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write a point clip, or the joint positions of a clip, with y up as in OpenSim and with all digits."""
    if isinstance(motion, Clip):
        motion = joint_points(motion.changed(unit_m=unit_in_metres(path, motion, options, "TRC stores its unit")))
    if not isinstance(motion, PointClip):
        raise FormatError(path, f"TRC holds points over time, not a {kind_word(motion)}: choose .mot or .csv")
    unit_m = options.unit_m or motion.unit_m
    if unit_m is None:
        raise FormatError(path, "TRC stores its unit, but the points do not state theirs: give --unit (mm, cm, m)")
    bad = next((name for name in motion.names if name != name.strip() or "\t" in name or "\n" in name), None)
    if bad is not None:
        raise FormatError(path, f"TRC cannot hold the name {bad!r}: rename it")
    unit = next((name for name, metres in _UNITS.items() if abs(unit_m / metres - 1.0) < 1e-9), "")
    positions, unit = (motion.positions, unit) if unit else (motion.positions * (unit_m / _UNITS["mm"]), "mm")
    if motion.up != "y":
        positions = rotate(tilt(motion.up, "y"), positions)
    write_bytes(path, _marker_text(path, replace(motion, positions=positions, up="y"), unit).encode())


def _marker_text(path: Path, points: PointClip, unit: str) -> str:
    rate, frames, count = repr(fps_of(points.frame_time)), len(points), len(points.names)
    heading = [rate, rate, str(frames), str(count), unit, rate, "1", str(frames)]
    axes = [f"{axis}{k}" for k in range(1, count + 1) for axis in "XYZ"]
    head = [
        ["PathFileType", "4", "(X/Y/Z)", path.name], [*_HEADING, *_OTHERS], heading,
        ["Frame#", "Time", *[cell for name in points.names for cell in (name, "", "")]], ["", "", *axes],
    ]  # fmt: skip
    rows = points.positions.reshape(frames, -1).tolist()
    body = [
        [str(k + 1), repr(k * points.frame_time), *["" if math.isnan(value) else repr(value) for value in row]]
        for k, row in enumerate(rows)
    ]
    return "".join("\t".join(cells) + "\n" for cells in [*head, [], *body])


def _read_table(path: Path, options: ReadOptions) -> Stroke:
    """Return the coordinates, unchanged, as a stroke whose dimensions are the columns."""
    text = read_text(path)
    # Headings are short: only the beginning of the file is searched for the end of the heading.
    end = _END.search(text, 0, 100_000)
    if end is None:
        raise FormatError(path, "a heading that ends with 'endheader' was expected", "line 1")
    heading, body = text[: end.end()], text[end.end() :]
    above = len(body) - len(body.lstrip())
    lines = body[above:].split("\n")
    table = "\n".join("\t".join(line.split()) for line in lines)
    return stroke_from(parse_table(path, "\n" * (heading + body[:above]).count("\n") + table), options)


def _write_table(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write a stroke's dimensions unchanged, or a clip's channels: degrees and metres, y up."""
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
    heading = [
        re.sub(r"\s", "_", path.stem), "version=1", f"nRows={len(values)}", f"nColumns={len(plain) + 1}",
        f"inDegrees={'yes' if isinstance(motion, Clip) else 'no'}", "endheader", "\t".join(["time", *plain]),
    ]  # fmt: skip
    rows = ["\t".join(map(repr, row)) for row in np.column_stack([times, values]).tolist()]
    write_bytes(path, ("\n".join([*heading, *rows]) + "\n").encode())
