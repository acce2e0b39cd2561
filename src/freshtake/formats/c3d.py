"""Read and write C3D: marker positions, with the parameters that state unit, axes and rate."""

import itertools
import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError, MissingExtra
from freshtake.formats.files import read_bytes, replacing
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions, choose_for
from freshtake.formats.rig import distinct, unit_in_metres
from freshtake.motion import Clip, PointClip
from freshtake.motion.kinds import joint_points, kind_word
from freshtake.numeric.arrays import Floats

BLOCK = 512  # bytes; C3D counts its sections in blocks, from 1
_PROCESSORS = {84: "intel", 85: "dec", 86: "sgi"}
_SIZES = {-1: 1, 1: 1, 2: 2, 4: 4}

Value = list[str] | Floats


@dataclass(frozen=True)
class Numbers:
    """The number format of the processor that wrote the file."""

    processor: str

    def integers(self, data: bytes) -> npt.NDArray[np.int16]:
        """Return 16-bit integers."""
        return np.frombuffer(data, dtype=">i2" if self.processor == "sgi" else "<i2").astype(np.int16)

    def floats(self, data: bytes) -> npt.NDArray[np.float32]:
        """Return 32-bit floats; DEC floats have their halves swapped and are four times as large."""
        if self.processor != "dec":
            return np.frombuffer(data, dtype=">f4" if self.processor == "sgi" else "<f4").astype(np.float32)
        halves = np.frombuffer(data, dtype="<u2").reshape(-1, 2).astype(np.uint32)
        return (halves[:, 0] << 16 | halves[:, 1]).view(np.float32) / np.float32(4.0)


class Header(NamedTuple):
    """The first block: sizes per frame, the range of frames, where the data begins, and the rate."""

    points: int
    analog: int
    first: int
    last: int
    scale: float
    data_block: int
    rate: float


class Parameters(NamedTuple):
    """Values by group and name in upper case, such as POINT:RATE."""

    numbers: dict[str, list[float]]
    texts: dict[str, list[str]]

    def number(self, name: str) -> float | None:
        """Return the first number of a parameter, None if it is absent, empty or text."""
        return next(iter(self.numbers.get(name, [])), None)


def parse_sections(path: Path, data: bytes) -> tuple[Header, Parameters, Numbers]:
    """Return header, parameters and number format; sections beyond the end of the file are refused."""
    if len(data) < 2 * BLOCK or data[1] != 0x50:
        raise FormatError(path, "a C3D header (byte 0x50 and 512 bytes, then parameters) was expected", "byte 1")
    start = (data[0] - 1) * BLOCK
    if data[0] < 2 or start + BLOCK > len(data):
        raise FormatError(path, f"the header puts the parameters in block {data[0]}, outside the file", "byte 0")
    processor = _PROCESSORS.get(data[start + 3])
    if processor is None:
        raise FormatError(path, f"processor 84, 85 or 86 was expected, not {data[start + 3]}", f"byte {start + 3}")
    numbers = Numbers(processor)
    words = numbers.integers(data[:BLOCK]).view(np.uint16).tolist()
    with np.errstate(all="ignore"):
        scale, rate = (float(numbers.floats(data[at : at + 4])[0]) for at in (12, 20))
    header = Header(words[1], words[2], words[3], words[4], scale, words[8], rate)
    return header, _parameters(path, data, start, numbers), numbers


def _parameters(path: Path, data: bytes, start: int, numbers: Numbers) -> Parameters:
    """Parse the records: name, group number, distance to the next record, then the value."""
    groups: dict[int, str] = {}
    records: list[tuple[int, str, Value]] = []
    at = start + 4
    while at + 2 <= len(data):
        length, group = struct.unpack_from("bb", data, at)
        length = abs(length)  # negative if the parameter is locked
        if length == 0:
            break
        place = f"byte {at}"
        name_end = at + 2 + length
        if name_end + 2 > len(data):
            raise FormatError(path, "a parameter's name runs beyond the end of the file", place)
        name = _text(data[at + 2 : name_end]).upper()
        step = int(numbers.integers(data[name_end : name_end + 2]).view(np.uint16)[0])
        stop = name_end + step if step else len(data)
        if step == 1 or stop > len(data):
            raise FormatError(path, f"parameter {name!r} runs beyond the end of the file", place)
        if group < 0:
            groups[-group] = name
        else:
            records.append((group, name, _value(path, data[name_end + 2 : stop], name, place, numbers)))
        if step == 0:
            break
        at = stop
    named = {f"{groups.get(group, '')}:{name}": value for group, name, value in records}
    numbers_only = {name: value.tolist() for name, value in named.items() if isinstance(value, np.ndarray)}
    return Parameters(numbers_only, {name: value for name, value in named.items() if isinstance(value, list)})


