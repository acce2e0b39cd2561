"""Check the header fields of model files, and store what all methods share: skeletons, recipes, settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np

from freshtake.errors import FormatError
from freshtake.motion.features import Recipe
from freshtake.motion.validation import Array, Parts
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
MOST_FRAMES = 1 << 31  # in all takes of a model together
FRAME_TIMES = (1e-5, 1e3)  # seconds; with shorter ones, a long motion would not fit into memory
RECIPE = "recipe_"  # prefix of the names of the recipe's arrays
S = TypeVar("S")
LARGEST = 1e18  # no number of a model is larger, and its square still fits into float32


class Noted(dict[str, Any]):
    """A dictionary that records which keys were read; iterating over its items reads all of them."""

    def __init__(self, *values: Any) -> None:
        super().__init__(*values)
        self.asked: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        self.asked.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value, or the default."""
        self.asked.add(key)
        return super().get(key, default)

    def items(self) -> Any:
        """Return all items."""
        self.asked.update(self)
        return super().items()

    def ignored(self, before: str = "") -> list[str]:
        """Return the keys that were never read, including those of nested dictionaries that were read, in lists too."""
        out = [f"{before}{key}" for key in self if key not in self.asked]
        for key in self.asked:
            inner = super().get(key)
            for each in inner if isinstance(inner, list) else [inner]:
                if isinstance(each, Noted) and each.asked:
                    out += each.ignored(f"{before}{key}.")
        return out


class Fields:
    """A JSON object of a file; `where` is the name of the object inside the header."""

    def __init__(self, path: Path, values: Mapping[str, Any], where: str = "") -> None:
        self.path, self.values, self.where = path, values, where

    def place(self, name: str) -> str:
        """Return the name of a field for messages."""
        return f"header field {f'{self.where}.{name}'.lstrip('.')!r}"

    def wrong(self, name: str, problem: str) -> NoReturn:
        """Raise an error that names a field."""
        raise FormatError(self.path, problem, self.place(name))

    def get(self, name: str, kinds: str) -> Any:
        """Return a value of one of the types, written as in annotations: "int", "float | None"."""
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
        """Return an object inside this one."""
        return Fields(self.path, self.get(name, "dict"), f"{self.where}.{name}".lstrip("."))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        values = self.get(name, "list")
        for value in values:
            if not isinstance(value, str):
                self.wrong(name, f"a list of texts was expected, but {_shown(value)} is in it")
            self._sound(name, value)
        return tuple(values)

    def whole_numbers(self, name: str, low: int, high: int) -> tuple[int, ...]:
        """Return a list of whole numbers between two bounds, both included."""
        return self._checked(name, self.get(name, "list"), low, high)

    def lists_of_numbers(self, name: str, low: int, high: int) -> tuple[tuple[int, ...], ...]:
        """Return a list of such lists."""
        rows = self.get(name, "list")
        if not all(isinstance(row, list) for row in rows):
            self.wrong(name, "a list of lists was expected")
        return tuple(self._checked(name, row, low, high) for row in rows)

    def names(self, name: str, most: int) -> tuple[str, ...]:
        """Return a list of distinct names, at least one."""
        names = self.texts(name)
        if not 0 < len(names) <= most or len(set(names)) < len(names):
            self.wrong(name, f"1 to {most} different names were expected")
        return names

    def frame_time(self) -> float:
        """Return the seconds per frame."""
        frame_time: float = self.get("frame_time", "float")
        low, high = FRAME_TIMES
        if not low <= frame_time <= high:
            self.wrong("frame_time", f"a time between {low:g} and {high:g} seconds was expected, not {frame_time:g}")
        return frame_time

    def settings(self, kind: type[S], **former: float) -> S:
        """Return the settings of a method, a dataclass of plain values; missing ones have their defaults.

        Args:
            kind: The dataclass.
            former: Settings that earlier versions saved, with the value at which a model is what it was: others are
                refused.
        """
        inner = self.inner("settings")
        kinds = {field.name: str(field.type) for field in fields(kind)}  # type: ignore[arg-type]
        names = [name for name, value in inner.values.items() if name not in former or value != former[name]]
        unknown = [name for name in names if name not in kinds]
        if unknown:
            inner.wrong(unknown[0][:80], "this freshtake has no such setting: update it, or learn the model again")
        return kind(**{name: inner.get(name, kinds[name]) for name in names})

    def _checked(self, name: str, values: list[Any], low: int, high: int) -> tuple[int, ...]:
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                self.wrong(name, f"whole numbers from {low} to {high} were expected, not {_shown(value)}")
        return tuple(values)

    def _sound(self, name: str, text: str) -> None:
        if any(0xD800 <= ord(letter) < 0xE000 for letter in text):
            self.wrong(name, "the text holds half a character")


