"""C3D: optical markers as a point clip. Read by our own code, written by ezc3d.

ezc3d ends the whole process on some damaged files, so nothing that a stranger wrote is given to it. Analog
channels and events are passed over. A point is a gap where its residual is negative, a coordinate is not a
number, or it lies at exactly 0 0 0 with no residual and no camera, as some systems mark a marker that was not seen.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError, MissingExtra
from freshtake.formats.c3d_parameters import BLOCK, Header, Numbers, Parameters, parse_sections
from freshtake.formats.clip_sets import unit_in_metres
from freshtake.formats.files import read_bytes, replacing
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.motion import Clip, PointClip
from freshtake.motion.kind_words import kind_word
from freshtake.motion.points import joint_points
from freshtake.numeric.arrays import Floats

_METRES = {"mm": 0.001, "cm": 0.01, "dm": 0.1, "m": 1.0, "in": 0.0254, "inch": 0.0254, "inches": 0.0254, "ft": 0.3048}
_LONGEST_NAME = 120  # bytes
_ENDLESS = 65535  # the largest count that 16 bits hold: the true one is then elsewhere


def read(path: Path, options: ReadOptions) -> PointClip:
    """All points over all frames. Up is what POINT:Y_SCREEN says, else z, as is usual for C3D."""
    data = read_bytes(path)
    header, parameters, numbers = parse_sections(path, data)
    words = _point_words(path, data, header, parameters, numbers)
    return PointClip(
        _labels(parameters, words.shape[1]),
        _positions(words, header.scale),
        1.0 / _rate(path, header, parameters),
        name=path.stem,
        provenance=path.name,
        up=options.up or _up(parameters),
        unit_m=_unit(parameters) or options.unit_m,
    )


def _point_words(path: Path, data: bytes, header: Header, parameters: Parameters, numbers: Numbers) -> npt.NDArray[Any]:
    """(frames, points, 4) as stored: x, y, z and the word of residual and cameras."""
    used = parameters.number("POINT", "USED")
    points = header.points if used is None else int(_unsigned(used))
    if points == 0:
        raise FormatError(path, "the file has no points, and analog channels alone are not motion", "POINT:USED")
    frames = _frame_count(header, parameters)
    if frames < 1:
        raise FormatError(
            path, f"frames {header.first} to {header.last} are not a range: the header is damaged", "byte 6"
        )
    start = (header.data_block - 1) * BLOCK
    if start < BLOCK:
        raise FormatError(path, f"the header puts the start of the data in block {header.data_block}", "byte 16")
    if not 0.0 < abs(header.scale) < np.inf:
        raise FormatError(path, f"a scale other than 0 was expected, not {header.scale}", "byte 12")
    floating = header.scale < 0.0
    width = (4 if floating else 2) * (4 * points + header.analog)
    there = max(len(data) - start, 0) // width
    if there < frames:
        problem = f"{frames} frames of {width} bytes are declared, but {there} are there: the file is cut or damaged"
        raise FormatError(path, problem, f"byte {start}")
    raw = data[start : start + frames * width]
    with np.errstate(all="ignore"):
        table = (numbers.floats(raw) if floating else numbers.integers(raw)).reshape(frames, -1)
    return table[:, : 4 * points].reshape(frames, points, 4)


def _frame_count(header: Header, parameters: Parameters) -> int:
    """Last minus first plus one; counts beyond 16 bits stand in other parameters."""
    count = header.last - header.first + 1
    frames = _unsigned(parameters.number("POINT", "FRAMES") or 0.0)
    if count < 1 or header.last == _ENDLESS or frames >= _ENDLESS:
        first = parameters.numbers("TRIAL", "ACTUAL_START_FIELD")
        last = parameters.numbers("TRIAL", "ACTUAL_END_FIELD")
        span = _long(last) - _long(first) + 1 if len(first) == 2 and len(last) == 2 else 0.0
        longer = parameters.number("POINT", "LONG_FRAMES") or 0.0
        counts = [float(count), frames, span, longer]
        return int(max(value if abs(value) < 2**40 else 0.0 for value in counts))
    return count


def _long(halves: list[float]) -> float:
    return _unsigned(halves[0]) + 65536.0 * _unsigned(halves[1])


def _unsigned(value: float) -> float:
    """A count that was stored as a signed 16-bit integer; not a number counts as none."""
    if not abs(value) < 2**40:
        return 0.0
    return value + 65536.0 if value < 0.0 else value


def _positions(words: npt.NDArray[Any], scale: float) -> Floats:
    """Coordinates in the file's unit, gaps as NaN."""
    with np.errstate(all="ignore"):
        positions = words[..., :3].astype(np.float64)
        residual = words[..., 3]
        if scale >= 0.0:
            positions *= scale
        unseen = (positions == 0.0).all(-1) & ~(residual > 0)
        gaps = (residual < 0) | np.isnan(positions).any(-1) | unseen
    positions[gaps] = np.nan
    return positions


