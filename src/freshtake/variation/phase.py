"""Put takes on a common phase: align them in time, and superimpose them on the ground.

Departs from Lau 2009, which leaves the phase to the nearest neighbours (§10 says that they may miss it): takes are
first aligned by dynamic time warping, so that they can be averaged and combined moment by moment.

Speeds of the root add up to drift, and standing feet constrain positions, not speeds. So the root's speeds are replaced
by its trajectory: its ground position (forward, sideways) and heading, in a frame that all takes share.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from freshtake.motion.body.roles import leg_length
from freshtake.motion.features.angles import Complexes, Path, rates
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.tempo import FASTEST_PACE, SLOWEST_PACE
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.curves import gaussian_filter1d
from freshtake.numeric.dtw import warp_path
from freshtake.variation.examples import Material

ALIGNMENT = 0.05  # seconds by which warps are smoothed
PACE = 0.5  # seconds by which paces are smoothed: an entire body cannot speed up and slow down faster
LOBES = 4  # lobes of the interpolating sinc on either side
TURN = 2  # the index of the heading after forward and sideways


def representative(examples: Sequence[Floats] | Floats, most: int = 12) -> list[int]:
    """Return the numbers of examples that represent all of them, for costs that grow with the square of their number.

    At most `most` are returned, in increasing order; they are spread evenly over the lengths.
    """
    if len(examples) <= most:
        return list(range(len(examples)))
    by_length = np.argsort([len(x) for x in examples], kind="stable")
    return sorted(by_length[np.linspace(0, len(examples) - 1, most).round().astype(np.intp)].tolist())


def common_phase(examples: Sequence[Floats], weights: Floats, frame_time: float) -> Floats:
    """Align takes to their mean and smooth their paces; return the frame (phases, takes) of each take at each phase."""
    aligned = align(examples, weights, ALIGNMENT / frame_time)
    return steadied(aligned, [x * weights for x in examples], PACE / frame_time)


def align(examples: Sequence[Floats], weights: Floats, smooth: float) -> Floats:
    """Align examples to their mean, which has their mean length, by dynamic time warping.

    Returns the frame (phases, examples) of each example at each phase; warps are smoothed by `smooth` frames.
    """
    lengths = [len(x) for x in examples]
    count = round(float(np.mean(lengths)))
    phase_frames = np.stack([np.linspace(0.0, n - 1.0, count) for n in lengths], axis=1)
    if len(examples) == 1:
        return phase_frames
    some = representative(examples)
    scaled = [examples[k] * weights for k in some]
    phase_frames = phase_frames[:, some]
    # Warping changes the mean that takes are aligned to, so warp three times.
    for _ in range(3):
        mean = mean_of(scaled, phase_frames)
        phase_frames = np.stack([warp_onto(mean, x, smooth) for x in scaled], axis=1)
    mean = mean_of(scaled, phase_frames)
    return np.stack([warp_onto(mean, x * weights, smooth) for x in examples], axis=1)


def mean_of(examples: Sequence[Floats], phase_frames: Floats) -> Floats:
    """Return the mean (phases, DOFs) of examples read at their frames (phases, examples)."""
    return np.asarray(np.mean([read_at(x, phase_frames[:, k]) for k, x in enumerate(examples)], axis=0))


def warp_onto(mean: Floats, example: Floats, smooth: float) -> Floats:
    """Return the position of each row of the mean in the example: monotone, smooth, from first to last frame."""
    path, _ = warp_path(mean, example)
    count, last = len(mean), len(example) - 1.0
    place = np.bincount(path[:, 0], weights=path[:, 1], minlength=count) / np.bincount(path[:, 0], minlength=count)
    straight = np.linspace(0.0, last, count)
    bent = gaussian_filter1d(np.concatenate([-(place - straight)[:0:-1], place - straight]), smooth)[count - 1 :]
    bent -= bent[0]
    bent -= bent[-1] * np.linspace(0.0, 1.0, count)
    pace = last / max(count - 1, 1)
    steps = np.clip(np.diff(straight + bent), SLOWEST_PACE * pace, FASTEST_PACE * pace)
    return np.concatenate([[0.0], np.cumsum(steps) * (last / steps.sum())]) if count > 1 else place


def steadied(phase_frames: Floats, scaled: Sequence[Floats], frames: float) -> Floats:
    """Smooth the pace at which each example passes through the phase over `frames`; durations stay the same.

    Poses and positions are read at the same frames, so a take is still exactly itself on the common phase. `scaled` are
    the weighted rows of every example, which show where it moves.
    """
    pace = np.gradient(phase_frames, axis=0)
    rows = [gaussian_filter1d(x, frames / 3.0, axis=0, mode="nearest") for x in scaled]
    mean = mean_of(rows, phase_frames)
    # phases with more movement count more: while nothing moves, the warp is arbitrary
    moving = (np.gradient(mean, axis=0) ** 2).sum(axis=1)
    # phases without movement still have a weight of 0.02
    weight = (moving / max(float(moving.mean()), 1e-300) + 0.02)[:, None]
    above = gaussian_filter1d(weight * np.clip(pace, SLOWEST_PACE, FASTEST_PACE), frames, axis=0, mode="nearest")
    pace = above / gaussian_filter1d(weight, frames, axis=0, mode="nearest")
    steps = np.cumsum(0.5 * (pace[1:] + pace[:-1]), axis=0)
    return np.concatenate([np.zeros_like(steps[:1]), steps * (phase_frames[-1] / steps[-1])])


def read_at(rows: Floats, frames: Floats) -> Floats:
    """Read rows at fractional frames by a cubic through the nearest four (Catmull-Rom); the ends are repeated."""
    frames = np.clip(frames, 0.0, len(rows) - 1.0)
    low = np.minimum(frames.astype(np.intp), max(len(rows) - 2, 0))
    t = (frames - low)[:, None]
    a, b, c, d = (rows[np.clip(low + step, 0, len(rows) - 1)] for step in (-1, 0, 1, 2))
    out: Floats = b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
    return out


def read_linear(rows: Floats, places: Floats) -> Floats:
    """Return rows between frames by linear interpolation."""
    low = np.minimum(places.astype(np.intp), max(len(rows) - 2, 0))
    t = (places - low)[:, None]
    return np.asarray((1.0 - t) * rows[low] + t * rows[np.minimum(low + 1, len(rows) - 1)])


def read_sharply(rows: Floats, frames: Floats) -> Floats:
    """Read rows at fractional frames by a sinc over the nearest eight (Lanczos): a cubic smooths quick movement away.

    Beyond its ends a motion continues point-symmetrically, so neither its speed nor its position jumps there.
    """
    reach = min(LOBES, len(rows) - 1)
    before, after = 2.0 * rows[:1] - rows[reach:0:-1], 2.0 * rows[-1:] - rows[-2 : -reach - 2 : -1]
    padded = np.concatenate([before, rows, after])
    at = np.clip(frames, 0.0, len(rows) - 1.0) + reach
    low = np.floor(at).astype(np.intp)
    near = low[:, None] + np.arange(1 - LOBES, LOBES + 1)
    away = at[:, None] - near
    weights = np.sinc(away) * np.sinc(away / LOBES)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray(np.matmul(weights[:, None], padded[np.clip(near, 0, len(padded) - 1)])[:, 0])


class Trajectory(NamedTuple):
    """The columns that contain a ground position and a heading instead of speeds.

    A part that never varies is not a DOF, but the trajectory still needs it: its column comes after the DOFs' columns.
    """

    columns: Ints  # (3,): columns of forward, sideways and heading
    dofs: int  # the number of columns that are DOFs
    layout: ClipLayout  # how the columns form a clip

    def path(self, rows: Floats) -> Path:
        """Return positions and headings in the common frame."""
        forward, sideways, heading = rows[:, self.columns].T
        return Path(forward + 1j * sideways, heading)

    @property
    def ground(self) -> Ints:
        """The position columns."""
        return self.columns[:TURN]

    def put(self, rows: Floats, path: Path) -> None:
        """Write positions and headings into rows."""
        rows[:, self.columns] = np.stack([path.ground.real, path.ground.imag, path.heading], axis=1)


@dataclass(frozen=True, eq=False)
class Takes:
    """Takes on their common phase."""

    rows: Floats  # (takes, phases, columns): positions and headings in the common frame in the columns of `trajectory`
    log_pace: Floats  # (takes, phases - 1): logarithm of the frames that each take needs per phase
    trajectory: Trajectory | None  # None for motions that do not travel
    ground: complex = 0j  # the origin of the common frame, as a position in the ground plane
    heading: float = 0.0  # how far the common frame is rotated

    @cached_property
    def mean(self) -> Floats:
        """The mean of the takes, (phases, columns)."""
        return np.asarray(self.rows.mean(axis=0))

    @cached_property
    def deltas(self) -> Floats:
        """The difference of each take from the mean, (takes, phases, columns)."""
        return np.asarray(self.rows - self.mean)

    @cached_property
    def mean_log_pace(self) -> Floats:
        """The mean of the takes' logarithmic paces, (phases - 1,)."""
        return np.asarray(self.log_pace.mean(axis=0))

    @cached_property
    def pace_deltas(self) -> Floats:
        """The difference of each take's logarithmic pace from the mean, (takes, phases - 1)."""
        return np.asarray(self.log_pace - self.mean_log_pace)

    @property
    def mean_path(self) -> Path:
        """The mean path of the takes in the common frame."""
        assert self.trajectory is not None
        return self.trajectory.path(self.mean)

    def placed(self, path: Path) -> Path:
        """Transform a path from the common frame to the takes' world."""
        return Path(self.ground + np.exp(1j * self.heading) * path.ground, self.heading + path.heading)


