"""Live streams: what comes in is checked before anything remembers it, and a refused frame does not end the stream."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from freshtake.errors import InvalidMotion
from freshtake.numeric.arrays import Floats

Item = TypeVar("Item")


def checked_rows(rows: npt.ArrayLike, names: Sequence[str]) -> Floats:
    """Rows (frames, DOFs), or a single one (DOFs,), as (frames, DOFs), all of them finite."""
    try:
        values = np.asarray(rows, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InvalidMotion("a row must be numbers, one for each DOF") from None
    if values.ndim == 1:
        values = values[None]
    if values.ndim != 2 or values.shape[1] != len(names):
        got = values.shape[1] if values.ndim == 2 else "other than a row of"
        raise InvalidMotion(
            f"a row has {got} numbers, but there are {len(names)} DOFs: encode motion with the model that is to take it"
        )
    if not np.isfinite(values).all():
        frame, dof = map(int, np.argwhere(~np.isfinite(values))[0])
        raise InvalidMotion(f"the DOF {names[dof]!r} is {values[frame, dof]} in row {frame}: leave that frame out")
    return values


class LiveStream(Generic[Item], Iterator[Item]):
    """What `made` gives for one input after the other, then what `last` gives.

    An input that `made` refuses raises; the next call goes on with the input after it. A generator would have ended.
    """

    def __init__(
        self, inputs: Iterable[Floats], made: Callable[[Floats], Iterable[Item]], last: Callable[[], Iterable[Item]]
    ) -> None:
        self._inputs, self._made, self._last = iter(inputs), made, last
        self._waiting: deque[Item] = deque()
        self._ended = False

    def __next__(self) -> Item:
        while not self._waiting:
            if self._ended:
                raise StopIteration
            try:
                row = next(self._inputs)
            except StopIteration:
                self._ended = True
                self._waiting.extend(self._last())
            else:
                self._waiting.extend(self._made(row))
        return self._waiting.popleft()
