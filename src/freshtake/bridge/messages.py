"""Messages between a program and its freshtake child: JSON and arrays, with lengths, a version and a checksum.

A message is 24 bytes (`HEAD`: mark, version, lengths of both parts, their CRC-32), a JSON object, and the bytes of
the arrays that it lists, in order. Clips are plain arrays (`ClipArrays`). Both sides use this module,
which needs only NumPy.
"""

import json
import math
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from freshtake.errors import FreshtakeError

VERSION = 1
MARK = b"FTBR"
HEAD = struct.Struct("<4sIIQI")
LONGEST_JSON = 64 << 20  # bytes
MOST_DATA = 2 << 30  # bytes of all arrays of one message
MOST_ARRAYS = 100_000
DTYPES = ("<f8", "<f4", "<i8", "<i4", "|u1", "|b1")
KINDS = ("hello", "request", "progress", "result", "failed")

Arrays = Mapping[str, npt.NDArray[Any]]


class MessageError(FreshtakeError):
    """A message that cannot be sent or was not understood; its text is one sentence."""


class Message(NamedTuple):
    """One message: its kind, the number of its request, JSON values, and arrays."""

    kind: str
    number: int
    values: dict[str, Any]
    arrays: Arrays = MappingProxyType({})


def encoded(message: Message) -> bytes:
    """Encode a message as bytes; raise if it could not be read back."""
    if message.kind not in KINDS or not 0 <= message.number < 1 << 53:
        raise MessageError(f"there is no message of kind {message.kind!r} with number {message.number!r}")
    blocks = {name: _block(name, array) for name, array in message.arrays.items()}
    listed = [[name, block.dtype.str, list(block.shape)] for name, block in blocks.items()]
    values = {"kind": message.kind, "number": message.number, "values": message.values, "arrays": listed}
    try:
        text = json.dumps(values, allow_nan=False, separators=(",", ":")).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise MessageError(f"a message contains what JSON cannot represent: {error}") from None
    data = b"".join(block.tobytes() for block in blocks.values())
    if len(text) > LONGEST_JSON or len(data) > MOST_DATA or len(listed) > MOST_ARRAYS:
        raise MessageError(f"a message of {(len(text) + len(data)) >> 20} MB is too large: use fewer or shorter clips")
    return HEAD.pack(MARK, VERSION, len(text), len(data), zlib.crc32(data, zlib.crc32(text))) + text + data


