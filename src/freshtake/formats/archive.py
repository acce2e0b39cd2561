"""Read and write archives of arrays (zip of .npy) without pickle, every size checked before memory is allocated."""

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError
from freshtake.formats.files import LARGEST, read_bytes, replacing
from freshtake.formats.read_options import ReadOptions
from freshtake.motion import Clip, MeshSequence, PointClip
from freshtake.motion.validation import fps_of
from freshtake.numeric.arrays import Ints

Arrays = dict[str, npt.NDArray[Any]]
MOST = (1 << 32) - 1  # bytes of an archive, packed or not: no zip64


def zip_bytes(members: Mapping[str, bytes]) -> bytes:
    """Return a complete compressed archive; equal content gives equal bytes."""
    out = io.BytesIO()
    _write_zip(out, members.items(), compress=True)
    return out.getvalue()


def _write_zip(target: IO[bytes], members: Iterable[tuple[str, bytes]], compress: bool) -> int:
    """Write an archive and return the total size of its members in bytes."""
    total = 0
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name)  # its date is 1980-01-01
            # Unix permissions, in the upper half: readable by all, writable by the owner.
            info.create_system, info.external_attr = 3, 0o644 << 16
            # Small members are not worth compressing, and higher levels hardly make motion smaller.
            packed = compress and len(content) >= (1 << 10)
            archive.writestr(info, content, zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED, 4)
            total += len(content)
    return total


_MOST_AXES = 8
_NUMBER = re.compile(r"[<>=|]?(?:f[248]|[iu][1248]|b1|\?)")
_TEXT = re.compile(r"[<>=|]?[US][1-9]\d{0,8}")
_DESCR = re.compile(r"""['"]descr['"]\s*:\s*(?:'([^']*)'|"([^"]*)")""")
_ORDER = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)""")
_SHAPE = re.compile(r"""['"]shape['"]\s*:\s*\(([\d\s,L]{0,200})\)""")
MOST_MEMBERS = 1000
_LONGEST_HEADER = 10_000
ALWAYS_FINE = 64 << 20  # inflated bytes that any archive may have; above this, the two limits below apply
LARGEST_RATIO = 100  # inflated bytes per byte of the file
LARGEST_TOTAL = 8 << 30
_ENTRY_MARK = b"PK\x01\x02"
_BROKEN = (zipfile.BadZipFile, NotImplementedError, struct.error, ValueError, EOFError, OverflowError, OSError)


class _Layout(NamedTuple):
    dtype: np.dtype[Any]
    fortran: bool
    shape: tuple[int, ...]
    start: int  # the first byte of the numbers


def decode_array(path: Path, content: bytes | memoryview, place: str) -> npt.NDArray[Any]:
    """Return the array that the bytes of an npy member describe; its size is checked before it is allocated."""
    layout = _layout(path, content, place)
    count = math.prod(layout.shape)
    actual = len(content) - layout.start
    if count * layout.dtype.itemsize != actual:
        expected = f"{layout.shape} of {layout.dtype} takes {count * layout.dtype.itemsize} bytes"
        raise FormatError(path, f"{expected}, but there are {actual}", place)
    flat = np.frombuffer(content, layout.dtype, count, layout.start)
    if layout.dtype.kind == "U":
        codes = flat.view(np.dtype(np.uint32).newbyteorder(layout.dtype.byteorder))
        # numpy accepts such an array, and Python fails later, when its text is used.
        if codes.size and codes.max() > 0x10FFFF:
            raise FormatError(path, "the text contains a character that does not exist", place)
    try:
        return flat.reshape(layout.shape[::-1]).T if layout.fortran else flat.reshape(layout.shape)
    except (ValueError, OverflowError):
        raise FormatError(path, f"the shape {layout.shape} is not possible", place) from None


