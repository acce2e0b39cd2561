"""The reference that a track is scored against: some inputs, and what has been found in them once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from freshtake.evaluation.tracks import Layout, Track
from freshtake.numeric.arrays import Floats

Found = TypeVar("Found")


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
        self._found: dict[Any, Any] = {}

    def once(self, find: Callable[[Gallery], Found]) -> Found:
        """What `find` finds in this gallery, found on first use and kept."""
        if find not in self._found:
            self._found[find] = find(self)
        found: Found = self._found[find]
        return found


def at_working_rate(layout: Layout, track: Track) -> Track:
    """Clips at 30 frames per second, as most figures are defined; strokes, which are quick, as they are."""
    return track.thirty() if layout.has_body else track


def flat(values: Floats) -> Floats:
    """(frames, everything else)."""
    return values.reshape(len(values), -1)


def mean_of(parts: Sequence[Part]) -> float:
    """The mean by weight; NaN where nothing has weight."""
    kept = [part for part in parts if part.weight > 0 and np.isfinite(part.value)]
    total = sum(part.weight for part in kept)
    return float(sum(part.value * part.weight for part in kept) / total) if total > 0 else float("nan")


def largest_of(parts: Sequence[Part]) -> float:
    """The largest value; NaN where there is none."""
    values = [part.value for part in parts if np.isfinite(part.value)]
    return float(max(values)) if values else float("nan")
