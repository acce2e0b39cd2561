"""The way of a gait through time and over the ground: phase, heading and place of a body that walks a curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats
from freshtake.samples.variation_law import Wander

SUBSTEPS = 4
MARGIN = 3.0  # cycles known before the first frame and after the last


@dataclass(frozen=True)
class Pace:
    """How a gait goes: seconds per cycle, centimetres per cycle, degrees per second to the left."""

    period: float
    stride: float
    turn_rate: float = 0.0


@dataclass(frozen=True)
class GaitPath:
    """Phase (cycles), heading (degrees) and place on the ground (x, z) on a fine grid of times (seconds).

    `frames` picks the clip's frames from the grid. Phase is 0 at time 0, the place (0, 0) and the heading 0.
    """

    times: Floats
    phase: Floats
    heading: Floats
    ground: Floats
    frames: slice

    def at_phase(self, phase: Floats) -> tuple[Floats, Floats, Floats]:
        """Times, headings and places at which the gait has these phases."""
        times = np.interp(phase, self.phase, self.times)
        heading = np.interp(times, self.times, self.heading)
        ground = np.stack([np.interp(times, self.times, self.ground[:, k]) for k in (0, 1)], axis=-1)
        return times, heading, ground


def frame_count(pace: Pace, tempo: Wander, cycles: float, fps: float) -> int:
    """How many frames hold so many cycles, first and last included, to the nearest frame."""
    times = np.arange(0.0, 1.5 * cycles * pace.period + 1.0, 0.01)
    phase = times / pace.period + tempo.integral(times)[:, 0] / pace.period
    return round(float(np.interp(cycles, phase, times)) * fps) + 1


def lay_path(pace: Pace, tempo: Wander, drift: Wander, frames: int, fps: float, pad: int = 0) -> GaitPath:
    """The path of so many frames; `tempo` speeds up and slows down, `drift` wanders off the heading (degrees).

    With `pad` the frames picked begin so many earlier and end so many later.
    """
    margin = int(np.ceil(MARGIN * pace.period * fps)) * SUBSTEPS
    times = np.arange(-margin, (frames - 1) * SUBSTEPS + margin + 1) / (fps * SUBSTEPS)
    rate = np.maximum((1.0 + tempo(times)[:, 0]) / pace.period, 0.2 / pace.period)
    phase = (times + tempo.integral(times)[:, 0]) / pace.period
    drifted = drift(times)[:, 0]
    heading = pace.turn_rate * times + drifted - drifted[margin]
    angle = np.radians(heading)
    velocity = (pace.stride * rate)[:, None] * np.stack([np.sin(angle), np.cos(angle)], axis=-1)
    steps = (velocity[1:] + velocity[:-1]) / (2.0 * fps * SUBSTEPS)
    ground = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    stop = margin + (frames - 1 + pad) * SUBSTEPS + 1
    picked = slice(margin - pad * SUBSTEPS, stop, SUBSTEPS)
    return GaitPath(times, phase, heading, ground - ground[margin], picked)


def checked_length(frames: int | None, cycles: float | None, fps: float) -> None:
    """Raise unless the requested length makes sense."""
    if not (np.isfinite(fps) and 1.0 <= fps <= 1000.0):
        raise UsageError(f"fps must be 1 to 1000, but is {fps}")
    if frames is not None and not 1 <= frames <= 10_000_000:
        raise UsageError(f"a clip must have 1 to 10,000,000 frames, not {frames}")
    if cycles is not None and not 0.0 < cycles <= 100_000.0:
        raise UsageError(f"cycles must be above 0 and at most 100,000, but are {cycles}")


def checked_travel(what: str, speed: float, limits: tuple[float, float], turn_rate: float) -> None:
    """Raise unless a performer can do this at such a speed (m/s) and turn rate (degrees per second)."""
    low, high = limits
    if not low <= speed <= high:
        raise UsageError(f"the speed of a {what} must be {low:g} to {high:g} m/s, but is {speed}")
    if not abs(turn_rate) <= 90.0:
        raise UsageError(f"the turn_rate of a {what} must be -90 to 90 degrees per second, but is {turn_rate}")


def checked_amount(amount: float) -> float:
    """An amount of variation that makes sense."""
    if not 0.0 <= amount <= 3.0:
        raise UsageError(f"amount must be 0 to 3, but is {amount}")
    return amount
