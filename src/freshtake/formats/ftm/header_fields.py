"""Fields of a model file's header, checked one by one; what cannot be is a FormatError that names the field.

What a method hands to the model file and gets back: a header of plain values and arrays by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError
from freshtake.numeric.arrays import Floats

_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float, int),
    "str": (str,),
    "bool": (bool,),
    "list": (list,),
    "dict": (dict,),
    "None": (type(None),),
}
_WORDS = {
    "int": "a whole number", "float": "a number", "str": "a text", "bool": "true or false", "list": "a list",
    "dict": "an object", "None": "null",
}  # fmt: skip
Array = npt.NDArray[Any]
LARGEST = 1e18  # beyond it no model of a motion has a number, and squares of float32 would overflow


class Fields:
    """A JSON object of a file; `where` is the name of the object inside the header."""

    def __init__(self, path: Path, values: Mapping[str, Any], where: str = "") -> None:
        self.path, self.values, self.where = path, values, where

    def place(self, name: str) -> str:
        """How messages call a field."""
        return f"header field {f'{self.where}.{name}'.lstrip('.')!r}"

    def wrong(self, name: str, problem: str) -> NoReturn:
        """Refuse the file because of a field."""
        raise FormatError(self.path, problem, self.place(name))

    def get(self, name: str, kinds: str) -> Any:
        """A value of one of the kinds, which are written as in annotations: "int", "float | None"."""
        if name not in self.values:
            self.wrong(name, "the field is missing")
        value: Any = self.values[name]
        words = kinds.split(" | ")
        allowed = tuple(t for word in words for t in _TYPES[word])
        if not isinstance(value, allowed) or (isinstance(value, bool) and "bool" not in words):
            self.wrong(name, f"{' or '.join(_WORDS[word] for word in words)} was expected, not {_shown(value)}")
        if isinstance(value, str):
            self._sound(name, value)
        if isinstance(value, (int, float)) and not abs(value) <= LARGEST:
            self.wrong(name, f"a number between ±{LARGEST:g} was expected, not {_shown(value)}")
        return float(value) if isinstance(value, int) and "float" in words else value

    def inner(self, name: str) -> Fields:
        """An object inside this one."""
        return Fields(self.path, self.get(name, "dict"), f"{self.where}.{name}".lstrip("."))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        values = self.get(name, "list")
        for value in values:
            if not isinstance(value, str):
                self.wrong(name, f"a list of texts was expected, but {_shown(value)} is in it")
            self._sound(name, value)
        return tuple(values)

    def whole_numbers(self, name: str, low: int, high: int) -> tuple[int, ...]:
        """A list of whole numbers between two bounds, both included."""
        return self._checked(name, self.get(name, "list"), low, high)

    def lists_of_numbers(self, name: str, low: int, high: int) -> tuple[tuple[int, ...], ...]:
        """A list of such lists."""
        rows = self.get(name, "list")
        if not all(isinstance(row, list) for row in rows):
            self.wrong(name, "a list of lists was expected")
        return tuple(self._checked(name, row, low, high) for row in rows)

    def _checked(self, name: str, values: list[Any], low: int, high: int) -> tuple[int, ...]:
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                self.wrong(name, f"whole numbers from {low} to {high} were expected, not {_shown(value)}")
        return tuple(values)

    def _sound(self, name: str, text: str) -> None:
        if any(0xD800 <= ord(letter) < 0xE000 for letter in text):
            self.wrong(name, "the text holds half a character")


def parsed(path: Path, text: str, place: str) -> Fields:
    """A JSON object; numbers that JSON does not have are refused."""

    def refuse(word: str) -> NoReturn:
        raise ValueError(f"{word} is no JSON")

    try:
        values = json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError):
        raise FormatError(path, "the header is not JSON: the file is damaged, get it again", place) from None
    if not isinstance(values, dict):
        raise FormatError(path, "a JSON object was expected", place)
    return Fields(path, values)


def _shown(value: Any) -> str:
    try:
        text = ascii(value)
    except (ValueError, RecursionError):  # numbers with thousands of digits
        text = type(value).__name__
    return text if len(text) <= 40 else f"{text[:40]}..."


class Parts(NamedTuple):
    """To be written."""

    header: dict[str, Any]
    arrays: dict[str, Array]


@dataclass(frozen=True)
class ReadParts:
    """As read: the header's fields, and arrays whose checksums were right."""

    fields: Fields
    arrays: Mapping[str, Array]

    def numbers(self, name: str, shape: tuple[int, ...], low: float = -LARGEST, high: float = LARGEST) -> Floats:
        """A float64 array of this shape with finite values between two bounds."""
        place = f"array {name!r}"
        if name not in self.arrays:
            raise FormatError(self.fields.path, "the array is missing", place)
        array = self.arrays[name]
        if array.dtype.kind not in "fiub" or array.shape != shape:
            wanted = " x ".join(map(str, shape))
            raise FormatError(
                self.fields.path, f"{wanted} numbers were expected, not {array.shape} of {array.dtype}", place
            )
        with np.errstate(invalid="ignore"):  # signalling NaNs
            values = np.ascontiguousarray(array, dtype=np.float64)
        low, high = max(low, -LARGEST), min(high, LARGEST)
        if not np.isfinite(values).all() or (values < low).any() or (values > high).any():
            raise FormatError(self.fields.path, f"finite numbers between {low:g} and {high:g} were expected", place)
        return values


def compact(values: Floats) -> Array:
    """As float32 where that loses nothing, which is what models round to; else as it is."""
    with np.errstate(over="ignore"):
        small = np.asarray(values, dtype=np.float32)
    return small if np.array_equal(small.astype(np.float64), values) else np.asarray(values, dtype=np.float64)
