"""Live streams that survive a refused frame."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from freshtake.numeric.arrays import Floats

Item = TypeVar("Item")
_END: Any = object()


class LiveStream(Generic[Item], Iterator[Item]):
    """An iterator over the items that `respond` returns for each input in turn, then the items of `last`.

    If `respond` raises, the next call continues with the next input; a generator would have ended.
    """

    def __init__(
        self, inputs: Iterable[Floats], respond: Callable[[Floats], Iterable[Item]], last: Callable[[], Iterable[Item]]
    ) -> None:
        self._inputs, self._respond, self._last = iter(inputs), respond, last
        self._waiting: deque[Item] = deque()
        self._ended = False

    def __next__(self) -> Item:
        while not self._waiting:
            if self._ended:
                raise StopIteration
            row = next(self._inputs, _END)
            self._ended = row is _END
            self._waiting.extend(self._last() if self._ended else self._respond(row))
        return self._waiting.popleft()