def trajectory_of(material: Material) -> Trajectory | None:
    """Return the columns of the root's trajectory; None for motions without one."""
    recipe, layout, parts = material.recipe, material.layout, range(TURN + 1)
    if recipe is None or layout is None or layout.root != "heading":
        return None
    varying = recipe.kept.tolist()
    columns = [*varying, *[part for part in parts if part not in varying]]
    return Trajectory(np.array([columns.index(part) for part in parts], dtype=np.intp), len(varying), layout)


def takes_on_phase(material: Material, phase_frames: Floats) -> Takes:
    """Read all takes at the common phase and superimpose them on the ground.

    With a weight of 1 for one take and 0 for the others, a combination of them reproduces that take.
    """
    trajectory = trajectory_of(material)
    log_pace = np.log(np.maximum(np.diff(phase_frames, axis=0), SLOWEST_PACE / 2.0)).T
    stacked = np.stack([read_sharply(rows, phase_frames[:, k]) for k, rows in enumerate(material.values)])
    if trajectory is None:
        return Takes(stacked, log_pace, None)
    assert material.recipe is not None
    paths = []
    for rows, start, frames in zip(material.values, material.starts, phase_frames.T, strict=True):
        path = trajectory.layout.path(material.recipe.fill(rows), start)
        read = read_sharply(np.stack([path.ground.real, path.ground.imag, path.heading], axis=1), frames)
        paths.append(Path(read[:, 0] + 1j * read[:, 1], read[:, 2]))
    moved, ground, heading = moved_together(paths, leg_length(trajectory.layout.skeleton))
    extra = max(int(trajectory.columns.max()) + 1 - trajectory.dofs, 0)
    stacked = np.concatenate([stacked, np.zeros((*stacked.shape[:2], extra))], axis=2)
    for rows, path in zip(stacked, moved, strict=True):
        trajectory.put(rows, path)
    return Takes(stacked, log_pace, trajectory, ground, heading)


