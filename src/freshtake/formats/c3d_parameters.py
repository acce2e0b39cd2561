"""The header and the parameter section of a C3D file, read within the bounds of its bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError
from freshtake.numeric.arrays import Floats

BLOCK = 512  # bytes; C3D counts its sections in blocks, from 1
_PROCESSORS = {84: "intel", 85: "dec", 86: "sgi"}
_SIZES = {-1: 1, 1: 1, 2: 2, 4: 4}

Value = list[str] | Floats


@dataclass(frozen=True)
class Numbers:
    """How the processor that wrote the file stored its numbers."""

    processor: str

    def integers(self, data: bytes) -> npt.NDArray[np.int16]:
        """16-bit integers."""
        return np.frombuffer(data, dtype=">i2" if self.processor == "sgi" else "<i2").astype(np.int16)

    def floats(self, data: bytes) -> npt.NDArray[np.float32]:
        """32-bit floats; those of DEC have their halves exchanged and are four times as large."""
        if self.processor != "dec":
            return np.frombuffer(data, dtype=">f4" if self.processor == "sgi" else "<f4").astype(np.float32)
        halves = np.frombuffer(data, dtype="<u2").reshape(-1, 2).astype(np.uint32)
        return (halves[:, 0] << 16 | halves[:, 1]).view(np.float32) / np.float32(4.0)


@dataclass(frozen=True)
class Header:
    """The first block: sizes per frame, the range of frames, where the data begins, and the rate."""

    points: int
    analog: int
    first: int
    last: int
    scale: float
    data_block: int
    rate: float


class Parameters:
    """Values by group and name, upper case, as strings or numbers."""

    def __init__(self, values: dict[tuple[str, str], Value]) -> None:
        self._values = values

    def number(self, group: str, name: str) -> float | None:
        """The first number of a parameter, None where it is absent, empty or text."""
        value = self._values.get((group, name))
        return float(value[0]) if isinstance(value, np.ndarray) and len(value) else None

    def numbers(self, group: str, name: str) -> list[float]:
        """All numbers of a parameter."""
        value = self._values.get((group, name))
        return value.tolist() if isinstance(value, np.ndarray) else []

    def texts(self, group: str, name: str) -> list[str]:
        """All strings of a parameter, without the blanks round them."""
        value = self._values.get((group, name))
        return value if isinstance(value, list) else []


def parse_sections(path: Path, data: bytes) -> tuple[Header, Parameters, Numbers]:
    """Header and parameters; what does not lie within the file is refused."""
    if len(data) < 2 * BLOCK or data[1] != 0x50:
        raise FormatError(path, "a C3D header (byte 0x50 and 512 bytes, then parameters) was expected", "byte 1")
    start = (data[0] - 1) * BLOCK
    if data[0] < 2 or start + BLOCK > len(data):
        raise FormatError(path, f"the header puts the parameters in block {data[0]}, outside the file", "byte 0")
    processor = _PROCESSORS.get(data[start + 3])
    if processor is None:
        raise FormatError(path, f"processor 84, 85 or 86 was expected, not {data[start + 3]}", f"byte {start + 3}")
    numbers = Numbers(processor)
    return _header(data, numbers), _parameters(path, data, start, numbers), numbers


def _header(data: bytes, numbers: Numbers) -> Header:
    words = numbers.integers(data[:BLOCK]).view(np.uint16).tolist()
    with np.errstate(all="ignore"):
        scale, rate = (float(numbers.floats(data[at : at + 4])[0]) for at in (12, 20))
    return Header(words[1], words[2], words[3], words[4], scale, words[8], rate)


def _parameters(path: Path, data: bytes, start: int, numbers: Numbers) -> Parameters:
    """Walk the records: name, group number, distance to the next record, then the value."""
    groups: dict[int, str] = {}
    records: list[tuple[int, str, Value]] = []
    at = start + 4
    while at + 2 <= len(data):
        length, group = abs(_signed(data[at])), _signed(data[at + 1])
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
    return Parameters({(groups.get(group, ""), name): value for group, name, value in records})


def _value(path: Path, body: bytes, name: str, place: str, numbers: Numbers) -> Value:
    """Type, number of dimensions, dimensions, then the numbers or characters, first dimension fastest."""
    if len(body) < 2 or len(body) < 2 + body[1]:
        raise FormatError(path, f"parameter {name!r} ends before its dimensions", place)
    kind, dimensions = _signed(body[0]), list(body[2 : 2 + body[1]])
    if kind not in _SIZES:
        raise FormatError(path, f"parameter {name!r} has type {kind}, where -1, 1, 2 or 4 was expected", place)
    count = 1
    for size in dimensions:
        count *= size
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


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def _text(raw: bytes) -> str:
    """UTF-8, else Latin-1; control characters, which some files pad with, become blanks at most."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return "".join(c if c.isprintable() else " " for c in text).strip()
