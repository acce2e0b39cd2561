"""The part of the takes that moves, and how alike a loop is to it: travel, energy and range of poses."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np

from freshtake.motion.planting.contacts import runs
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.texture.loop_courses import STANDS, trend_of
from freshtake.texture.segments import Segments

STILL = 0.25  # share of the usual movement below which a body stands; walking next to running has more
PAUSE = 0.5  # seconds: a shorter lull belongs to the action
ALIKE = 1.25  # a loop that travels, moves or reaches by more or less than this factor is not like the takes


class Likeness(NamedTuple):
    """How fast a loop travels, how much it moves and how far its poses reach, each as a factor of the action's.

    `travel` is None where the takes do not travel.
    """

    travel: float | None
    energy: float
    range: float

    @property
    def unlike(self) -> dict[str, float]:
        """Return the factors that are further from 1 than a loop of the action may be, by name."""
        return {k: v for k, v in self._asdict().items() if v is not None and not 1.0 / ALIKE <= v <= ALIKE}

    @property
    def distance(self) -> float:
        """Add up the squared logarithms of the factors, 1 for one that is just still alike."""
        found = [max(value, 1e-3) for value in self if value is not None]
        return float(np.square(np.log(found) / np.log(ALIKE)).sum())


@dataclass(frozen=True, eq=False)
class Action:
    """The frames (frames,) of the takes that loops are made of, and the pace of each frame.

    `travel` and `energy` (frames,) are smoothed over steps and 1 on average over the action of a frame's cell; `speed`
    (frames,) is that average of the travel, per second.
    """

    frames: Bools
    poses: Floats
    travel: Floats | None
    energy: Floats
    speed: Floats
    cells: Ints

    def costs(self) -> Floats:
        """Return what it costs to show each frame (frames,): 1 where its pace is as far off as a loop's may be."""
        pace = self.energy if self.travel is None else self.travel
        return np.asarray(np.square((pace - 1.0) / (ALIKE - 1.0)))

    def likeness(self, way: tuple[int, ...], tempo: float) -> Likeness:
        """Compare a closed way of frames, played at a tempo, with the action."""
        shown, all_poses = list(way), self.poses[self.frames]
        spread = np.sqrt(self.poses[shown].var(axis=0).sum() / max(all_poses.var(axis=0).sum(), 1e-300))
        travel = None if self.travel is None else float(self.travel[shown].mean() * tempo)
        return Likeness(travel, float(self.energy[shown].mean() * tempo), float(spread))

    def as_shown(self, likeness: Likeness, rows: Floats, moved: float, steps: Floats, frame: int) -> Likeness:
        """Return the likeness of a loop as it is shown: fades add movement, and slow a body down.

        Args:
            likeness: of the frames that the loop shows.
            rows: of the loop (frames, columns).
            moved: how far its points move from frame to frame on average.
            steps: how far those of the takes do (frames,).
            frame: one of its frames, which says by the movement of which cell it is measured.
        """
        mine = self.frames & (self.cells == self.cells[frame])
        energy = moved / max(float(steps[mine].mean()), 1e-300)
        if self.travel is None:
            return likeness._replace(energy=energy)
        travel = float(np.hypot(*rows[:, :2].mean(axis=0)) / self.speed[frame])
        return likeness._replace(travel=travel, energy=energy)

    def narrowed(self, kept: Ints) -> Action:
        """Return the action with only the kept frames of the takes."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{name: part[kept] for name, part in parts.items() if part is not None})


def action_of(
    rows: Floats, poses: Floats, segments: Segments, frame_time: float, *, rates: int, among: Bools | None = None
) -> Action:
    """Find the part of the takes, or of the frames `among`, that moves; standing before and after is left out.

    Args:
        rows: rows of the takes (frames, columns), whose first columns are speeds along the ground if `rates` is 3.
        poses: the same frames without travel (frames, values), in the unit of the speeds.
        segments: takes and cells.
        frame_time: in seconds.
        rates: how many columns of `rows` are speeds.
        among: frames (frames,) of which the action is wanted; all by default.
    """
    chosen = np.ones(len(rows), dtype=np.bool_) if among is None else among
    moved = np.concatenate([moved_steps(part) for part in np.split(poses, segments.bounds[1:-1])])
    energy = trend_of(moved, segments, frame_time)
    along = np.zeros(len(rows))
    if rates:
        along = np.hypot(*(trend_of(rows[:, k], segments, frame_time) for k in (0, 1))) * frame_time
    cells, frames = segments.cells(), np.zeros(len(rows), dtype=np.bool_)
    scale = np.ones((2, len(rows)))
    # Cell by cell: a slow cell is no lull of a fast one.
    for cell in np.unique(cells[chosen]):
        mine = chosen & (cells == cell)
        moving = mine & ~_still(np.hypot(along, energy), mine, segments, PAUSE / frame_time)
        frames |= moving
        scale[:, cells == cell] = np.array([[along[moving].mean()], [energy[moving].mean()]])
    travels = rates > 0 and along[frames].mean() >= STANDS * energy[frames].mean()
    along, energy = (x / np.maximum(s, 1e-300) for x, s in zip((along, energy), scale, strict=True))
    return Action(frames, poses, along if travels else None, energy, scale[0] / frame_time, cells)


def moved_steps(poses: Floats) -> Floats:
    """Return how far poses (frames, values) move from frame to frame (frames,)."""
    steps = np.linalg.norm(np.diff(poses, axis=0), axis=1)
    return np.concatenate([steps[:1], steps]) if len(steps) else np.zeros(len(poses))


def _still(activity: Floats, among: Bools, segments: Segments, pause: float) -> Bools:
    """Find frames (frames,) in which a take moves by a small share of the usual for longer than a pause."""
    # The upper quartile is the usual movement even where a take stands for half of its time.
    slow = activity < STILL * np.percentile(activity[among], 75.0)
    out = np.zeros_like(slow)
    for first, stop in zip(segments.bounds[:-1], segments.bounds[1:], strict=True):
        for start, end in runs(slow[first:stop]):
            if end - start > pause:
                out[first + start : first + end] = True
    return out
