"""The reference that a track is scored against: some inputs, and results computed from them once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from freshtake.evaluation.tracks import Layout, Track
from freshtake.numeric.arrays import Floats

Result = TypeVar("Result")


class Part(NamedTuple):
    """One track's share in a figure: the figure of a set is the mean of its parts by weight (or their largest)."""

    value: float
    weight: float = 1.0


Parts = dict[str, Part]


class Gallery:
    """Inputs at full rate and at 30 frames per second."""

    def __init__(self, layout: Layout, inputs: Sequence[Track]) -> None:
        self.layout = layout
        self.inputs = tuple(inputs)
        self.slow = tuple(at_working_rate(layout, track) for track in inputs)
        self._results: dict[Any, Any] = {}

    def once(self, find: Callable[[Gallery], Result]) -> Result:
        """The result of `find` for this gallery, computed on first use and cached."""
        if find not in self._results:
            self._results[find] = find(self)
        result: Result = self._results[find]
        return result


def at_working_rate(layout: Layout, track: Track) -> Track:
    """Clips at 30 frames per second, as most figures are defined; strokes, which are quick, as they are."""
    return track.thirty() if layout.has_body else track


def flat(values: Floats) -> Floats:
    """(frames, everything else)."""
    return values.reshape(len(values), -1)


def mean_of(parts: Sequence[Part]) -> float:
    """The mean by weight; NaN where nothing has weight."""
    usable = [part for part in parts if part.weight > 0 and np.isfinite(part.value)]
    total = sum(part.weight for part in usable)
    return float(sum(part.value * part.weight for part in usable) / total) if total > 0 else float("nan")


def largest_of(parts: Sequence[Part]) -> float:
    """The largest value; NaN where there is none."""
    values = [part.value for part in parts if np.isfinite(part.value)]
    return float(max(values)) if values else float("nan")