def _block(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    block = np.asarray(array)
    block = block.astype(block.dtype.newbyteorder("<"), copy=False)
    if block.dtype.str not in DTYPES:
        raise MessageError(f"the array {name!r} is of type {block.dtype}, which messages cannot carry")
    return block


class Decoder:
    """Decodes bytes in pieces of any size into messages. After an error, nothing more can be decoded."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def feed(self, piece: bytes) -> Iterator[Message]:
        """Yield the messages that this piece completes."""
        self._waiting += piece
        while (size := self._size()) is not None and len(self._waiting) >= size:
            complete = bytes(memoryview(self._waiting)[:size])
            del self._waiting[:size]
            yield decoded(complete)

    def end(self) -> None:
        """Raise if the stream ended inside a message."""
        if self._waiting:
            raise MessageError(f"the connection ended in the middle of a message, after {len(self._waiting)} bytes")

    def _size(self) -> int | None:
        if len(self._waiting) < HEAD.size:
            if self._waiting and not MARK.startswith(bytes(self._waiting[: len(MARK)])):
                _foreign(bytes(self._waiting[:16]))
            return None
        return sum(_lengths(bytes(self._waiting[: HEAD.size]))) + HEAD.size


def decoded(data: bytes) -> Message:
    """Decode a message from its complete bytes."""
    if len(data) < HEAD.size:
        raise MessageError(f"a message begins with {HEAD.size} bytes, of which only {len(data)} arrived")
    text_length, data_length = _lengths(data[: HEAD.size])
    if len(data) != HEAD.size + text_length + data_length:
        raise MessageError(f"a message of {HEAD.size + text_length + data_length} bytes arrived with {len(data)}")
    body = memoryview(data)[HEAD.size :]
    # Otherwise, text that a library prints into the stream would be read as lengths.
    if zlib.crc32(body) != HEAD.unpack(data[: HEAD.size])[4]:
        raise MessageError("a message was damaged on its way: its checksum does not match")
    fields = _parsed(bytes(body[:text_length]))
    return Message(fields["kind"], fields["number"], fields["values"], _arrays(fields["arrays"], body[text_length:]))


def _lengths(head: bytes) -> tuple[int, int]:
    mark, version, text, data, _ = HEAD.unpack(head)
    if mark != MARK:
        _foreign(head[:16])
    if version != VERSION:
        raise MessageError(
            f"the other side speaks version {version} of the protocol and this side version {VERSION}: "
            "reinstall the extension, so that both parts are from one release"
        )
    if text > LONGEST_JSON or data > MOST_DATA:
        raise MessageError(f"a message of {(text + data) >> 20} MB is announced, which is more than is accepted")
    return text, data


def _foreign(head: bytes) -> NoReturn:
    raise MessageError(f"something other than a message arrived; it begins with {head!r}")


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise MessageError("the values of a message are not JSON") from None
    types = {"kind": str, "number": int, "values": dict, "arrays": list}
    if not isinstance(fields, dict) or any(type(fields.get(name)) is not kind for name, kind in types.items()):
        raise MessageError(f"a message must have {', '.join(types)}; at least one is missing or of a wrong type")
    if fields["kind"] not in KINDS or not 0 <= fields["number"] < 1 << 53:
        raise MessageError(f"a message has an unknown kind, {fields['kind'][:40]!r}, or an invalid number")
    return fields


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _arrays(listed: list[Any], data: memoryview) -> dict[str, npt.NDArray[Any]]:
    if len(listed) > MOST_ARRAYS:
        raise MessageError(f"a message lists {len(listed)} arrays, which is more than is accepted")
    out: dict[str, npt.NDArray[Any]] = {}
    place = 0
    for entry in listed:
        name, dtype, shape = _checked(entry)
        size = math.prod(shape) * dtype.itemsize
        if name in out or size > len(data) - place:
            raise MessageError(f"the array {name[:40]!r} is listed twice, or is longer than the bytes that arrived")
        out[name] = np.frombuffer(data[place : place + size], dtype).reshape(shape)
        place += size
    if place != len(data):
        raise MessageError(f"a message has {len(data) - place} bytes that belong to none of its arrays")
    return out


def _checked(entry: Any) -> tuple[str, np.dtype[Any], tuple[int, ...]]:
    match entry:
        case [str(name), str(dtype), list(shape)] if dtype in DTYPES and len(shape) <= 8:
            if all(type(length) is int and 0 <= length <= MOST_DATA for length in shape):
                return name, np.dtype(dtype), tuple(shape)
    raise MessageError("a message lists an array without a name, a known type and a shape")


Floats = npt.NDArray[np.float64]
Tip = tuple[int, tuple[float, float, float], str]


@dataclass(frozen=True, eq=False)
class ClipArrays:
    """A skeleton in motion, like `freshtake.Clip`.

    `parents` has -1 for joint 0 and parents before children; `offsets` (joints, 3) are rest vectors from the parent;
    `root` (frames, 3) is the position of joint 0; `rotations` (frames, joints, 4) are local unit quaternions w x y z
    relative to joint frames that are parallel to the world's at rest. `translations` (frames, joints, 3) replaces the
    offsets if joints other than the first move relative to their parents. `tips` are ends of leaf joints: joint,
    offset, name. Lengths are in units of `unit_m` metres, if known. `playback` describes how to play a loop, in the
    form of `Playback.summary`. `channels` ("tx ty tz rz ry rx" for each joint) and `orders` ("ZYX") are read from a
    file; Blender has neither.
    """

    name: str
    joints: tuple[str, ...]
    parents: Sequence[int] | npt.NDArray[Any]
    offsets: Floats
    root: Floats
    rotations: Floats
    frame_time: float
    up: str = "z"
    unit_m: float | None = None
    translations: Floats | None = None
    tips: tuple[Tip, ...] = ()
    playback: dict[str, Any] | None = None
    channels: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.root)


PARTS = ("parents", "offsets", "root", "rotations", "translations")
PLAIN = ("name", "joints", "frame_time", "up", "unit_m", "tips", "playback", "channels", "orders")


def packed(clips: Sequence[ClipArrays], key: str = "clips") -> tuple[list[dict[str, Any]], dict[str, npt.NDArray[Any]]]:
    """Pack clips as values and arrays of a message: values under any name, arrays named `key`/..."""
    listed, arrays = [], {}
    for number, clip in enumerate(clips):
        listed.append({name: getattr(clip, name) for name in PLAIN})
        for part in PARTS:
            if getattr(clip, part) is not None:
                dtype = np.int64 if part == "parents" else np.float64
                arrays[f"{key}/{number}/{part}"] = np.ascontiguousarray(getattr(clip, part), dtype=dtype)
    return listed, arrays


def unpacked(listed: Any, arrays: Arrays, key: str = "clips") -> list[ClipArrays]:
    """Unpack the clips of a message."""
    if not isinstance(listed, list):
        raise MessageError(f"a list of clips was expected for {key}")
    return [_unpacked(values, arrays, f"{key}/{number}") for number, values in enumerate(listed)]


def _unpacked(values: Any, arrays: Arrays, place: str) -> ClipArrays:
    missing = [part for part in PARTS[:-1] if f"{place}/{part}" not in arrays]
    if missing:
        raise MessageError(f"the clip {place} lacks {missing[0]}")
    parts: dict[str, Any] = {part: arrays.get(f"{place}/{part}") for part in PARTS}
    match values:
        case {
            "name": str(name),
            "joints": [*joints],
            "frame_time": int() | float() as frame_time,
            "up": str(up),
            "unit_m": None | int() | float() as unit_m,
            "tips": [*tips],
            "playback": None | dict() as playback,
            "channels": [*channels],
            "orders": [*orders],
        } if all(isinstance(text, str) for text in (*joints, *channels, *orders)):
            about = (frame_time, up, unit_m)
            return ClipArrays(
                name, tuple(joints), parts["parents"], parts["offsets"], parts["root"], parts["rotations"], *about,
                parts["translations"], tuple(map(_tip, tips)), playback, tuple(channels), tuple(orders),
            )  # fmt: skip
    raise MessageError(f"the clip {place} does not have the values of a clip")


def _tip(values: Any) -> Tip:
    match values:
        case [int(joint), [int() | float() as x, int() | float() as y, int() | float() as z], str(name)]:
            return joint, (x, y, z), name
    raise MessageError("the end of a joint must be its number, an offset and a name")
