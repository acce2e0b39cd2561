"""Headings to keep and paths to follow: how turn rates are corrected, and how closely a path was followed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.features import Recipe, Start, where_it_ends
from freshtake.motion.validation import frozen
from freshtake.numeric.arrays import Floats
from freshtake.numeric.curves import arc_lengths, is_closed, nearest_on, point_on

UPDATE = 0.1  # seconds between corrections
WINDOW = 3.0  # horizons: how far ahead the nearest point of a path is searched


@dataclass(frozen=True, eq=False)
class Steering:
    """Keep a heading (radians, 0 at the start), or follow a path (points, 2) in the ground plane, world x and z or y.

    Corrections are spread over `horizon` seconds and never turn faster than `limit` radians per second. A path is
    followed from its first point, even where it crosses itself; after its end the motion continues straight, or
    restarts the path if it is closed. A body begins at the origin, facing forward: see `from_the_first_point`.
    """

    heading: float = 0.0
    path: npt.ArrayLike | None = None
    horizon: float = 1.0
    limit: float = 1.0

    def __post_init__(self) -> None:
        if not np.isfinite(self.heading):
            raise UsageError(f"the heading to keep must be a finite number, but is {self.heading}")
        if not (0.0 < self.horizon < np.inf and self.limit > 0.0):
            raise UsageError("horizon and limit of steering must be greater than 0")
        if self.path is not None:
            points = frozen(self.path, "path", (None, 2))
            if len(points) < 2 or not np.diff(points, axis=0).any(axis=1).all():
                raise UsageError("a path needs at least two points, and no point may occur twice in a row")
            object.__setattr__(self, "path", points)


class SteeringState(NamedTuple):
    """The position of the motion, the turn rate being added, and the distance covered along the path; immutable."""

    start: Start
    resume: bool = False
    correction: float = 0.0
    along: float = 0.0


class Travel(NamedTuple):
    """The examples' travel: speed in lengths per second, and its direction relative to the heading."""

    speed: float
    leaning: float


def travel_of(recipe: Recipe, examples: Sequence[Floats]) -> Travel:
    """Return the mean travel of the examples."""
    moved, seconds = 0.0j, 0.0
    for rows in examples:
        end = where_it_ends(recipe, rows)
        middle = float(np.cumsum(rows[:, turn_column(recipe)]).mean()) * recipe.frame_time
        x, other = end.ground
        moved += complex(_forward(recipe, other), x) * np.exp(-1j * middle)
        seconds += (len(rows) - 1) * recipe.frame_time
    return Travel(abs(moved) / max(seconds, 1e-9), float(np.angle(moved)))


def turn_column(recipe: Recipe | None) -> int:
    """Return the DOF that is the turn rate."""
    if recipe is None or "turn" not in recipe.units:
        raise UsageError("only motions that turn about the vertical can be steered, and this model does not turn")
    return recipe.units.index("turn")


def steered(
    steering: Steering, recipe: Recipe, travel: Travel, rows: Floats, state: SteeringState
) -> tuple[Floats, SteeringState]:
    """Return a block with corrected turn rates, and the steering state after it.

    Blocks have a fixed number of frames, so they last longer at a lower frame rate. The heading is corrected every
    `UPDATE` seconds regardless: once a second would be too late for a body that needs a second to turn.
    """
    frames = max(1, round(UPDATE / recipe.frame_time))
    out = rows.copy()
    for first in range(0, len(rows), frames):
        state = _correct(steering, recipe, travel, out, slice(first, min(first + frames, len(rows))), state)
    return out, state


def _correct(
    steering: Steering, recipe: Recipe, travel: Travel, rows: Floats, now: slice, state: SteeringState
) -> SteeringState:
    """Correct the turn rates of the rows `now` in place; the rows after them show where the body is heading."""
    turn = turn_column(recipe)
    ahead = state.start.heading + float(rows[now, turn].sum()) * recipe.frame_time
    heading, along = _next_heading(steering, recipe, travel, state)
    off = np.angle(np.exp(1j * (heading - ahead)))
    goal = float(np.clip(off / steering.horizon, -steering.limit, steering.limit))
    rows[now, turn] += np.linspace(state.correction, goal, now.stop - now.start + 1)[1:]
    here = where_it_ends(recipe, rows[now], start=state.start, resume=state.resume)
    return SteeringState(here, True, goal, along)


def _next_heading(steering: Steering, recipe: Recipe, travel: Travel, state: SteeringState) -> tuple[float, float]:
    """Return the heading to take now, and the distance along the path."""
    if steering.path is None:
        return steering.heading, 0.0
    path, place, reach = np.asarray(steering.path), np.array(state.start.ground), travel.speed * steering.horizon
    along = nearest_on(path, place, state.along, state.along + WINDOW * reach)
    x, other = point_on(path, along + reach) - place
    return float(np.arctan2(x, _forward(recipe, other)) - travel.leaning), along


def from_the_first_point(steering: Steering, recipe: Recipe, travel: Travel) -> tuple[Steering, Start]:
    """Return the path relative to a body on its first point that faces along it, and that body's position."""
    if steering.path is None:
        return steering, Start()
    path = np.asarray(steering.path)
    seen = _forward(recipe, 1.0) * path[:, 1] + 1j * path[:, 0]
    x, other = point_on(path, travel.speed * steering.horizon) - path[0]
    heading = float(np.arctan2(x, _forward(recipe, other)) - travel.leaning)
    turned = (seen - seen[0]) * np.exp(-1j * heading)
    points = np.stack([turned.imag, _forward(recipe, 1.0) * turned.real], axis=1)
    if is_closed(path):
        points[-1] = points[0]
    return replace(steering, path=points), Start(ground=(float(path[0, 0]), float(path[0, 1])), heading=heading)


class Followed(NamedTuple):
    """How a path was followed, in its unit of length: distance covered, total, mean and largest distance from it."""

    along: float
    length: float
    mean_off: float
    most_off: float


def followed(steering: Steering, travel: Travel, places: Floats, frame_time: float) -> Followed:
    """Measure how positions (frames, 2) in the ground plane follow a path up to its end."""
    path = np.asarray(steering.path)
    length, along, off = float(arc_lengths(path)[-1]), 0.0, []
    stride = max(round(steering.horizon / 4.0 / frame_time), 1)
    ahead = WINDOW * max(travel.speed * steering.horizon, 1e-9)
    for place in places[::stride]:
        along = nearest_on(path, place, along, along + ahead)
        if along > length and not is_closed(path):
            break
        off.append(float(np.linalg.norm(point_on(path, along) - place)))
    return Followed(min(along, length) if not is_closed(path) else along, length, float(np.mean(off)), max(off))


def _forward(recipe: Recipe, other: float) -> float:
    """Return the second ground coordinate of a position as its component along heading 0."""
    return other if recipe.layout.up == "y" else -other  # type: ignore[union-attr]