def _value(path: Path, body: bytes, name: str, place: str, numbers: Numbers) -> Value:
    """Parse a value: type, number of dimensions, dimensions, then numbers or characters, first dimension fastest."""
    if len(body) < 2 or len(body) < 2 + body[1]:
        raise FormatError(path, f"parameter {name!r} ends before its dimensions", place)
    (kind,), dimensions = struct.unpack_from("b", body), list(body[2 : 2 + body[1]])
    if kind not in _SIZES:
        raise FormatError(path, f"parameter {name!r} has type {kind}, where -1, 1, 2 or 4 was expected", place)
    count = math.prod(dimensions)
    start = 2 + len(dimensions)
    stop = start + count * _SIZES[kind]
    if stop > len(body):
        raise FormatError(path, f"parameter {name!r} needs {stop} bytes, but has {len(body)}", place)
    raw = body[start:stop]
    if kind == -1:
        width = dimensions[0] if dimensions else 1
        return [_text(raw[k : k + width]) for k in range(0, len(raw), width)] if width else []
    if kind == 1:
        return np.frombuffer(raw, dtype=np.int8).astype(np.float64)
    with np.errstate(all="ignore"):
        return (numbers.integers(raw) if kind == 2 else numbers.floats(raw)).astype(np.float64)


def _text(raw: bytes) -> str:
    """Decode UTF-8, else Latin-1; control characters (padding in some files) become blanks or are stripped."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return "".join(c if c.isprintable() else " " for c in text).strip()


_METRES = {"mm": 0.001, "cm": 0.01, "dm": 0.1, "m": 1.0, "in": 0.0254, "inch": 0.0254, "inches": 0.0254, "ft": 0.3048}
_LONGEST_NAME = 120  # bytes
_ENDLESS = 65535  # the largest 16-bit count; larger counts are in a parameter


def read(path: Path, options: ReadOptions) -> PointClip:
    """Return all points over all frames. Up is POINT:Y_SCREEN, else z, as is usual for C3D."""
    data = read_bytes(path)
    header, parameters, numbers = parse_sections(path, data)
    words = _point_words(path, data, header, parameters, numbers)
    rates = [rate for rate in (parameters.number("POINT:RATE"), header.rate) if rate is not None]
    rate = next((rate for rate in rates if 1e-6 < rate < 1e9), None)
    if rate is None:
        raise FormatError(path, f"a frame rate above 0 was expected, not {header.rate:g}", "byte 20")
    rate = float(str(np.float32(rate)))  # 29.97 was meant, not the nearest 32-bit number 29.969999
    screen, unit = ("".join(parameters.texts.get(f"POINT:{name}", [])[:1]).lower() for name in ("Y_SCREEN", "UNITS"))
    up = screen[-1] if screen in ("y", "+y", "-y", "z", "+z", "-z") else "z"
    return PointClip(
        _labels(parameters, words.shape[1]), _positions(words, header.scale), 1.0 / rate,
        name=path.stem, provenance=path.name, up=options.up or up, unit_m=_METRES.get(unit) or options.unit_m,
    )  # fmt: skip


def _point_words(path: Path, data: bytes, header: Header, parameters: Parameters, numbers: Numbers) -> npt.NDArray[Any]:
    """Return the points (frames, points, 4) as stored: x, y, z and the word of residual and cameras."""
    used = parameters.number("POINT:USED")
    points = header.points if used is None else int(_unsigned(used))
    if points == 0:
        raise FormatError(path, "the file has no points, and analog channels alone are not motion", "POINT:USED")
    frames = _frame_count(header, parameters)
    if frames < 1:
        problem = f"frames {header.first} to {header.last} are not a range: the header is damaged"
        raise FormatError(path, problem, "byte 6")
    start = (header.data_block - 1) * BLOCK
    if start < BLOCK:
        raise FormatError(path, f"the header puts the start of the data in block {header.data_block}", "byte 16")
    if not 0.0 < abs(header.scale) < np.inf:
        raise FormatError(path, f"a scale other than 0 was expected, not {header.scale}", "byte 12")
    floating = header.scale < 0.0
    width = (4 if floating else 2) * (4 * points + header.analog)
    there = max(len(data) - start, 0) // width
    if there < frames:
        problem = f"{frames} frames of {width} bytes are declared, but there are {there}: the file is cut or damaged"
        raise FormatError(path, problem, f"byte {start}")
    raw = data[start : start + frames * width]
    with np.errstate(all="ignore"):
        table = (numbers.floats(raw) if floating else numbers.integers(raw)).reshape(frames, -1)
    return table[:, : 4 * points].reshape(frames, points, 4)


def _frame_count(header: Header, parameters: Parameters) -> int:
    """Return the number of frames; counts beyond 16 bits are in parameters."""
    count = header.last - header.first + 1
    frames = _unsigned(parameters.number("POINT:FRAMES") or 0.0)
    if count < 1 or header.last == _ENDLESS or frames >= _ENDLESS:
        first, last = (parameters.numbers.get(f"TRIAL:ACTUAL_{end}_FIELD", []) for end in ("START", "END"))
        span = _long(last) - _long(first) + 1 if len(first) == 2 and len(last) == 2 else 0.0
        longer = parameters.number("POINT:LONG_FRAMES") or 0.0
        counts = [float(count), frames, span, longer]
        return int(max(value if abs(value) < 2**40 else 0.0 for value in counts))
    return count


def _long(halves: list[float]) -> float:
    return _unsigned(halves[0]) + 65536.0 * _unsigned(halves[1])


def _unsigned(value: float) -> float:
    """Return a count that was stored as a signed 16-bit integer; 0 for NaN and absurd values."""
    if not abs(value) < 2**40:
        return 0.0
    return value + 65536.0 if value < 0.0 else value


def _positions(words: npt.NDArray[Any], scale: float) -> Floats:
    """Return coordinates in the file's unit, gaps as NaN."""
    with np.errstate(all="ignore"):
        positions = words[..., :3].astype(np.float64)
        residual = words[..., 3]
        if scale >= 0.0:
            positions *= scale
        unseen = (positions == 0.0).all(-1) & ~(residual > 0)
        gaps = (residual < 0) | np.isnan(positions).any(-1) | unseen
    positions[gaps] = np.nan
    return positions


