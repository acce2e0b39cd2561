"""Guided playback: a heading, a path over the ground, a speed; straight cells stay straight.

The requested turning, limited to the takes' fastest, replaces the turning of the takes, except within single steps.
Speed is set through the tempo.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.features.angles import Start, path_on_ground
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.curves import arc_lengths, nearest_on, point_on
from freshtake.texture.action import FAST, trend_of
from freshtake.texture.frame_distance import Segments
from freshtake.texture.synthesize import PlayState
from freshtake.texture.transitions import Played, Turning, between

GENTLY = 0.3  # seconds in which turning increases from zero to the maximum
LEAST_TURN = np.radians(40.0)  # per second: fastest turning of a body whose takes never turn
TEMPI = (0.8, 1.14)  # accelerations grow with the square of the tempo: by at most 1.3
More = Callable[[PlayState, int], tuple[PlayState, Floats, Floats, Played]]


@dataclass(frozen=True, eq=False)
class Guide:
    """Where to go: `heading` in radians, or `path` (points, 2) in world x and z (z up: x and y); `speed` per second.

    Play starts facing heading 0, at the beginning of the path.
    """

    heading: float | None = None
    path: Floats | None = None
    speed: float | None = None

    def __post_init__(self) -> None:
        if self.heading is not None and self.path is not None:
            raise UsageError("a heading and a path cannot both be followed: give one of them")
        if self.path is not None:
            points = np.asarray(self.path, dtype=np.float64)
            if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or not np.isfinite(points).all():
                raise UsageError("a path needs at least two points of two finite numbers each")
            if not np.any(np.diff(points, axis=0)):
                raise UsageError("all points of the path are the same")
        if self.heading is not None and not np.isfinite(self.heading):
            raise UsageError(f"the heading must be a finite number, not {self.heading}")
        if self.speed is not None and not (np.isfinite(self.speed) and self.speed > 0.0):
            raise UsageError(f"the speed must be a finite number above 0, not {self.speed}")


class Bearings(NamedTuple):
    """Measurements of the takes: turning without the sway of steps, mean speed, maximum turning, straight frames."""

    trend: Floats  # (frames,)
    speed: float
    most: float
    straight: Bools  # (frames,)
    frame_time: float
    up: str


class Read(NamedTuple):
    """Rows of playback (2, columns), their turning without the sway of steps (2,), and the frames they show."""

    rows: Floats
    trend: Floats
    played: Played


@dataclass(frozen=True, eq=False)
class GuidedState:
    """State between two frames: playback, the last two rows and the position between them, and the body's placement."""

    play: PlayState
    read: Read | None = None
    share: float = 0.0
    tempo: float = 1.0
    ground: complex = 0j
    heading: float = 0.0
    mean: float = 0.0
    turning: float = 0.0
    removed: float = 0.0
    steers: bool = False
    kept_heading: float | None = None
    along: float = 0.0

    def steered(self, play: PlayState) -> GuidedState:
        """Copy the state with other playback, for instance on its path into a cell."""
        return replace(self, play=play)


def bearings_of(rows: Floats, segments: Segments, frame_time: float, up: str) -> Bearings:
    """Measure the takes' rows. A cell is straight if most of its frames are and other cells turn."""
    trend = trend_of(rows[:, 2], segments, frame_time)
    cells = segments.cells()
    still = np.array([np.median(np.abs(trend[cells == c])) <= FAST for c in range(len(segments.names))])
    straight = still[cells] & (not still.all())
    # The maximum is a quantile, so that a single stumble does not set it.
    most = max(float(np.quantile(np.abs(trend), 0.99)), LEAST_TURN)
    speed = float(np.abs(rows[:, 0] + 1j * rows[:, 1]).mean())
    return Bearings(trend, speed, most, straight, frame_time, up)


def begin_guided(play: PlayState, guide: Guide, up: str) -> GuidedState:
    """Return the state before the first frame: facing along the path if there is one, else heading 0."""
    facing = 0.0
    if guide.path is not None:
        path = path_on_ground(guide.path, up)
        facing = _heading_towards(path, 0j, arc_lengths(path)[1])
    return GuidedState(play, heading=facing, mean=facing)


def start_on(guide: Guide, up: str) -> Start:
    """Return the placement of the first frame: at the beginning of the path, else at the origin."""
    if guide.path is None:
        return Start()
    first = np.asarray(guide.path, dtype=np.float64)[0]
    return Start((float(first[0]), float(first[1])), begin_guided(PlayState((), ()), guide, up).heading)