def _rate(path: Path, header: Header, parameters: Parameters) -> float:
    for rate in (parameters.number("POINT", "RATE"), header.rate):
        if rate is not None and 1e-6 < rate < 1e9:
            return float(str(np.float32(rate)))  # 29.97 was meant, not the nearest 32-bit number 29.969999
    raise FormatError(path, f"a frame rate above 0 was expected, not {header.rate:g}", "byte 20")


def _up(parameters: Parameters) -> str:
    screen = "".join(parameters.texts("POINT", "Y_SCREEN")[:1]).lower()
    return screen[-1] if screen in ("y", "+y", "-y", "z", "+z", "-z") else "z"


def _unit(parameters: Parameters) -> float | None:
    return _METRES.get("".join(parameters.texts("POINT", "UNITS")[:1]).lower())


def _labels(parameters: Parameters, count: int) -> tuple[str, ...]:
    """LABELS, LABELS2 and so on, one after the other; missing ones are numbered, repeated ones told apart."""
    labels: list[str] = parameters.texts("POINT", "LABELS")[:count]
    group = 2
    while len(labels) < count and (more := parameters.texts("POINT", f"LABELS{group}")):
        labels = labels + more[: count - len(labels)]
        group += 1
    labels = labels + [""] * (count - len(labels))
    taken = set(labels)
    names: dict[str, None] = {}
    repeats: dict[str, int] = {}
    for number, label in enumerate(labels, start=1):
        name = label or f"point{number}"
        while name in names or (name != label and name in taken):
            repeats[label] = repeats.get(label, 1) + 1
            name = f"{label or 'point'}_{repeats[label]}"
        names[name] = None
    return tuple(names)


def write(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write a point clip, or the joint positions of a clip, in 32-bit floats; gaps read back as gaps.

    A unit that C3D has no name for is converted to millimetres; that of a clip is guessed where it is not known.
    """
    if isinstance(motion, Clip):
        motion = motion.changed(unit_m=unit_in_metres(path, motion, options, "C3D stores its unit"))
    points = joint_points(motion) if isinstance(motion, Clip) else motion
    if not isinstance(points, PointClip):
        raise FormatError(path, f"C3D holds points over time, not a {kind_word(motion)}: choose .npz or .csv")
    positions, unit = _in_named_unit(points, options.unit_m or points.unit_m)
    too_long = next((name for name in points.names if len(name.encode()) > _LONGEST_NAME), None)
    if too_long is not None:
        raise FormatError(path, f"the point name {too_long[:40]!r}... is longer than the {_LONGEST_NAME} bytes of C3D")
    with np.errstate(over="ignore"):
        single = positions.astype(np.float32)
    if np.isinf(single).any():
        raise FormatError(path, "a position is too large for the 32-bit numbers of C3D: scale the clip down first")
    try:
        import ezc3d
    except ImportError:
        raise MissingExtra("writing C3D files", "c3d") from None
    if not unit:
        options.warn(f"{path.name}: the points do not state their unit, so neither does the file: give --unit")
    content = _content(ezc3d.c3d(), points, single, unit)
    with replacing(path) as temporary:
        ending = temporary.with_name(f"{temporary.name}.c3d")  # ezc3d insists on it
        try:
            content.write(str(ending))
            _check_whole(path, ending, points)
            ending.replace(temporary)
        finally:
            ending.unlink(missing_ok=True)


def _check_whole(path: Path, written: Path, points: PointClip) -> None:
    """Read what was written: ezc3d says nothing when the disk is full."""
    try:
        shape = read(written, ReadOptions()).positions.shape
    except FormatError:
        shape = ()
    if shape != points.positions.shape:
        raise FormatError(path, "the file could not be written whole: is the disk full?")


def _in_named_unit(points: PointClip, unit_m: float | None) -> tuple[Floats, str]:
    if unit_m is None:
        return points.positions, ""
    for name, metres in _METRES.items():
        if abs(unit_m / metres - 1.0) < 1e-9:
            return points.positions, name
    return points.positions * (unit_m / _METRES["mm"]), "mm"


def _content(content: Any, points: PointClip, single: npt.NDArray[np.float32], unit: str) -> Any:
    frames, count = single.shape[:2]
    gaps = points.gaps()
    about = content["parameters"]["POINT"]
    about["RATE"]["value"] = [points.fps]
    about["LABELS"]["value"] = list(points.names)
    about["UNITS"]["value"] = [unit] if unit else []
    content.add_parameter("POINT", "X_SCREEN", ["+X"])
    content.add_parameter("POINT", "Y_SCREEN", [f"+{points.up.upper()}"])
    if frames >= _ENDLESS:
        content.add_parameter("POINT", "LONG_FRAMES", [float(frames)])
    values = np.ones((4, count, frames))
    values[:3] = np.where(gaps[..., None], 0.0, single).transpose(2, 1, 0)
    # A residual marks gaps, and tells a point that was seen at the very origin from one that was not seen.
    residuals = np.where(gaps, -1.0, np.where((single == 0.0).all(-1), 1.0, 0.0))
    content["data"]["points"] = values
    content["data"]["meta_points"] = {
        "residuals": residuals.T[None],
        "camera_masks": np.zeros((7, count, frames), dtype=bool),
    }
    return content