def _labels(parameters: Parameters, count: int) -> tuple[str, ...]:
    """Return LABELS, LABELS2 and so on in one list; missing labels are numbered, repeated ones get a suffix."""
    labels: list[str] = []
    for group in itertools.chain([""], itertools.count(2)):
        more = parameters.texts.get(f"POINT:LABELS{group}")
        labels += more or [""] * (count - len(labels))
        if len(labels) >= count:
            break
    return tuple(distinct([label or f"point{k}" for k, label in enumerate(labels[:count], start=1)]))


def write(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write a point clip, or the joint positions of a clip, in 32-bit floats; gaps read back as gaps.

    A unit that C3D has no name for is converted to millimetres; a clip's unit is guessed if it is unknown.
    """
    if isinstance(motion, Clip):
        motion = motion.changed(unit_m=unit_in_metres(path, motion, options, "C3D stores its unit"))
    points = joint_points(motion) if isinstance(motion, Clip) else motion
    if not isinstance(points, PointClip):
        raise FormatError(path, f"C3D holds points over time, not a {kind_word(motion)}: {choose_for(motion)}")
    unit_m, positions, unit = options.unit_m or points.unit_m, points.positions, ""
    if unit_m is not None:
        unit = next((name for name, metres in _METRES.items() if abs(unit_m / metres - 1.0) < 1e-9), "")
        if not unit:
            positions, unit = positions * (unit_m / _METRES["mm"]), "mm"
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
    with replacing(path, ending=".c3d") as temporary:
        content.write(str(temporary))
        try:
            shape = read(temporary, ReadOptions()).positions.shape
        except FormatError:
            shape = ()
        if shape != points.positions.shape:  # ezc3d reports no error when the disk is full
            raise FormatError(path, "the file could not be written completely: is the disk full?")


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
    # The residual marks gaps, so a point at the origin is not mistaken for one.
    residuals = np.where(gaps, -1.0, np.where((single == 0.0).all(-1), 1.0, 0.0))
    content["data"]["points"] = values
    content["data"]["meta_points"] = {
        "residuals": residuals.T[None],
        "camera_masks": np.zeros((7, count, frames), dtype=bool),
    }
    return content
