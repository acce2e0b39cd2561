"""Several takes laid end to end: which frame follows which, and which cell a frame belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints


class Segments(NamedTuple):
    """Boundaries of the takes (takes + 1,), the cell of every take (takes,), and the cells' names."""

    bounds: tuple[int, ...]
    cell_of_take: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def frames(self) -> int:
        """Count the frames of all takes together."""
        return self.bounds[-1]

    def takes(self) -> Ints:
        """Return the take of every frame (frames,)."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    def cells(self) -> Ints:
        """Return the cell of every frame (frames,)."""
        return np.asarray(np.array(self.cell_of_take, dtype=np.intp)[self.takes()])

    def successors(self) -> Ints:
        """Return the frame after each (frames,); -1 after a take's last."""
        out = np.arange(1, self.frames + 1)
        out[np.array(self.bounds[1:]) - 1] = -1
        return out


def laid_out(lengths: Sequence[int], cells: Sequence[str]) -> Segments:
    """Lay takes of these lengths end to end, each in the cell of this name."""
    names = tuple(dict.fromkeys(cells))
    bounds = tuple(int(b) for b in np.concatenate([[0], np.cumsum(lengths)]))
    return Segments(bounds, tuple(names.index(cell) for cell in cells), names)


def split(rows: Floats, segments: Segments) -> list[Floats]:
    """Split rows by take."""
    return np.split(rows, segments.bounds[1:-1])
