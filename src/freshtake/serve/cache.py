"""A cache that is limited by the memory its values take."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

import numpy as np

Value = TypeVar("Value")


class SizedCache(Generic[Value]):
    """A cache of at most so many bytes of arrays, usable from any thread; the values used longest ago go first."""

    def __init__(self, room: int) -> None:
        self.room, self.used = room, 0
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key, made where it is not there."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
        value = make()
        size = size_of(value)
        with self._lock:
            if key not in self._values and size <= self.room:
                self._values[key] = value, size
                self.used += size
            while self.used > self.room:
                self.used -= self._values.popitem(last=False)[1][1]
        return value


def size_of(value: object) -> int:
    """Bytes of the arrays that a value holds, and a little for itself."""
    if isinstance(value, np.ndarray):
        return value.nbytes + 200
    if isinstance(value, tuple | list):
        return 200 + sum(map(size_of, value))
    inner = getattr(value, "__dict__", {})
    return 1000 + sum(entry.nbytes for entry in inner.values() if isinstance(entry, np.ndarray))
