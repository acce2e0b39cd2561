"""Stroke: a path in two or more dimensions over time, without a skeleton (handwriting, a mouse, a sensor)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freshtake.errors import InvalidMotion
from freshtake.motion.validation import checked_names, frozen
from freshtake.numeric.arrays import Floats


@dataclass(frozen=True, eq=False, repr=False)
class Stroke:
    """Points (frames, dimensions) at increasing times (frames,), in seconds; the dimensions have names."""

    points: Floats
    times: Floats
    dimensions: tuple[str, ...] = ()
    name: str = ""
    provenance: str = ""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "points", frozen(self.points, "points", (None, None)))
        frames, count = self.points.shape
        if frames == 0 or count == 0:
            raise InvalidMotion("a stroke needs at least one point of at least one dimension")
        put(self, "times", frozen(self.times, "times", (frames,)))
        backwards = np.flatnonzero(np.diff(self.times) <= 0.0)
        if len(backwards):
            raise InvalidMotion(f"times must increase, but point {backwards[0] + 1} is not later than the one before")
        names = tuple(self.dimensions) or tuple("xyz"[:count] if count <= 3 else (f"x{k}" for k in range(count)))
        if len(names) != count:
            raise InvalidMotion(f"{len(names)} dimension names are given for {count} dimensions")
        put(self, "dimensions", checked_names(names, "dimension"))

    def __repr__(self) -> str:
        return f"Stroke({self.name!r}, {len(self)} points, {self.points.shape[1]} dimensions)"

    def __len__(self) -> int:
        return len(self.points)

    @property
    def duration(self) -> float:
        """Seconds from the first point to the last."""
        return float(self.times[-1] - self.times[0])

    @property
    def uniform(self) -> bool:
        """Whether the points are evenly spaced in time (to the precision that files keep)."""
        steps = np.diff(self.times)
        return len(steps) == 0 or float(np.ptp(steps)) <= 0.02 * float(steps.mean())

    @property
    def frame_time(self) -> float:
        """Mean time between points."""
        return self.duration / (len(self) - 1) if len(self) > 1 else 1.0


def resample_stroke(stroke: Stroke, fps: float) -> Stroke:
    """Evenly spaced in time, by linear interpolation; the first point is kept, the last up to one step."""
    if not fps > 0:
        raise InvalidMotion(f"fps must be above 0, but is {fps}")
    count = int(np.floor(stroke.duration * fps + 1e-9)) + 1
    times = stroke.times[0] + np.arange(count) / fps
    points = np.stack([np.interp(times, stroke.times, column) for column in stroke.points.T], axis=1)
    return Stroke(points, times, stroke.dimensions, stroke.name, f"{stroke.provenance}; resampled to {fps:g} fps")
