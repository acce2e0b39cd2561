"""The way that loops take over the ground: straight, back to where they began, or with a given turn.

Rows begin with three speeds: forward and sideways in the heading of the frame before, and of turning. The turning of
single steps stays; what remains of it when it is smoothed is the course, which is replaced.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.features.ground import AT_ORIGIN, Path, set_ground, summed
from freshtake.numeric.arrays import Floats
from freshtake.numeric.curves import gaussian_filter1d
from freshtake.texture.segments import Segments

COURSES = ("straight", "closed", "free")
SMOOTH = 0.25  # seconds: deviation of the bell by which turning is smoothed, which leaves most of the sway of steps
FAST = np.radians(25.0)  # a second: what is bent by so much costs as much as a frame that is shown twice
STANDS = 0.55  # times what the body moves about itself: walks and runs travel by 1.2 and more, cheers by 0.45 at most


class LoopCourse(NamedTuple):
    """Rows of a loop on its course; travel (3,) of once through it, and the turns that it had and that it has."""

    rows: Floats
    travel: Floats
    turned: float
    turns: float


def check_course(course: str | float | None) -> None:
    """Check that a course is one of the names, a number of degrees, or None."""
    if isinstance(course, (int, float)) and not isinstance(course, bool):
        if not abs(course) <= 3600.0:
            raise UsageError(f"a loop turns by at most 3600 degrees either way, not {course}")
    elif course is not None and course not in COURSES:
        raise UsageError(f"a loop's course is {', '.join(COURSES)} or a number of degrees, not {course!r}")


def trend_of(values: Floats, segments: Segments, frame_time: float) -> Floats:
    """Smooth single steps out of the values (frames,) of each take."""
    parts = np.split(values, segments.bounds[1:-1])
    return np.concatenate([gaussian_filter1d(part, SMOOTH / frame_time, mode="nearest") for part in parts])


def turning_trend(rows: Floats, segments: Segments, frame_time: float) -> Floats:
    """Compute how fast each frame of the takes turns (frames,), single steps smoothed out, in radians a second."""
    return trend_of(rows[:, 2], segments, frame_time)


def detours(trend: Floats, rate: float) -> Floats:
    """Compute what it costs to bend each frame to a rate of turning (frames,), 1 where that is much.

    A rate that the takes have nowhere is counted from the nearest one that they have: what no choice of frames can
    give is not to be paid for by larger jumps.
    """
    return np.asarray(np.square((trend - np.clip(rate, trend.min(), trend.max())) / FAST))


def rate_of(course: str | float | None, seconds: float) -> float | None:
    """Return the radians a second that a course turns by; None for one that is left as it is."""
    if course == "free":
        return None
    turns = 2.0 * np.pi if course == "closed" else np.radians(course) if isinstance(course, (int, float)) else 0.0
    return float(turns) / seconds


def on_course(rows: Floats, frame_time: float, up: str, course: str | float | None, moves: float = 0.0) -> LoopCourse:
    """Bend a loop's rows to a course; None: straight, or without travel where it hardly travels.

    `moves` is how far the body moves about itself from frame to frame.
    """
    turned = float(rows[:, 2].sum() * frame_time)
    if course == "free":
        return LoopCourse(rows, *_once(rows, frame_time, up)[:1], turned, turned)
    out = rows.copy()
    rate = rate_of(course, len(rows) * frame_time)
    assert rate is not None
    if course == "closed" and turned < 0.0:
        rate = -rate
    # The wish replaces the smoothed turning alone, so that hips go on swaying with the steps.
    out[:, 2] += rate - gaussian_filter1d(rows[:, 2], SMOOTH / frame_time, mode="wrap")
    travel, path = _once(out, frame_time, up)
    stands = bool(np.linalg.norm(travel) < STANDS * moves * len(rows))
    if course == "closed" or (course is None and stands):
        # The drift is spread evenly over all frames: taken out in one, it would be seen as a slide.
        drift = (path.ground[-1] - path.ground[0]) / len(rows)
        # Rows hold speeds in the heading of the frame before, so that the drift is turned into that.
        step = drift * np.exp(-1j * np.roll(path.heading[:-1], 1)) / frame_time
        out[:, 0] -= step.real
        out[:, 1] -= step.imag
        travel = np.zeros(3)
    return LoopCourse(out, travel, turned, float(rate * len(rows) * frame_time))


def _once(rows: Floats, frame_time: float, up: str) -> tuple[Floats, Path]:
    """Compute the travel of once through a loop, and its path, the frame after the last included."""
    path = summed(np.concatenate([rows, rows[:1]])[:, :3], frame_time, AT_ORIGIN, up)
    travel = np.zeros(3)
    set_ground(travel, path.ground[-1] - path.ground[0], up)
    return travel, path
