"""A glTF file's JSON with its place: every value is checked where it is taken, every refusal says where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from freshtake.errors import FormatError
from freshtake.numeric.arrays import Floats


@dataclass(frozen=True)
class Item:
    """One JSON object of the file at a place such as `accessors[3]`; getters return checked values."""

    path: Path
    place: str
    value: dict[str, Any]

    def fail(self, problem: str, key: str = "") -> NoReturn:
        """Refuse the file, naming this place."""
        raise FormatError(self.path, problem, self.at(key))

    def at(self, key: str) -> str:
        """The place of one of this object's values."""
        return f"{self.place}.{key}" if self.place and key else self.place or key

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def integer(self, key: str, default: int | None = None, low: int = 0, high: int = 1 << 40) -> int:
        """A whole number from low to high."""
        number = self.value.get(key, default)
        if isinstance(number, float) and number.is_integer():
            number = int(number)
        if not isinstance(number, int) or isinstance(number, bool) or not low <= number <= high:
            self.fail(f"a whole number from {low} to {high} was expected, not {_shown(number)}", key)
        return number

    def index(self, key: str, count: int, what: str) -> int | None:
        """The number of one of `count` other objects, None where the key is absent."""
        if key not in self.value:
            return None
        number = self.integer(key)
        if number >= count:
            self.fail(f"{what} {number} does not exist: there are {count}", key)
        return number

    def indices(self, key: str, count: int, what: str) -> list[int]:
        """A list of numbers of other objects, each at most once; empty where absent."""
        numbers = self.value.get(key, [])
        good = isinstance(numbers, list) and all(isinstance(k, int) and not isinstance(k, bool) for k in numbers)
        if not good:
            self.fail(f"a list of whole numbers was expected, not {_shown(numbers)}", key)
        for number in numbers:
            if not 0 <= number < count:
                self.fail(f"{what} {_shown(number)} does not exist: there are {count}", key)
        if len(set(numbers)) < len(numbers):
            self.fail(f"a {what} is listed twice", key)
        return list(numbers)

    def text(self, key: str, default: str | None = None) -> str:
        """A string."""
        text = self.value.get(key, default)
        if not isinstance(text, str):
            self.fail(f"a text was expected, not {_shown(text)}", key)
        return text

    def flag(self, key: str) -> bool:
        """True or false; false where absent."""
        flag = self.value.get(key, False)
        if not isinstance(flag, bool):
            self.fail(f"true or false was expected, not {_shown(flag)}", key)
        return flag

    def numbers(self, key: str, count: int | None = None, default: Floats | None = None) -> Floats:
        """A list of finite numbers, `count` of them where that is given."""
        if key not in self.value and default is not None:
            return default
        values = self.value.get(key)
        if not isinstance(values, list) or (count is not None and len(values) != count):
            self.fail(f"a list of {count or 'some'} numbers was expected, not {_shown(values)}", key)
        if any(isinstance(n, bool) or not isinstance(n, int | float) for n in values):
            self.fail(f"numbers were expected, not {_shown(values)}", key)
        try:
            out = np.array(values, dtype=np.float64)
        except OverflowError:
            out = np.array([np.inf])
        if not (np.abs(out) < 1e150).all():  # so that squares and products stay finite
            self.fail(f"finite numbers were expected, not {_shown(values)}", key)
        return out

    def child(self, key: str) -> Item | None:
        """An object inside this one, None where absent."""
        value = self.value.get(key)
        if value is None and key not in self.value:
            return None
        if not isinstance(value, dict):
            self.fail(f"an object was expected, not {_shown(value)}", key)
        return Item(self.path, self.at(key), value)

    def needed(self, key: str) -> Item:
        """An object inside this one that has to be there."""
        child = self.child(key)
        if child is None:
            self.fail(f"{key!r} is missing")
        return child

    def items(self, key: str) -> list[Item]:
        """A list of objects inside this one; empty where absent."""
        entries = self.value.get(key, [])
        if not isinstance(entries, list):
            self.fail(f"a list was expected, not {_shown(entries)}", key)
        place = self.at(key)
        for number, entry in enumerate(entries):
            if not isinstance(entry, dict):
                raise FormatError(self.path, f"an object was expected, not {_shown(entry)}", f"{place}[{number}]")
        return [Item(self.path, f"{place}[{number}]", entry) for number, entry in enumerate(entries)]


def _shown(value: Any) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) < 60 else f"{text[:56]} ..."
