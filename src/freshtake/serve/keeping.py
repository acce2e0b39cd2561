"""Values that were expensive to make, kept as long as there is room; those used last stay longest."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

import numpy as np

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """At most so many bytes of arrays, from any thread; what is made twice at the same time is kept once."""

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
