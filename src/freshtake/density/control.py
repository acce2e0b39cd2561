"""Where and how fast a synthesis goes: speed by the weights of the classes; turn rate, heading or path by its rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.features.angles import ground_of
from freshtake.motion.validation import frozen
from freshtake.numeric.arrays import Floats

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel

LEAST_LIMIT = 1.0  # radians per second that any class may be turned by


@dataclass(frozen=True, eq=False, kw_only=True)
class Control:
    """What a synthesis is told to do; what is None is left as it comes.

    `speed` in lengths per second; one of `turn` (radians per second, to the left), `heading` (radians, 0 is the
    start's) and `path` (points, 2) in the ground plane, world x and z or y. Headings and paths are reached over
    `horizon` seconds. After its end a path goes straight on.
    """

    speed: float | None = None
    turn: float | None = None
    heading: float | None = None
    path: npt.ArrayLike | None = None
    horizon: float = 1.0

    def __post_init__(self) -> None:
        for name in ("speed", "turn", "heading"):
            value = getattr(self, name)
            if value is not None and not np.isfinite(value):
                raise UsageError(f"the {name} that is asked for must be a finite number, but is {value}")
        if sum(x is not None for x in (self.turn, self.heading, self.path)) > 1:
            raise UsageError("a motion follows a turn rate, a heading or a path: ask for one of them")
        if not 0.05 <= self.horizon <= 60.0:
            raise UsageError(f"the horizon must lie between 0.05 and 60 seconds, but is {self.horizon}")
        if self.path is not None:
            points = frozen(self.path, "path", (None, 2))
            if len(points) < 2 or not np.diff(points, axis=0).any(axis=1).all():
                raise UsageError("a path needs at least two points, and no point twice in a row")
            object.__setattr__(self, "path", points)

    @property
    def steers(self) -> bool:
        """Whether the way is changed, not only the speed."""
        return self.turn is not None or self.heading is not None or self.path is not None


Controls = Control | Callable[[int], Control]


class Course(NamedTuple):
    """Where a synthesis stands: place, smooth heading, turn rate, mean travel in that heading, way along the path."""

    ground: complex
    heading: float
    turn: float
    travel: complex
    along: float = 0.0


class Gaits(NamedTuple):
    """Per class: mean travel in its smooth heading per second, and radians of its cycle per frame."""

    travels: npt.NDArray[np.complex128]
    omegas: Floats


def gaits_of(model: DensityModel) -> Gaits:
    """From the kernels."""
    own = [model.owners == k for k in range(len(model.classes))]
    travels = [complex(model.rates[k, 0].mean(), model.rates[k, 1].mean()) for k in own]
    return Gaits(np.array(travels), np.array([model.cycles.paces[k].mean() for k in own]))


def speed_of(model: DensityModel, weights: Floats) -> float:
    """The mean speed over the ground of a blend: its frequency times its stride, both mixed by the weights."""
    travels, omegas = model.gaits
    return float(abs((weights @ (travels / omegas)) * (weights @ omegas)))


def weights_for(model: DensityModel, speed: float) -> Floats:
    """The weights (classes,) of the two classes next to a speed that blend to it."""
    if not model.mixes or model.rates.shape[1] == 0:
        raise UsageError("a speed is reached by blending classes that go round: learn a slower and a faster one")
    unit = np.eye(len(model.classes))
    own = np.array([speed_of(model, row) for row in unit])
    order = np.argsort(own)
    low, high = own[order[0]], own[order[-1]]
    if not low * (1.0 - 1e-6) <= speed <= high * (1.0 + 1e-6):
        raise UsageError(f"the classes go at {low:.3g} to {high:.3g} per second, so {speed:.3g} cannot be reached")
    right = min(max(int(np.searchsorted(own[order], speed)), 1), len(own) - 1)
    a, b = unit[order[right - 1]], unit[order[right]]
    # The speed of a mixture has no formula: 65 shares of the two classes are tried, and read between.
    shares = np.linspace(0.0, 1.0, 65)
    reached = np.maximum.accumulate([speed_of(model, (1.0 - s) * a + s * b) for s in shares])
    share = float(np.interp(speed, reached, shares))
    return np.asarray((1.0 - share) * a + share * b)


def turn_limit(model: DensityModel) -> float:
    """The fastest turn: that of the classes, and at least LEAST_LIMIT."""
    # A class that turns faster by itself may be turned as fast as it does in 99 % of its frames.
    return max(LEAST_LIMIT, float(np.percentile(np.abs(model.rates[:, 2]), 99.0)))


def set_out(model: DensityModel, row: Floats) -> Course:
    """The course at a first row, which stands at the origin."""
    if model.rates.shape[1] == 0:
        raise UsageError("only motions that travel over the ground can be steered, and this model knows no travel")
    forward, sideways, turn, swing = row[model.modes : model.modes + 4].tolist()
    usual = complex(model.gaits.travels.mean())
    direction = usual if abs(usual) > 0.0 else complex(forward, sideways)
    return Course(0.0j, -swing, turn, direction)


def guided(model: DensityModel, control: Control, row: Floats, course: Course, limit: float) -> tuple[Floats, Course]:
    """The row after `course` with its turn rate changed, and the course after it."""
    first, step = model.modes, model.frame_time
    out = row.copy()
    wanted, along = _wanted(model, control, course, limit)
    if wanted is not None:
        # A turn sets in over a quarter of a second, not at once.
        out[first + 2] = course.turn + min(step / 0.25, 1.0) * (wanted - course.turn)
    speed = complex(out[first], out[first + 1])
    ground = course.ground + step * speed * np.exp(1j * course.heading)
    heading = course.heading + step * float(out[first + 2])
    travel = course.travel + min(step / control.horizon, 1.0) * (speed - course.travel)
    return out, Course(ground, heading, float(out[first + 2]), travel, along)


def _wanted(model: DensityModel, control: Control, course: Course, limit: float) -> tuple[float | None, float]:
    """The turn rate to take now, and how far along the path that is."""
    if not control.steers:
        return None, course.along
    if control.turn is not None:
        return float(np.clip(control.turn, -limit, limit)), course.along
    if control.heading is not None:
        off, along = control.heading - course.heading, course.along
        return float(np.clip(_wrapped(off) / control.horizon, -limit, limit)), along
    aim, along = _aim(model, control, course)
    off = float(np.angle(aim)) - course.heading - float(np.angle(course.travel))
    return float(np.clip(2.0 * _wrapped(off) / control.horizon, -limit, limit)), along  # pure pursuit: twice the angle


def _aim(model: DensityModel, control: Control, course: Course) -> tuple[complex, float]:
    """From the place to the point of the path one horizon ahead, and how far along its nearest point lies."""
    path = np.asarray(control.path, dtype=np.float64)
    up = model.recipe.layout.up if model.recipe is not None else "y"  # type: ignore[union-attr]
    world = np.zeros((len(path), 3))
    world[:, [0, 2] if up == "y" else [0, 1]] = path
    corners = ground_of(world, up)
    marks = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(corners)))])
    reach = max(abs(course.travel) * control.horizon, 1e-6 * marks[-1])
    # The nearest point is looked for a little ahead only, at 200 points: a path may cross itself.
    ahead = course.along + np.linspace(0.0, 3.0 * reach, 200)
    along = float(ahead[np.abs(_on(corners, marks, ahead) - course.ground).argmin()])
    return complex(_on(corners, marks, np.array([along + reach]))[0] - course.ground), along


def _on(corners: npt.NDArray[np.complex128], marks: Floats, along: Floats) -> npt.NDArray[np.complex128]:
    """Points of a path after so much of its length, straight on after its end."""
    beyond = np.maximum(along - marks[-1], 0.0) * (corners[-1] - corners[-2]) / (marks[-1] - marks[-2])
    inside = np.interp(along, marks, corners.real) + 1j * np.interp(along, marks, corners.imag)
    return np.asarray(inside + beyond)


def _wrapped(angle: float) -> float:
    return float(np.angle(np.exp(1j * angle)))