def moved_together(paths: Sequence[Path], reach: float) -> tuple[list[Path], complex, float]:
    """Move and rotate paths onto their mean (Procrustes), each with a second point `reach` ahead of the body.

    The second point makes facing count as well as position. Returns the paths in a common frame, and that frame's
    position and heading: the mean of the takes', or the first take's if they go in different directions.
    """

    def points(path: Path) -> Complexes:
        return np.concatenate([path.ground, path.ground + reach * np.exp(1j * path.heading)])

    mean, turns, shifts = paths[0], np.zeros(len(paths)), np.zeros(len(paths), dtype=np.complex128)
    moved = list(paths)
    # the mean changes as takes are moved onto it: repeat
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
    # the common frame begins where the mean does and faces the same way: forward is forward in any world axes
    origin, facing = complex(mean.ground[0]), float(np.angle(np.exp(1j * mean.heading).mean()))
    moved = [Path((p.ground - origin) * np.exp(-1j * facing), p.heading - facing) for p in moved]
    direction = np.exp(1j * turns).mean()
    # a mean direction shorter than 0.5 means that takes travel in different directions: use the first take's
    some = slice(0, 1) if abs(direction) < 0.5 else slice(None)
    ground = (shifts + np.exp(1j * turns) * origin)[some].mean()
    return moved, complex(ground), float(np.angle(np.exp(1j * turns)[some].mean()) + facing)


