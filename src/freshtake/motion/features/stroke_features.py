"""Strokes as columns: one per dimension, and the time step if the points are not evenly spaced.

The position of a stroke on the page is not part of its shape: writers start elsewhere each time. Rows describe the
stroke moved to the mean position of the examples, and the start stores this move. Time steps are logarithms, so that a
mixture of time steps is again a valid time step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.features.angles import Columns, Path, Start
from freshtake.motion.kinds import Stroke
from freshtake.motion.skeleton import Skeleton
from freshtake.motion.validation import Parts, checked_names, frozen, positive
from freshtake.numeric.arrays import Floats

PLACES = ("x", "y", "z")  # dimensions that define a point's position


@dataclass(frozen=True, eq=False)
class StrokeLayout(Columns):
    """The dimensions of a stroke, its frame time, whether time is a DOF, and the position to which strokes are moved.

    `place` (dimensions,) is the mean center of the examples; None leaves every stroke where it is.
    """

    dimensions: tuple[str, ...]
    frame_time: float
    timed: bool
    place: tuple[float, ...] | None = None

    kind: ClassVar[str] = "stroke"
    root: ClassVar[str] = "absolute"

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimensions", checked_names(self.dimensions, "dimension"))
        object.__setattr__(self, "frame_time", positive(self.frame_time, "frame_time"))
        if self.place is not None:
            place = frozen(self.place, "place", (len(self.dimensions),))
            object.__setattr__(self, "place", tuple(place.tolist()))

    def names(self) -> list[str]:
        """Return the DOFs by name: `x`, `y`, and `dt` for the time step."""
        step = "dt" if "dt" not in self.dimensions else "time_step"
        return [*self.dimensions, *[step] * self.timed]

    def units(self) -> list[str]:
        """Return the quantity that each column measures."""
        return ["length"] * len(self.dimensions) + ["time"] * self.timed

    def encode(self, stroke: Stroke) -> tuple[Floats, Start]:
        """Return all columns; row t of `dt` is the log of the time from point t - 1 to t in frames (row 0: row 1)."""
        name = stroke.name or "a stroke"
        if stroke.dimensions != self.dimensions:
            given, expected = ", ".join(stroke.dimensions), ", ".join(self.dimensions)
            raise UsageError(f"{name} has the dimensions {given}, but the recipe {expected}")
        moved = () if self.place is None else tuple((middle(stroke) - self.place).tolist())
        start = Start(time=float(stroke.times[0]), moved=moved)
        points = stroke.points - np.array(moved) if moved else stroke.points
        if not self.timed:
            if not is_even(stroke, self.frame_time):
                rate = f"every {self.frame_time:g} s as the recipe's"
                raise UsageError(f"the points of {name} do not come {rate}: resample it (motion.kinds.resample_stroke)")
            return points, start
        steps = np.log(np.diff(stroke.times) / self.frame_time)
        steps = np.concatenate([steps[:1] if len(steps) else [0.0], steps])
        return np.concatenate([points, steps[:, None]], axis=1), start

    def path(self, values: Floats, start: Start, resume: bool = False) -> Path:
        """Return a path that stays at the origin: a stroke has no ground plane."""
        return Path(np.zeros(len(values), dtype=np.complex128), np.zeros(len(values)))

    def times(self, values: Floats, start: Start, resume: bool) -> Floats:
        """Return the times of the rows."""
        count = len(values)
        if not self.timed:
            return start.time + np.arange(resume, count + resume, dtype=np.float64) * self.frame_time
        # Logarithms of time steps beyond 30 come from damaged models, and would overflow.
        steps = self.frame_time * np.exp(np.clip(values[:, -1], -30.0, 30.0))
        if not resume:
            steps[:1] = 0.0
        return np.cumsum(steps) + start.time

    def decode(self, values: Floats, start: Start, resume: bool, skeleton: Skeleton | None, name: str) -> Stroke:
        """Return a stroke from all columns."""
        points = values[:, : len(self.dimensions)]
        points = points + np.array(start.moved) if self.place is not None and start.moved else points
        return Stroke(points, self.times(values, start, resume), self.dimensions, name)

    def effects(self, examples: Sequence[Floats], horizon: float) -> Floats:
        """Return 1 for a coordinate; for a time step the distance that the pen covers during it (RMS)."""
        out = np.ones(self.width)
        if self.timed:
            steps = np.concatenate([np.linalg.norm(np.diff(rows[:, :-1], axis=0), axis=1) for rows in examples])
            out[-1] = np.sqrt(np.mean(steps**2)) if steps.any() else 1.0
        return out

    def parts(self) -> Parts:
        """Return the header and arrays from which `from_parts` rebuilds the layout."""
        place = None if self.place is None else list(self.place)
        header = {"dimensions": list(self.dimensions), "frame_time": self.frame_time, "timed": self.timed}
        return Parts({**header, "place": place}, {})

    @classmethod
    def from_parts(cls, parts: Parts) -> StrokeLayout:
        """Return the layout from its `parts`."""
        return cls(
            parts.texts("dimensions"),
            parts.field("frame_time", float, int),
            parts.field("timed", bool),
            None if parts.field("place", list, type(None)) is None else parts.listed("place", "numbers", int, float),
        )


def is_even(stroke: Stroke, frame_time: float) -> bool:
    """Return whether every point comes one frame time after the point before."""
    grid = stroke.times[0] + np.arange(len(stroke)) * frame_time
    # Evenly spaced points are off their grid by rounding only.
    return bool(np.abs(stroke.times - grid).max() <= 1e-6 * frame_time)


def middle(stroke: Stroke) -> Floats:
    """Return the mean point (dimensions,) along the path, regardless of pauses; 0 for dimensions such as pressure."""
    steps = np.linalg.norm(np.diff(stroke.points, axis=0), axis=1)
    along = np.concatenate([[0.0], steps]) + np.concatenate([steps, [0.0]])
    weights = along if along.sum() > 0.0 else np.ones(len(stroke))
    spatial = np.array([name.lower() in PLACES for name in stroke.dimensions])
    return np.where(spatial, np.average(stroke.points, axis=0, weights=weights), 0.0)


def stroke_layout(strokes: Sequence[Stroke], placed: bool = True) -> StrokeLayout:
    """Return the layout that fits all examples: time is a DOF unless all points have the same rate.

    With `placed`, strokes are moved to their mean position; otherwise they stay where they are.
    """
    first = strokes[0]
    for stroke in strokes[1:]:
        if stroke.dimensions != first.dimensions:
            raise UsageError(f"{stroke.name or 'an example'} has other dimensions than {first.name or 'the first one'}")
    longer = [stroke for stroke in strokes if len(stroke) > 1] or [first]
    steps = sum(len(stroke) - 1 for stroke in longer)
    even = all(is_even(stroke, longer[0].frame_time) for stroke in strokes)
    mean_step = sum(stroke.duration for stroke in longer) / steps if steps else 1.0
    place = tuple(np.mean([middle(stroke) for stroke in strokes], axis=0).tolist()) if placed else None
    return StrokeLayout(first.dimensions, longer[0].frame_time if even else mean_step, not even, place)
