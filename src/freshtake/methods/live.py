"""Live streams: input is checked before it changes any state, and a refused frame does not end the stream."""

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
    """Return rows (frames, DOFs), or a single one (DOFs,), as (frames, DOFs), all of them finite."""
    try:
        values = np.asarray(rows, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InvalidMotion("a row must be numbers, one per DOF") from None
    if values.ndim == 1:
        values = values[None]
    if values.ndim != 2 or values.shape[1] != len(names):
        width = f"{values.shape[1]} numbers" if values.ndim == 2 else "the wrong shape"
        raise InvalidMotion(
            f"a row has {width}, but the model has {len(names)} DOFs: encode the motion with the same model"
        )
    if not np.isfinite(values).all():
        frame, dof = map(int, np.argwhere(~np.isfinite(values))[0])
        raise InvalidMotion(f"the DOF {names[dof]!r} is {values[frame, dof]} in row {frame}: leave that frame out")
    return values


class LiveStream(Generic[Item], Iterator[Item]):
    """An iterator over the items that `respond` returns for each input in turn, then those of `last`.

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
            try:
                row = next(self._inputs)
            except StopIteration:
                self._ended = True
                self._waiting.extend(self._last())
            else:
                self._waiting.extend(self._respond(row))
        return self._waiting.popleft()