def closed_takes(takes: Takes) -> Takes:
    """Return cycles whose ends meet, for loops and endless motion: the last phase equals the first.

    The gap between the ends is removed around the seam. The trajectory is not closed but continues: its position
    columns contain steps to the next phase, and all takes turn by the same angle in a cycle (see `turn_per_cycle`).
    """
    rows = takes.rows.copy()
    gap = rows[:, -1] - rows[:, 0]
    if takes.trajectory is not None:
        # a heading that does not return is corrected over the entire cycle: at the seam it would twist the body
        forward, sideways, turn = takes.trajectory.columns
        share = np.linspace(0.0, 1.0, rows.shape[1])
        removed = (gap[:, turn] - turn_per_cycle(takes))[:, None] * share
        rows[..., turn] -= removed
        steps = np.diff(rows[..., forward] + 1j * rows[..., sideways], axis=1) * np.exp(-1j * removed[:, :-1])
        steps = np.concatenate([steps, steps[:, :1]], axis=1)
        rows[..., forward], rows[..., sideways] = steps.real, steps.imag
        gap[:, takes.trajectory.columns] = 0.0
    bring_together(rows, gap)
    log_pace = takes.log_pace.copy()[..., None]
    bring_together(log_pace, log_pace[:, -1] - log_pace[:, 0])
    return replace(takes, rows=rows, log_pace=log_pace[..., 0])


def bring_together(values: Floats, gap: Floats) -> None:
    """Remove the gap (takes, columns) between the ends of values (takes, phases, columns) around the seam."""
    last = values.shape[1] - 1
    # the ends of a cycle are brought together over a fifth of it on either side
    reach = max(2, round(0.2 * last))
    u = np.arange(reach) / reach
    ramp = ((1.0 - u) ** 3 * (1.0 + 3.0 * u + 6.0 * u**2))[:, None]  # from 1 to 0, flat at both ends
    values[:, :reach] += 0.5 * ramp * gap[:, None]
    values[:, last - np.arange(reach)] -= 0.5 * ramp * gap[:, None]


def turn_per_cycle(takes: Takes) -> float:
    """Return the angle by which takes turn in a cycle: 0 unless it clearly exceeds the difference between takes."""
    if takes.trajectory is None:
        return 0.0
    heading = takes.rows[..., takes.trajectory.columns[TURN]]
    turns = heading[:, -1] - heading[:, 0]
    error = turns.std(ddof=1) / np.sqrt(len(turns)) if len(turns) > 1 else 0.0
    mean = float(turns.mean())
    # A straight walk must not circle by chance: a turn must exceed three times its error, and three degrees.
    return mean if abs(mean) > 3.0 * max(error, np.radians(1.0)) else 0.0


def with_speeds(trajectory: Trajectory, rows: Floats, path: Path, frame_time: float) -> Floats:
    """Return rows of DOFs with the root's trajectory replaced by its speeds along a path."""
    out = rows[:, : trajectory.dofs].copy()
    is_dof = trajectory.columns < trajectory.dofs
    out[:, trajectory.columns[is_dof]] = rates(path, frame_time)[:, is_dof]
    return out