def _layout(path: Path, whole: bytes | memoryview, place: str) -> _Layout:
    # Only the header is copied: a member may have gigabytes of data.
    content = bytes(whole[: 12 + _LONGEST_HEADER])
    if not content.startswith(b"\x93NUMPY") or len(content) < 12 or content[6] not in (1, 2, 3):
        raise FormatError(path, "an array in npy layout (version 1, 2 or 3) was expected", place)
    width = 2 if content[6] == 1 else 4
    length = int.from_bytes(content[8 : 8 + width], "little")
    start = 8 + width + length
    # Array headers have a few hundred bytes.
    if length > _LONGEST_HEADER or start > len(whole):
        raise FormatError(path, f"the array's header claims {length} bytes, which is too long", place)
    text = content[8 + width : start].decode("utf-8", "replace")
    # numpy evaluates this text as Python; three patterns are enough for arrays of numbers.
    descr, order, sizes = _DESCR.search(text), _ORDER.search(text), _SHAPE.search(text)
    if descr is None or order is None or sizes is None:
        problem = f"a type of number or text, fortran_order and shape were expected, not {text[:60]!r}"
        raise FormatError(path, problem, place)
    name = descr[1] or descr[2] or ""
    if not (_NUMBER.fullmatch(name) or _TEXT.fullmatch(name)):
        kind = "objects, which could run code" if name.strip("<>=|") == "O" else f"type {name[:40]!r}"
        raise FormatError(path, f"an array of numbers or text was expected, not of {kind}", place)
    dtype = np.dtype(name)
    shape = tuple(int(n) for n in re.findall(r"\d+", sizes[1]))
    if len(shape) > _MOST_AXES:
        raise FormatError(path, f"the array has {len(shape)} axes, more than {_MOST_AXES}", place)
    return _Layout(dtype, order[1] == "True", shape, start)


def most_inflated(file_length: int) -> int:
    """Return the number of bytes that the members of an archive of this length may have in total."""
    return max(ALWAYS_FINE, min(LARGEST_RATIO * file_length, LARGEST_TOTAL))


