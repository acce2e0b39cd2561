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
        found = self.value.get(key, default)
        if isinstance(found, float) and found.is_integer():
            found = int(found)
        if not isinstance(found, int) or isinstance(found, bool) or not low <= found <= high:
            self.fail(f"a whole number from {low} to {high} was expected, not {_shown(found)}", key)
        return found

    def index(self, key: str, count: int, what: str) -> int | None:
        """The number of one of `count` other objects, None where the key is absent."""
        if key not in self.value:
            return None
        found = self.integer(key)
        if found >= count:
            self.fail(f"{what} {found} does not exist: there are {count}", key)
        return found

    def indices(self, key: str, count: int, what: str) -> list[int]:
        """A list of numbers of other objects, each at most once; empty where absent."""
        found = self.value.get(key, [])
        good = isinstance(found, list) and all(isinstance(k, int) and not isinstance(k, bool) for k in found)
        if not good:
            self.fail(f"a list of whole numbers was expected, not {_shown(found)}", key)
        for number in found:
            if not 0 <= number < count:
                self.fail(f"{what} {_shown(number)} does not exist: there are {count}", key)
        if len(set(found)) < len(found):
            self.fail(f"a {what} is listed twice", key)
        return list(found)

    def text(self, key: str, default: str | None = None) -> str:
        """A string."""
        found = self.value.get(key, default)
        if not isinstance(found, str):
            self.fail(f"a text was expected, not {_shown(found)}", key)
        return found

    def flag(self, key: str) -> bool:
        """True or false; false where absent."""
        found = self.value.get(key, False)
        if not isinstance(found, bool):
            self.fail(f"true or false was expected, not {_shown(found)}", key)
        return found

    def numbers(self, key: str, count: int | None = None, default: Floats | None = None) -> Floats:
        """A list of finite numbers, `count` of them where that is given."""
        if key not in self.value and default is not None:
            return default
        found = self.value.get(key)
        if not isinstance(found, list) or (count is not None and len(found) != count):
            self.fail(f"a list of {count or 'some'} numbers was expected, not {_shown(found)}", key)
        if any(isinstance(n, bool) or not isinstance(n, int | float) for n in found):
            self.fail(f"numbers were expected, not {_shown(found)}", key)
        try:
            out = np.array(found, dtype=np.float64)
        except OverflowError:
            out = np.array([np.inf])
        if not (np.abs(out) < 1e150).all():  # so that squares and products stay finite
            self.fail(f"finite numbers were expected, not {_shown(found)}", key)
        return out

    def child(self, key: str) -> Item | None:
        """An object inside this one, None where absent."""
        found = self.value.get(key)
        if found is None and key not in self.value:
            return None
        if not isinstance(found, dict):
            self.fail(f"an object was expected, not {_shown(found)}", key)
        return Item(self.path, self.at(key), found)

    def needed(self, key: str) -> Item:
        """An object inside this one that has to be there."""
        found = self.child(key)
        if found is None:
            self.fail(f"{key!r} is missing")
        return found

    def items(self, key: str) -> list[Item]:
        """A list of objects inside this one; empty where absent."""
        found = self.value.get(key, [])
        if not isinstance(found, list):
            self.fail(f"a list was expected, not {_shown(found)}", key)
        place = self.at(key)
        for number, entry in enumerate(found):
            if not isinstance(entry, dict):
                raise FormatError(self.path, f"an object was expected, not {_shown(entry)}", f"{place}[{number}]")
        return [Item(self.path, f"{place}[{number}]", entry) for number, entry in enumerate(found)]


def _shown(value: Any) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) < 60 else f"{text[:56]} ..."