def parsed(path: Path, text: str, place: str) -> Fields:
    """Return a JSON object; numbers that JSON does not have are refused."""

    def refuse(word: str) -> NoReturn:
        raise ValueError(f"{word} is no JSON")

    try:
        values = json.loads(text, parse_constant=refuse, object_hook=Noted)
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


@dataclass(frozen=True)
class ReadParts:
    """What was read: the header's fields, and arrays with correct checksums."""

    fields: Fields
    arrays: Mapping[str, Array]

    def wrong(self, name: str, problem: str) -> NoReturn:
        """Raise an error that names an array."""
        raise FormatError(self.fields.path, problem, f"array {name!r}")

    def array(self, name: str, kinds: str = "", axes: int | None = None) -> Array:
        """Return an array; where `axes` is given, it has so many, and its type is of one of NumPy's `kinds`."""
        if name not in self.arrays:
            self.wrong(name, "the array is missing")
        array = self.arrays[name]
        if axes is not None and (array.ndim != axes or array.dtype.kind not in kinds):
            self.wrong(name, f"numbers in {axes} dimensions were expected, not {array.shape} of {array.dtype}")
        return array

    def numbers(self, name: str, shape: tuple[int, ...], low: float = -LARGEST, high: float = LARGEST) -> Floats:
        """Return a float64 array of this shape with finite values between two bounds."""
        array = self.array(name)
        if array.dtype.kind not in "fiub" or array.shape != shape:
            expected = " x ".join(map(str, shape))
            self.wrong(name, f"{expected} numbers were expected, not {array.shape} of {array.dtype}")
        with np.errstate(invalid="ignore"):  # signalling NaNs
            values = np.ascontiguousarray(array, dtype=np.float64)
        low, high = max(low, -LARGEST), min(high, LARGEST)
        if not np.isfinite(values).all() or (values < low).any() or (values > high).any():
            self.wrong(name, f"finite numbers between {low:g} and {high:g} were expected")
        return values

    def recipe(self, frame_time: float | None = None) -> Recipe | None:
        """Return the recipe of the model's rows, or None; its frame rate must be the model's, where that is given."""
        header = self.fields.get("recipe", "dict | None")
        if header is None:
            return None
        with np.errstate(over="ignore", invalid="ignore"):  # invalid indices become values that are refused
            recipe = Recipe.from_parts(header, self.after(RECIPE))
        if frame_time is not None and recipe.frame_time != frame_time:
            self.fields.wrong("frame_time", f"the recipe's frame time, {recipe.frame_time:g}, was expected")
        return recipe

    def after(self, prefix: str) -> dict[str, Array]:
        """Return the arrays whose names start with a prefix, keyed without it; all of them hold numbers."""
        names = [name for name in self.arrays if name.startswith(prefix)]
        for name in names:
            if self.arrays[name].dtype.kind not in "fiub":
                self.wrong(name, f"numbers were expected, not {self.arrays[name].dtype}")
        return {name.removeprefix(prefix): self.arrays[name] for name in names}


def compact(values: Floats) -> Array:
    """Return an array as float32 where that is lossless (models are rounded to it), else unchanged."""
    with np.errstate(over="ignore"):
        small = np.asarray(values, dtype=np.float32)
    return small if np.array_equal(small.astype(np.float64), values) else np.asarray(values, dtype=np.float64)


def recipe_parts(recipe: Recipe | None) -> Parts:
    """Return the parts from which `ReadParts.recipe` restores the recipe: the field `recipe`, and arrays."""
    if recipe is None:
        return Parts(None, {})
    parts = recipe.to_parts()
    return Parts(parts.header, {RECIPE + name: array for name, array in parts.arrays.items()})
