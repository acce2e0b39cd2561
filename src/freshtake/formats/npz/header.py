"""The npy layout of one array: a short text header, then the numbers. Nothing in it is evaluated or unpickled."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError

_LONGEST = 10_000  # bytes of header
_MOST_AXES = 8
_NUMBER = re.compile(r"[<>=|]?(?:f[248]|[iu][1248]|b1|\?)")
_TEXT = re.compile(r"[<>=|]?[US][1-9]\d{0,8}")
_DESCR = re.compile(r"""['"]descr['"]\s*:\s*(?:'([^']*)'|"([^"]*)")""")
_ORDER = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)""")
_SHAPE = re.compile(r"""['"]shape['"]\s*:\s*\(([\d\s,L]{0,200})\)""")


class _Layout(NamedTuple):
    dtype: np.dtype[Any]
    fortran: bool
    shape: tuple[int, ...]
    start: int  # the first byte of the numbers


def decode_array(path: Path, content: bytes, place: str) -> npt.NDArray[Any]:
    """The array that the bytes of an npy member describe; its size is checked before it is made."""
    layout = _layout(path, content, place)
    count = math.prod(layout.shape)
    found = len(content) - layout.start
    if count * layout.dtype.itemsize != found:
        wanted = f"{layout.shape} of {layout.dtype} takes {count * layout.dtype.itemsize} bytes"
        raise FormatError(path, f"{wanted}, but {found} are there", place)
    flat = np.frombuffer(content, layout.dtype, count, layout.start)
    if layout.dtype.kind == "U":
        codes = flat.view(np.dtype(np.uint32).newbyteorder(layout.dtype.byteorder))
        if codes.size and codes.max() > 0x10FFFF:
            raise FormatError(path, "the text holds a character that does not exist", place)
    try:
        return flat.reshape(layout.shape[::-1]).T if layout.fortran else flat.reshape(layout.shape)
    except (ValueError, OverflowError):
        raise FormatError(path, f"the shape {layout.shape} is not possible", place) from None


def _layout(path: Path, content: bytes, place: str) -> _Layout:
    if not content.startswith(b"\x93NUMPY") or len(content) < 12 or content[6] not in (1, 2, 3):
        raise FormatError(path, "an array in npy layout (version 1, 2 or 3) was expected", place)
    width = 2 if content[6] == 1 else 4
    length = int.from_bytes(content[8 : 8 + width], "little")
    start = 8 + width + length
    if length > _LONGEST or start > len(content):
        raise FormatError(path, f"the array's header claims {length} bytes, which is too long", place)
    text = content[8 + width : start].decode("utf-8", "replace")
    descr, order, sizes = _DESCR.search(text), _ORDER.search(text), _SHAPE.search(text)
    if descr is None or order is None or sizes is None:
        raise FormatError(
            path, f"a type of number or text, fortran_order and shape were expected, not {text[:60]!r}", place
        )
    dtype = _dtype(path, descr[1] or descr[2] or "", place)
    shape = tuple(int(n) for n in re.findall(r"\d+", sizes[1]))
    if len(shape) > _MOST_AXES:
        raise FormatError(path, f"the array has {len(shape)} axes, more than {_MOST_AXES}", place)
    return _Layout(dtype, order[1] == "True", shape, start)


def _dtype(path: Path, name: str, place: str) -> np.dtype[Any]:
    if not (_NUMBER.fullmatch(name) or _TEXT.fullmatch(name)):
        kind = "objects, which could run code" if name.strip("<>=|") == "O" else f"type {name[:40]!r}"
        raise FormatError(path, f"an array of numbers or text was expected, not of {kind}", place)
    return np.dtype(name)