def read_on(
    state: GuidedState, frames: int, guide: Guide, bearings: Bearings, more: More, turning: Turning | None
) -> tuple[GuidedState, Floats, Played]:
    """Make the next frames: read playback at its tempo, then turn it."""
    if guide.speed is not None and bearings.speed <= 0.0:
        raise UsageError("the takes do not travel, so there is no speed to change")
    tempo = tempi(state.tempo, frames, guide.speed, bearings.speed, bearings.frame_time)
    places = state.share + np.cumsum(tempo)
    if state.read is None:
        places -= tempo[0]
    # One row beyond the last position is read too, because positions are between two rows.
    last = int(places[-1])
    play, rows, trend, played = more(state.play, last + 2 if state.read is None else last)
    if state.read is not None:
        rows, trend = np.concatenate([state.read.rows, rows]), np.concatenate([state.read.trend, trend])
        played = Played(*[np.concatenate(pair) for pair in zip(state.read.played, played, strict=True)])
    out, at = read_between(rows, places, turning, tempo)
    shown = Played(*[part[at] for part in played])
    shown_trend = tempo * np.interp(places, np.arange(len(trend)), trend)
    after = turned_to(state, out, shown_trend, shown.source, guide, bearings)
    read = Read(rows[last : last + 2], trend[last : last + 2], Played(*[part[last : last + 2] for part in played]))
    return replace(after, play=play, read=read, share=float(places[-1] - last), tempo=float(tempo[-1])), out, shown


def tempi(start: float, frames: int, speed: float | None, usual: float, frame_time: float) -> Floats:
    """Compute the tempo of the next frames (frames,), which changes steadily towards the requested speed."""
    target = 1.0 if speed is None or usual <= 0.0 else float(np.clip(speed / usual, *TEMPI))
    # Tempo changes by at most 0.4 a second.
    steps = 0.4 * frame_time * np.arange(1, frames + 1)
    return np.asarray(start + np.sign(target - start) * np.minimum(steps, abs(target - start)))


def read_between(rows: Floats, places: Floats, turning: Turning | None, tempo: Floats) -> tuple[Floats, Ints]:
    """Return rows at fractional positions, their speeds at this tempo, and the indices of the rows before them."""
    before = places.astype(np.intp)
    share = places - before
    # With integer positions there may be no row after the last.
    out = between(rows[before], rows[before + 1], share, turning) if share.any() else rows[before].copy()
    out[:, :3] *= tempo[:, None]
    return out, before


def turned_to(
    state: GuidedState, rows: Floats, trend: Floats, sources: Ints, guide: Guide, bearings: Bearings
) -> GuidedState:
    """Turn rows in place to follow the guide, and return the state after them.

    While there is a goal, the rows' turning without the sway of steps, `trend` (frames,), is removed. When guiding
    begins or ends, turning changes gradually from its previous value.
    """
    step = bearings.frame_time
    path = None if guide.path is None else path_on_ground(guide.path, bearings.up)
    ground, heading, mean, turning = state.ground, state.heading, state.mean, state.turning
    removed_before, steers, kept_heading, along = state.removed, state.steers, state.kept_heading, state.along
    slew, first = bearings.most / GENTLY * step, state.read is None
    # The aim is the point of the path 0.8 s of travel ahead.
    aim = max(bearings.speed, 1e-9) * 0.8
    for k, row in enumerate(rows):
        goal = guide.heading
        if path is not None:
            along = nearest_on(path, np.array([ground.real, ground.imag]), along, along + aim)
            goal = _heading_towards(path, ground, along + aim)
        elif goal is None and bearings.straight[sources[k]]:
            goal = kept_heading = mean if kept_heading is None else kept_heading
        else:
            kept_heading = None
        target_rate, removed = 0.0, 0.0
        if goal is not None:
            # The error is the shorter rotation from the mean heading, because the sway of steps is not an error.
            away = (goal - mean + np.pi) % (2.0 * np.pi) - np.pi
            # A heading error is corrected within 0.8 s.
            target_rate, removed = float(np.clip(away / 0.8, -bearings.most, bearings.most)), float(trend[k])
        if steers != (goal is not None):
            turning, steers = turning + removed - removed_before, goal is not None
        # Turning changes gradually: a body that starts turning within one frame looks pushed.
        turning += float(np.clip(target_rate - turning, -slew, slew))
        removed_before = removed
        row[2] += turning - removed_before
        if first:  # the first row's speeds lead to the start itself
            first = False
            continue
        ground += complex(row[0], row[1]) * step * np.exp(1j * heading)
        heading += float(row[2]) * step
        # The heading is averaged over 0.4 s, so that it may sway with the steps.
        mean += (heading - mean) * step / 0.4
    return replace(
        state, ground=complex(ground), heading=heading, mean=mean, turning=turning, removed=removed_before,
        steers=steers, kept_heading=kept_heading, along=along,
    )  # fmt: skip


def _heading_towards(path: Floats, place: complex, along: float) -> float:
    """Return the heading from a position to the point at an arc length of a path on the ground."""
    return float(np.angle(complex(*point_on(path, along)) - place))