@dataclass(frozen=True)
class Archive:
    """An archive whose directory has been checked; members are inflated when they are read."""

    path: Path
    data: bytes
    members: Mapping[str, zipfile.ZipInfo]

    def __contains__(self, key: str) -> bool:
        return f"{key}.npy" in self.members

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the names of the arrays, in the order of the archive."""
        return tuple(name.removesuffix(".npy") for name in self.members if name.endswith(".npy"))

    def array(self, key: str) -> npt.NDArray[Any]:
        """Return one array, read-only."""
        place = f"array {key!r}"
        if key not in self:
            raise FormatError(self.path, f"the array {key!r} is missing; the file has {', '.join(self.keys) or 'none'}")
        return decode_array(self.path, self.inflated(f"{key}.npy"), place)

    def text(self, name: str) -> str:
        """Return a member that is UTF-8 text, by its full name."""
        if name not in self.members:
            raise FormatError(self.path, f"the member {name!r} is missing")
        try:
            return bytes(self.inflated(name)).decode("utf-8")
        except UnicodeDecodeError:
            raise FormatError(self.path, "UTF-8 text was expected", f"member {name!r}") from None

    def inflated(self, name: str) -> bytes | memoryview:
        """Return the bytes of one member, whose entry must declare their number; stored bytes are not copied."""
        info, place = self.members[name], f"member {name!r}"
        packed = self._packed(info, place)
        content: bytes | memoryview
        if info.compress_type == zipfile.ZIP_STORED:
            content = packed
        else:
            try:
                # One byte more than declared is enough to detect a wrong size, and bounds what a bomb can inflate.
                content = zlib.decompressobj(-15).decompress(packed, info.file_size + 1)
            except zlib.error:
                problem = "the compressed bytes are damaged: get the file again"
                raise FormatError(self.path, problem, place) from None
            if len(content) > info.file_size:
                raise FormatError(self.path, f"{info.file_size} bytes are declared, but there are more", place)
        if len(content) != info.file_size:
            raise FormatError(self.path, f"{info.file_size} bytes are declared, but there are {len(content)}", place)
        if zlib.crc32(content) != info.CRC:
            raise FormatError(self.path, "the checksum is wrong: the file is damaged, get it again", place)
        return content

    def _packed(self, info: zipfile.ZipInfo, place: str) -> memoryview:
        head = self.data[info.header_offset : info.header_offset + 30]
        if len(head) < 30 or not head.startswith(b"PK\x03\x04"):
            raise FormatError(self.path, "the directory points to a place where no member starts", place)
        # The lengths of name and extra field in the local header may differ from those in the directory.
        start = info.header_offset + 30 + sum(struct.unpack("<HH", head[26:30]))
        packed = memoryview(self.data)[start : start + info.compress_size]
        if len(packed) != info.compress_size:
            raise FormatError(self.path, "the file ends inside this member: get it again", place)
        return packed

    def numbers(self, key: str, dtype: type = np.float64) -> npt.NDArray[Any]:
        """Return an array of numbers as float64 or another type; an array that has this type is returned unchanged."""
        array = self.array(key)
        if array.dtype.kind not in "fiub":
            raise FormatError(self.path, f"numbers were expected, not {array.dtype}", f"array {key!r}")
        with np.errstate(over="ignore"):  # values beyond float32 become infinite, which the motion classes refuse
            return array.astype(dtype, copy=False)

    def optional(self, key: str, dtype: type = np.float64) -> npt.NDArray[Any] | None:
        """Return an array of numbers, or None if it is absent."""
        return self.numbers(key, dtype) if key in self else None

    def whole_numbers(self, key: str, highest: int = 2**31 - 1) -> Ints:
        """Return an array of integers in the range of an index (-1 for none)."""
        array = self.array(key)
        if array.dtype.kind not in "iu":
            raise FormatError(self.path, f"whole numbers were expected, not {array.dtype}", f"array {key!r}")
        if array.size and (array.min() < -1 or array.max() > highest):
            raise FormatError(self.path, f"numbers from -1 to {highest} were expected", f"array {key!r}")
        return array.astype(np.intp)

    def number(self, key: str) -> float:
        """Return a single number, even if it was saved as an array with one entry."""
        array = self.numbers(key)
        if array.size != 1:
            raise FormatError(self.path, f"one number was expected, not {array.shape}", f"array {key!r}")
        return float(array.reshape(()))

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Return a list of texts, or the default, if any, for an absent key."""
        if default is not None and key not in self:
            return default
        array = self.array(key)
        if array.dtype.kind == "S":
            array = np.array([value.decode("utf-8", "replace") for value in array.ravel().tolist()], dtype=np.str_)
        if array.dtype.kind != "U" or array.ndim > 1:
            raise FormatError(self.path, f"a list of texts was expected, not {array.dtype}", f"array {key!r}")
        return tuple(array.ravel().tolist())

    def one_text(self, key: str, default: str) -> str:
        """Return a single text, or the default if the key is absent."""
        values = self.texts(key, (default,))
        if len(values) != 1:
            raise FormatError(self.path, f"one text was expected, not {len(values)}", f"array {key!r}")
        return values[0]

    def frame_time(self, options: ReadOptions) -> float:
        """Return seconds per frame: `frame_time` if the file has it, else from `fps`, else from the caller's fps."""
        fps = self.number("fps") if "fps" in self else options.fps
        if fps is None and "frame_time" not in self:
            raise FormatError(self.path, "the file states no frame rate: give it as fps")
        if fps is not None and not (math.isfinite(fps) and fps > 0):
            raise FormatError(self.path, f"a rate above 0 was expected, not {fps}", "array 'fps'")
        if "frame_time" not in self:
            return 1.0 / float(fps or 1.0)
        seconds = self.number("frame_time")
        if "fps" in self and fps is not None and not math.isclose(seconds * fps, 1.0, rel_tol=1e-5):
            raise FormatError(self.path, f"fps {fps:g} and frame_time {seconds:g} contradict each other: correct one")
        return seconds

    def about(self) -> dict[str, Any]:
        """Return name and provenance."""
        return {
            "name": self.one_text("name", self.path.stem),
            "provenance": self.one_text("provenance", self.path.name),
        }

    def space(self, options: ReadOptions) -> dict[str, Any]:
        """Return vertical axis and unit; if the file's unit is unknown (NaN), return the caller's unit, or None."""
        unit: float | None = self.number("unit_m") if "unit_m" in self else math.nan
        if unit is not None and math.isnan(unit):
            unit = options.unit_m
        return {"up": self.one_text("up", options.up or "y"), "unit_m": unit}


