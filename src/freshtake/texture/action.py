"""The action of loops: the moving part of the takes, likeness to it, and the course over the ground.

Rows begin with three speeds: forward and sideways in the heading of the previous frame, and turning. A course replaces
the smoothed turning of a loop; the turning within single steps is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features.angles import AT_ORIGIN, Path, set_ground, summed
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.curves import gaussian_filter1d, runs
from freshtake.texture.frame_distance import Segments

COURSES = ("straight", "closed", "free")
SMOOTH = 0.25  # seconds: deviation of the Gaussian that smooths turning
FAST = np.radians(25.0)  # per second: bending by this much costs as much as showing a frame twice
STANDS = 0.55  # travel over movement about the root below which a body stays in place: walks 1.2, cheers up to 0.45
STILL = 0.25  # fraction of the usual movement below which a body stands; walking has more, even in takes with running
ALIKE = 1.25  # a loop whose travel, movement or range differs from the takes' by more than this factor is unlike them


class Likeness(NamedTuple):
    """The travel, movement and range of poses of a loop relative to the action's; `travel` is None without travel."""

    travel: float | None
    energy: float
    range: float

    @property
    def unlike(self) -> dict[str, float]:
        """The factors that are too far from 1, by name."""
        return {k: v for k, v in self._asdict().items() if v is not None and not 1.0 / ALIKE <= v <= ALIKE}

    @property
    def distance(self) -> float:
        """The sum of squared logarithms of the factors, each 1 at the limit of `ALIKE`."""
        factors = [max(value, 1e-3) for value in self if value is not None]
        return float(np.square(np.log(factors) / np.log(ALIKE)).sum())


@dataclass(frozen=True, eq=False)
class Action:
    """The frames (frames,) of the takes from which loops are made, and the pace of each frame.

    `travel` and `energy` (frames,) are smoothed over steps, relative to their means over the action of the frame's
    cell; `speed` (frames,) is that mean of the travel, per second.
    """

    frames: Bools
    poses: Floats
    travel: Floats | None
    energy: Floats
    speed: Floats
    cells: Ints

    def costs(self) -> Floats:
        """Return the cost of showing each frame (frames,): 1 if its pace is off by the factor `ALIKE`."""
        pace = self.energy if self.travel is None else self.travel
        return np.asarray(np.square((pace - 1.0) / (ALIKE - 1.0)))

    def likeness(self, path: tuple[int, ...], tempo: float) -> Likeness:
        """Compare a closed path of frames, played at a tempo, with the action."""
        shown, all_poses = list(path), self.poses[self.frames]
        spread = np.sqrt(self.poses[shown].var(axis=0).sum() / max(all_poses.var(axis=0).sum(), 1e-300))
        travel = None if self.travel is None else float(self.travel[shown].mean() * tempo)
        return Likeness(travel, float(self.energy[shown].mean() * tempo), float(spread))

    def as_shown(self, likeness: Likeness, rows: Floats, moved: float, steps: Floats, frame: int) -> Likeness:
        """Return the likeness of a loop as shown in `rows`, where fades add movement and slow a body down.

        Its points move by `moved` from frame to frame on average, the takes' points by `steps` (frames,); `frame` is
        one of its frames, whose cell is the reference.
        """
        mine = self.frames & (self.cells == self.cells[frame])
        energy = moved / max(float(steps[mine].mean()), 1e-300)
        if self.travel is None:
            return likeness._replace(energy=energy)
        travel = float(np.hypot(*rows[:, :2].mean(axis=0)) / self.speed[frame])
        return likeness._replace(travel=travel, energy=energy)

    def narrowed(self, frames: Ints) -> Action:
        """Return the action with only some frames of the takes."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{name: part[frames] for name, part in parts.items() if part is not None})


def action_of(
    rows: Floats, poses: Floats, segments: Segments, frame_time: float, *, rates: int, among: Bools | None
) -> Action:
    """Find the moving part of the takes, or of the frames `among`; standing before and after is left out.

    The first `rates` columns of the rows (frames, columns) are speeds along the ground; `poses` (frames, values) are
    the same frames without travel, in the unit of the speeds.
    """
    chosen = np.ones(len(rows), dtype=np.bool_) if among is None else among
    moved = np.concatenate([moved_steps(part) for part in segments.split(poses)])
    energy = trend_of(moved, segments, frame_time)
    along = np.zeros(len(rows))
    if rates:
        along = np.hypot(*(trend_of(rows[:, k], segments, frame_time) for k in (0, 1))) * frame_time
    cells, frames = segments.cells(), np.zeros(len(rows), dtype=np.bool_)
    scale = np.ones((2, len(rows)))
    # Search cell by cell, so that a slow cell does not count as a pause of a fast cell.
    for cell in np.unique(cells[chosen]):
        mine = chosen & (cells == cell)
        # A pause shorter than half a second belongs to the action.
        moving = mine & ~_still(np.hypot(along, energy), mine, segments, 0.5 / frame_time)
        frames |= moving
        scale[:, cells == cell] = np.array([[along[moving].mean()], [energy[moving].mean()]])
    travels = rates > 0 and along[frames].mean() >= STANDS * energy[frames].mean()
    along, energy = (x / np.maximum(s, 1e-300) for x, s in zip((along, energy), scale, strict=True))
    return Action(frames, poses, along if travels else None, energy, scale[0] / frame_time, cells)


def joint_speed_factor(motion: Clip, takes: Sequence[Clip], frames: Bools) -> float:
    """Compare the mean speed of the joints about the root with that in some frames (frames,) of the takes.

    This measures the finished motion, feet planted; a root mean square over all joints would hardly show a small
    movement of many joints.
    """
    steps = np.concatenate([_joint_steps(take) for take in takes])[frames]
    return float(_joint_steps(motion).mean() / max(float(steps.mean()), 1e-300))


def _joint_steps(clip: Clip) -> Floats:
    places = clip.positions()
    return np.asarray(moved_steps(places - places[:, :1]).mean(axis=1))


def moved_steps(points: Floats) -> Floats:
    """Return the distances (frames, ...) that points (frames, ..., values) move from frame to frame."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=-1)
    return np.concatenate([steps[:1], steps]) if len(steps) else np.zeros(points.shape[:-1])


