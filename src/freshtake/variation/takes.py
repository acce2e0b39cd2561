"""Takes on their common phase, moved onto one another on the ground: what variants are combined from.

Speeds of the root add up to drift, and feet that stand constrain places, not speeds. So the root's speeds are replaced
by its course: the place on the ground (forward, sideways) and the heading, in a frame that all takes share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.motion.body.roles import leg_length
from freshtake.motion.features.angles import Complexes, Path, rates
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.examples import Material
from freshtake.variation.phase import SLOWEST, read_sharply

TURN = 2  # the last of forward, sideways and turn
STRAIGHT = np.radians(1.0)  # a cycle that turns less than three times this goes straight


class Course(NamedTuple):
    """The columns that hold a place on the ground and a heading instead of speeds.

    A part that never varies is no DOF, but the course needs it all the same: its column comes after those of the DOFs.

    Attributes:
        columns: (3,): columns of forward, sideways and heading.
        dofs: How many columns are DOFs.
        layout: How the columns make a clip.
    """

    columns: Ints
    dofs: int
    layout: ClipLayout

    def path(self, rows: Floats) -> Path:
        """Return places and headings in the common frame."""
        forward, sideways, heading = rows[:, self.columns].T
        return Path(forward + 1j * sideways, heading)

    @property
    def ground(self) -> Ints:
        """Return the columns of places."""
        return self.columns[:TURN]

    def put(self, rows: Floats, path: Path) -> None:
        """Write places and headings into rows."""
        rows[:, self.columns] = np.stack([path.ground.real, path.ground.imag, path.heading], axis=1)


class Takes(NamedTuple):
    """Takes on their common phase.

    Attributes:
        rows: (takes, phases, DOFs); the columns of `course` hold places and headings in the common frame.
        log_pace: (takes, phases - 1): logarithm of the frames that each take needs for a step of the phase.
        course: Which columns those are; None for motions that do not travel.
        ground: Where the common frame's origin lies, as a place in the ground plane.
        heading: How far the common frame is turned.
    """

    rows: Floats
    log_pace: Floats
    course: Course | None
    ground: complex = 0j
    heading: float = 0.0

    @property
    def course_mean(self) -> Path:
        """Return the mean path of the takes in the common frame."""
        assert self.course is not None
        return self.course.path(self.rows.mean(axis=0))

    def placed(self, path: Path) -> Path:
        """Return a path of the common frame where the takes are."""
        return Path(self.ground + np.exp(1j * self.heading) * path.ground, self.heading + path.heading)


def course_of(material: Material) -> Course | None:
    """Return where the course of the root is kept; None for motions without one."""
    recipe = material.recipe
    if recipe is None or not isinstance(recipe.layout, ClipLayout) or recipe.layout.root != "heading":
        return None
    count, kept = len(material.names), recipe.kept.tolist()
    missing = [part for part in range(TURN + 1) if part not in kept]
    columns = [kept.index(part) if part in kept else count + missing.index(part) for part in range(TURN + 1)]
    return Course(np.array(columns, dtype=np.intp), count, recipe.layout)


def takes_on_phase(material: Material, phase_frames: Floats) -> Takes:
    """Read all takes at the common phase and move them onto one another on the ground.

    Args:
        material: The examples as rows of DOFs, and where each begins.
        phase_frames: (phases, takes): the frame of each take at each phase.

    Returns:
        The takes. With one take's weight at 1 and all others' at 0, a combination of them is that take again.
    """
    course = course_of(material)
    log_pace = np.log(np.maximum(np.diff(phase_frames, axis=0), SLOWEST / 2.0)).T
    stacked = np.stack([read_sharply(rows, phase_frames[:, k]) for k, rows in enumerate(material.values)])
    if course is None:
        return Takes(stacked, log_pace, None)
    assert material.recipe is not None
    paths = []
    for rows, start, frames in zip(material.values, material.starts, phase_frames.T, strict=True):
        path = course.layout.path(material.recipe.fill(rows), start)
        read = read_sharply(np.stack([path.ground.real, path.ground.imag, path.heading], axis=1), frames)
        paths.append(Path(read[:, 0] + 1j * read[:, 1], read[:, 2]))
    moved, ground, heading = moved_together(paths, leg_length(course.layout.skeleton))
    extra = max(int(course.columns.max()) + 1 - course.dofs, 0)
    stacked = np.concatenate([stacked, np.zeros((*stacked.shape[:2], extra))], axis=2)
    for rows, path in zip(stacked, moved, strict=True):
        course.put(rows, path)
    return Takes(stacked, log_pace, course, ground, heading)


def moved_together(paths: Sequence[Path], reach: float) -> tuple[list[Path], complex, float]:
    """Move and turn paths onto their mean (Procrustes), each with a point so far ahead of the body.

    Args:
        paths: Where each take is and faces, at common phases.
        reach: How far ahead of the body the second point lies; it makes facing count beside travelling.

    Returns:
        The paths in a common frame, and where that frame lies: the mean of the takes' own places and directions, or
        that of the first take where they go different ways.
    """

    def points(path: Path) -> Complexes:
        return np.concatenate([path.ground, path.ground + reach * np.exp(1j * path.heading)])

    mean, turns, shifts = paths[0], np.zeros(len(paths)), np.zeros(len(paths), dtype=np.complex128)
    moved = list(paths)
    # the mean changes with the takes that are moved onto it: repeat
    for _ in range(3):
        goal = points(mean)
        for k, path in enumerate(paths):
            seen = points(path)
            turns[k] = np.angle(((goal - goal.mean()).conj() * (seen - seen.mean())).sum())
            shifts[k] = seen.mean() - np.exp(1j * turns[k]) * goal.mean()
            heading = path.heading - turns[k]
            heading = heading - 2.0 * np.pi * np.round((heading - mean.heading).mean() / (2.0 * np.pi))
            moved[k] = Path(np.exp(-1j * turns[k]) * (path.ground - shifts[k]), heading)
        mean = Path(np.mean([p.ground for p in moved], axis=0), np.mean([p.heading for p in moved], axis=0))
    # the common frame begins where the mean begins and faces as it does: forward is forward, whatever the world's axes
    origin, facing = complex(mean.ground[0]), float(np.angle(np.exp(1j * mean.heading).mean()))
    moved = [Path((p.ground - origin) * np.exp(-1j * facing), p.heading - facing) for p in moved]
    direction = np.exp(1j * turns).mean()
    # a mean direction shorter than 0.5 says that takes go different ways: the first one counts
    some = slice(0, 1) if abs(direction) < 0.5 else slice(None)
    ground = (shifts + np.exp(1j * turns) * origin)[some].mean()
    return moved, complex(ground), float(np.angle(np.exp(1j * turns)[some].mean()) + facing)


def closed_takes(takes: Takes) -> Takes:
    """Return cycles whose ends meet, for loops and endless motion: the last phase is the first one again.

    What is left between the ends is taken away around the seam. The course is not closed but continues: columns of
    places hold steps to the next phase, and all takes turn by the same in a cycle (see `turn_per_cycle`).
    """
    rows = takes.rows.copy()
    gap = rows[:, -1] - rows[:, 0]
    if takes.course is not None:
        # a heading that does not return is corrected along the whole cycle: at the seam it would twist the body
        forward, sideways, turn = takes.course.columns
        share = np.linspace(0.0, 1.0, rows.shape[1])
        removed = (gap[:, turn] - turn_per_cycle(takes))[:, None] * share
        rows[..., turn] -= removed
        steps = np.diff(rows[..., forward] + 1j * rows[..., sideways], axis=1) * np.exp(-1j * removed[:, :-1])
        steps = np.concatenate([steps, steps[:, :1]], axis=1)
        rows[..., forward], rows[..., sideways] = steps.real, steps.imag
        gap[:, takes.course.columns] = 0.0
    bring_together(rows, gap)
    log_pace = takes.log_pace.copy()[..., None]
    bring_together(log_pace, log_pace[:, -1] - log_pace[:, 0])
    return takes._replace(rows=rows, log_pace=log_pace[..., 0])


def bring_together(values: Floats, gap: Floats) -> None:
    """Take the gap (takes, columns) between the ends of values (takes, phases, columns) away around the seam."""
    last = values.shape[1] - 1
    # the ends of a cycle are brought together over a fifth of it to either side
    reach = max(2, round(0.2 * last))
    u = np.arange(reach) / reach
    ramp = ((1.0 - u) ** 3 * (1.0 + 3.0 * u + 6.0 * u**2))[:, None]  # from 1 to 0, flat at both ends
    values[:, :reach] += 0.5 * ramp * gap[:, None]
    values[:, last - np.arange(reach)] -= 0.5 * ramp * gap[:, None]


def turn_per_cycle(takes: Takes) -> float:
    """Return by how much the takes turn in a cycle: 0 unless it is clearly more than takes differ by."""
    if takes.course is None:
        return 0.0
    heading = takes.rows[..., takes.course.columns[TURN]]
    turns = heading[:, -1] - heading[:, 0]
    error = turns.std(ddof=1) / np.sqrt(len(turns)) if len(turns) > 1 else 0.0
    mean = float(turns.mean())
    return mean if abs(mean) > 3.0 * max(error, STRAIGHT) else 0.0


def with_speeds(course: Course, rows: Floats, path: Path, frame_time: float) -> Floats:
    """Return rows of DOFs with the root's speeds along a path in place of its course."""
    out = rows[:, : course.dofs].copy()
    kept = course.columns < course.dofs
    out[:, course.columns[kept]] = rates(path, frame_time)[:, kept]
    return out