def open_archive(path: Path) -> Archive:
    """Read the file and check its directory: number, names, sizes and kinds of the members."""
    data = read_bytes(path)
    # zipfile makes an object per entry: count the entries before it does.
    if data.count(_ENTRY_MARK) > MOST_MEMBERS + 16:
        raise FormatError(path, f"the archive has more than {MOST_MEMBERS} members")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except _BROKEN:
        raise FormatError(path, "the archive is damaged or cut off: get the file again", "directory") from None
    _check_directory(path, entries, len(data))
    return Archive(path, data, {entry.filename: entry for entry in entries})


def _check_directory(path: Path, entries: list[zipfile.ZipInfo], length: int) -> None:
    if len(entries) > MOST_MEMBERS:
        raise FormatError(path, f"the archive has {len(entries)} members, more than {MOST_MEMBERS}", "directory")
    seen: set[str] = set()
    for entry in entries:
        name, place = entry.orig_filename, f"member {entry.orig_filename[:80]!r}"
        parts = name.replace("\\", "/").split("/")
        if name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or "\x00" in name or not name:
            raise FormatError(path, "a plain name was expected, not a path out of the archive", place)
        if entry.filename in seen:
            raise FormatError(path, "the archive contains this member twice", place)
        seen.add(entry.filename)
        if entry.flag_bits & 0x1:
            raise FormatError(path, "the member is encrypted: save the arrays without a password", place)
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FormatError(path, "the member is neither stored nor deflated: save with numpy.savez", place)
    total = sum(entry.file_size for entry in entries)
    if total > most_inflated(length):
        raise FormatError(path, f"{length} bytes that claim to inflate to {total} are not trusted", "directory")


def write_archive(
    path: Path,
    arrays: Mapping[str, npt.NDArray[Any]],
    texts: Mapping[str, str] | None = None,
    *,
    compress: bool = True,
    durable: bool = False,
) -> None:
    """Write texts (by full name, first) and arrays; equal content gives equal bytes.

    With `compress` they are deflated, unless that would look like a zip bomb.
    """
    most = min(LARGEST, MOST)
    total = sum(array.nbytes for array in arrays.values())
    if total > most:
        raise FormatError(path, f"the arrays have {total} bytes, more than the {most} an archive can hold: cut them")
    with replacing(path, durable=durable) as temporary:
        for packed in (True, False) if compress else (False,):
            members = chain(
                ((name, text.encode()) for name, text in (texts or {}).items()),
                ((f"{key}.npy", npy_bytes(array)) for key, array in arrays.items()),
            )
            with temporary.open("wb") as file:
                total = _write_zip(file, members, packed)
            size = temporary.stat().st_size
            if total <= most_inflated(size):
                break
        if size > most:
            raise FormatError(path, f"the file would be larger than the {most} bytes that can be read back: cut it")


def npy_bytes(array: npt.NDArray[Any]) -> bytes:
    """Return one array in npy layout, the same on every machine."""
    portable = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    return _npy_header(portable.dtype, portable.shape) + portable.tobytes()


@lru_cache(maxsize=256)
def _npy_header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    if dtype.hasobject:
        raise ValueError("an array of Python objects cannot be written")
    head = io.BytesIO()
    description = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(head, description)
    return head.getvalue()


def text_array(values: tuple[str, ...] | str) -> npt.NDArray[Any]:
    """Return texts as a unicode array; a trailing NUL would be lost in it and is refused."""
    for value in (values,) if isinstance(values, str) else values:
        if value.endswith("\x00"):
            raise ValueError(f"the text {value!r} ends with a NUL character, which an npz file cannot hold: rename it")
    return np.array(values, dtype=np.str_)


def about_arrays(motion: Clip | PointClip | MeshSequence) -> Arrays:
    """Return the arrays that all motions with a frame rate share."""
    return {
        "fps": np.array(fps_of(motion.frame_time)),
        "frame_time": np.array(motion.frame_time),
        "up": text_array(motion.up),
        "unit_m": np.array(math.nan if motion.unit_m is None else motion.unit_m),
        "name": text_array(motion.name),
        "provenance": text_array(motion.provenance),
    }
