"""Strokes as columns: one per dimension, and the time step where the points are not evenly spaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.features import parts as stored
from freshtake.motion.features.ground import Path, Start
from freshtake.motion.skeleton import Skeleton
from freshtake.motion.stroke import Stroke
from freshtake.motion.validation import checked_names, positive
from freshtake.numeric.arrays import Bools, Floats

EVEN = 1e-6  # share of a frame by which evenly spaced points may be off


@dataclass(frozen=True, eq=False)
class StrokeLayout:
    """The dimensions of a stroke, its frame time, and whether time is a DOF of its own."""

    dimensions: tuple[str, ...]
    frame_time: float
    timed: bool

    kind: ClassVar[str] = "stroke"
    root: ClassVar[str] = "absolute"

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimensions", checked_names(self.dimensions, "dimension"))
        object.__setattr__(self, "frame_time", positive(self.frame_time, "frame_time"))

    def names(self) -> list[str]:
        """The DOFs by name: `x`, `y`, and `dt` for the time step."""
        step = "dt" if "dt" not in self.dimensions else "time_step"
        return [*self.dimensions, *[step] * self.timed]

    def units(self) -> list[str]:
        """What each column measures."""
        return ["length"] * len(self.dimensions) + ["time"] * self.timed

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.dimensions) + self.timed

    def spare(self) -> Bools:
        """No column is left out unless asked."""
        return np.zeros(self.width, dtype=np.bool_)

    def encode(self, stroke: Stroke) -> tuple[Floats, Start]:
        """All columns; row t of `dt` is the time from point t - 1 to t, row 0 repeats row 1."""
        name = stroke.name or "a stroke"
        if stroke.dimensions != self.dimensions:
            have, want = ", ".join(stroke.dimensions), ", ".join(self.dimensions)
            raise UsageError(f"{name} has the dimensions {have}, but the recipe {want}")
        start = Start(time=float(stroke.times[0]))
        if not self.timed:
            if not is_even(stroke, self.frame_time):
                rate = f"every {self.frame_time:g} s as the recipe's"
                raise UsageError(
                    f"the points of {name} do not come {rate}: resample it (motion.stroke.resample_stroke)"
                )
            return stroke.points, start
        steps = np.diff(stroke.times)
        steps = np.concatenate([steps[:1] if len(steps) else [self.frame_time], steps])
        return np.concatenate([stroke.points, steps[:, None]], axis=1), start

    def path(self, values: Floats, start: Start, resume: bool = False) -> Path:
        """A stroke stays at the origin of its own plane."""
        return Path(np.zeros(len(values), dtype=np.complex128), np.zeros(len(values)))

    def times(self, values: Floats, start: Start, resume: bool) -> Floats:
        """Times of the rows; a step that is not above zero (which no stroke has) becomes a thousandth of a frame."""
        count = len(values)
        if not self.timed:
            return start.time + np.arange(resume, count + resume, dtype=np.float64) * self.frame_time
        steps = np.where(values[:, -1] > 0.0, values[:, -1], 1e-3 * self.frame_time)
        if not resume:
            steps[:1] = 0.0
        return np.cumsum(steps) + start.time

    def decode(self, values: Floats, start: Start, resume: bool, skeleton: Skeleton | None, name: str) -> Stroke:
        """A stroke from all columns."""
        return Stroke(values[:, : len(self.dimensions)], self.times(values, start, resume), self.dimensions, name)

    def effects(self, examples: Sequence[Floats], horizon: float) -> Floats:
        """One for a coordinate; for a second of time the way the pen goes in it (RMS speed)."""
        out = np.ones(self.width)
        if self.timed:
            steps = [np.linalg.norm(np.diff(v[:, :-1], axis=0), axis=1) / v[1:, -1] for v in examples]
            speeds = np.concatenate(steps)
            out[-1] = np.sqrt(np.mean(speeds**2)) if len(speeds) else 1.0
        return out

    def parts(self) -> stored.Parts:
        """Header and arrays from which `from_parts` makes the same layout."""
        header = {"dimensions": list(self.dimensions), "frame_time": self.frame_time, "timed": self.timed}
        return stored.Parts(header, {})

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Mapping[str, stored.Array]) -> StrokeLayout:
        """The inverse of `parts`."""
        return cls(
            stored.texts(header, "dimensions"),
            stored.field(header, "frame_time", float, int),
            stored.field(header, "timed", bool),
        )


def is_even(stroke: Stroke, frame_time: float) -> bool:
    """Whether every point comes one frame time after the one before."""
    grid = stroke.times[0] + np.arange(len(stroke)) * frame_time
    return bool(np.abs(stroke.times - grid).max() <= EVEN * frame_time)


def stroke_layout(strokes: Sequence[Stroke]) -> StrokeLayout:
    """The layout that fits all examples: time is a DOF unless all points come at one and the same rate."""
    first = strokes[0]
    for stroke in strokes[1:]:
        if stroke.dimensions != first.dimensions:
            raise UsageError(f"{stroke.name or 'an example'} has other dimensions than {first.name or 'the first one'}")
    longer = [stroke for stroke in strokes if len(stroke) > 1] or [first]
    steps = sum(len(stroke) - 1 for stroke in longer)
    even = all(is_even(stroke, longer[0].frame_time) for stroke in strokes)
    mean_step = sum(stroke.duration for stroke in longer) / steps if steps else 1.0
    return StrokeLayout(first.dimensions, longer[0].frame_time if even else mean_step, not even)