def _still(activity: Floats, among: Bools, segments: Segments, pause: float) -> Bools:
    """Find frames (frames,) in which a take moves less than usual for longer than a pause."""
    # The upper quartile is the usual movement, even if a take stands still half of the time.
    slow = activity < STILL * np.percentile(activity[among], 75.0)
    out = np.zeros_like(slow)
    for first, stop in zip(segments.bounds[:-1], segments.bounds[1:], strict=True):
        for start, end in runs(slow[first:stop]):
            if end - start > pause:
                out[first + start : first + end] = True
    return out


class LoopCourse(NamedTuple):
    """Rows of a loop on its course, the travel (3,) of one pass, and the turn of a pass without and with the course."""

    rows: Floats
    travel: Floats
    turned: float
    turns: float


def check_course(course: str | float | None) -> None:
    """Refuse a course that is not a name, a number of degrees, or None."""
    if isinstance(course, (int, float)) and not isinstance(course, bool):
        if not abs(course) <= 3600.0:
            raise UsageError(f"a loop turns by at most 3600 degrees in either direction, not {course}")
    elif course is not None and course not in COURSES:
        raise UsageError(f"a loop's course is {', '.join(COURSES)} or a number of degrees, not {course!r}")


def trend_of(values: Floats, segments: Segments, frame_time: float) -> Floats:
    """Smooth single steps out of the values (frames,) of each take."""
    parts = segments.split(values)
    return np.concatenate([gaussian_filter1d(part, SMOOTH / frame_time, mode="nearest") for part in parts])


def turning_costs(trend: Floats, rate: float) -> Floats:
    """Compute the cost of bending each frame to a rate of turning (frames,), 1 for `FAST`."""
    # No choice of frames can reach a rate outside the takes' range, so such a rate must not cost larger jumps.
    return np.asarray(np.square((trend - np.clip(rate, trend.min(), trend.max())) / FAST))


def rate_of(course: str | float | None, seconds: float) -> float | None:
    """Return a course's turn rate in radians per second; None if turning is left unchanged."""
    if course == "free":
        return None
    turns = 2.0 * np.pi if course == "closed" else np.radians(course) if isinstance(course, (int, float)) else 0.0
    return float(turns) / seconds


def on_course(rows: Floats, frame_time: float, up: str, course: str | float | None, moves: float) -> LoopCourse:
    """Bend a loop's rows to a course, by default straight, or in place if the loop hardly travels.

    `moves` is the body's mean movement about its root from frame to frame.
    """
    turned = float(rows[:, 2].sum() * frame_time)
    if course == "free":
        return LoopCourse(rows, *_once(rows, frame_time, up)[:1], turned, turned)
    out = rows.copy()
    rate = rate_of(course, len(rows) * frame_time)
    assert rate is not None
    if course == "closed" and turned < 0.0:
        rate = -rate
    # Only the smoothed turning is replaced, so that hips still sway with the steps.
    out[:, 2] += rate - gaussian_filter1d(rows[:, 2], SMOOTH / frame_time, mode="wrap")
    travel, path = _once(out, frame_time, up)
    stands = bool(np.linalg.norm(travel) < STANDS * moves * len(rows))
    if course == "closed" or (course is None and stands):
        # The drift is spread evenly over all frames: removed in a single frame, it would be visible as a slide.
        drift = (path.ground[-1] - path.ground[0]) / len(rows)
        # Rows contain speeds in the heading of the previous frame, so the drift is rotated into that heading.
        step = drift * np.exp(-1j * np.roll(path.heading[:-1], 1)) / frame_time
        out[:, 0] -= step.real
        out[:, 1] -= step.imag
        travel = np.zeros(3)
    return LoopCourse(out, travel, turned, float(rate * len(rows) * frame_time))


def _once(rows: Floats, frame_time: float, up: str) -> tuple[Floats, Path]:
    """Compute the travel (3,) of one pass through a loop, and its path, including the frame after the last."""
    path = summed(np.concatenate([rows, rows[:1]])[:, :3], frame_time, AT_ORIGIN, up)
    travel = np.zeros(3)
    set_ground(travel, path.ground[-1] - path.ground[0], up)
    return travel, path
