"""Steer a synthesis: speed by the class weights; turn rate, heading or path by the root's rates.

Streams are steered, decoded and planted frame by frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.density.decoding import mode_dofs
from freshtake.density.planting import planted_stream, row_contacts
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features import Start, where_it_ends
from freshtake.motion.features.angles import path_on_ground
from freshtake.motion.planting import settings_for
from freshtake.motion.validation import frozen
from freshtake.numeric.arrays import Floats
from freshtake.numeric.curves import arc_lengths, nearest_on, point_on

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel

LEAST_LIMIT = 1.0  # radians per second: every class may be turned this fast
BLOCK = 64  # frames per call of the compiled synthesis


@dataclass(frozen=True, eq=False, kw_only=True)
class Control:
    """The requested speed and direction of a synthesis; None leaves them free.

    `speed` is in lengths per second. The direction is one of `turn` (radians per second, to the left), `heading`
    (radians, 0 at the start) and `path` (points, 2) in the ground plane, world x and z or y. Headings and paths are
    reached over `horizon` seconds. A path continues straight after its end; a closed path is followed again.
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
                raise UsageError(f"the {name} must be a finite number, but is {value}")
        if sum(x is not None for x in (self.turn, self.heading, self.path)) > 1:
            raise UsageError("a motion follows a turn rate, a heading or a path: give only one of them")
        if not 0.05 <= self.horizon <= 60.0:
            raise UsageError(f"the horizon must lie between 0.05 and 60 seconds, but is {self.horizon}")
        if self.path is not None:
            points = frozen(self.path, "path", (None, 2))
            if len(points) < 2 or not np.diff(points, axis=0).any(axis=1).all():
                raise UsageError("a path needs at least two points, with no point repeated in a row")
            object.__setattr__(self, "path", points)


Controls = Control | Callable[[int], Control]


class Trajectory(NamedTuple):
    """The body's state on the ground: position, smooth heading, turn rate, mean travel, and arc length on the path."""

    ground: complex
    heading: float
    turn: float
    travel: complex
    along: float = 0.0


class Gaits(NamedTuple):
    """Per class: mean travel per second in its smooth heading, and its cycle's pace in radians per frame."""

    travels: npt.NDArray[np.complex128]
    omegas: Floats


def speed_of(model: DensityModel, weights: Floats) -> float:
    """Return the mean speed over the ground of a blend: its frequency times its stride, both mixed by the weights."""
    travels, omegas = model.gaits
    return float(abs((weights @ (travels / omegas)) * (weights @ omegas)))


def weights_for(model: DensityModel, speed: float) -> Floats:
    """Return weights (classes,) that blend the two classes around a speed to reach it."""
    if not model.mixes or model.rates.shape[1] == 0:
        raise UsageError("a speed is reached by blending cyclic classes: learn a slower and a faster one")
    unit = np.eye(len(model.classes))
    speeds = np.array([speed_of(model, row) for row in unit])
    order = np.argsort(speeds)
    low, high = speeds[order[0]], speeds[order[-1]]
    if not low * (1.0 - 1e-6) <= speed <= high * (1.0 + 1e-6):
        speeds_told = f"{low:.3g} to {high:.3g} lengths per second"
        raise UsageError(f"the classes travel at {speeds_told}, so {speed:g} cannot be reached: ask for one between")
    right = min(max(int(np.searchsorted(speeds[order], speed)), 1), len(speeds) - 1)
    a, b = unit[order[right - 1]], unit[order[right]]
    # The weight for a speed has no closed form: the speed is tabulated at 65 weights and interpolated.
    shares = np.linspace(0.0, 1.0, 65)
    reached = np.maximum.accumulate([speed_of(model, (1.0 - s) * a + s * b) for s in shares])
    share = float(np.interp(speed, reached, shares))
    return np.asarray((1.0 - share) * a + share * b)


def turn_limit(model: DensityModel) -> float:
    """Return the maximum turn rate: the 99th percentile of the classes' turn rates, but at least LEAST_LIMIT."""
    return max(LEAST_LIMIT, float(np.percentile(np.abs(model.rates[:, 2]), 99.0)))


def begin_trajectory(model: DensityModel, row: Floats) -> Trajectory:
    """Return the trajectory at a first row, at the origin."""
    if model.rates.shape[1] == 0:
        raise UsageError("only motions that travel over the ground can be steered: this model's do not")
    forward, sideways, turn, sway = row[model.modes : model.modes + 4].tolist()
    travel = complex(model.gaits.travels.mean()) or complex(forward, sideways)
    return Trajectory(0.0j, -sway, turn, travel)


def guided(
    model: DensityModel, control: Control, row: Floats, trajectory: Trajectory, limit: float
) -> tuple[Floats, Trajectory]:
    """Return the next row with the requested turn rate, and the trajectory after it."""
    first, step = model.modes, model.frame_time
    out = row.copy()
    target, along = _target_turn(model, control, trajectory)
    if target is not None:
        # Turning begins over a quarter of a second, not at once.
        target = float(np.clip(target, -limit, limit))
        out[first + 2] = trajectory.turn + min(step / 0.25, 1.0) * (target - trajectory.turn)
    speed = complex(out[first], out[first + 1])
    ground = trajectory.ground + step * speed * np.exp(1j * trajectory.heading)
    heading = trajectory.heading + step * float(out[first + 2])
    travel = trajectory.travel + min(step / control.horizon, 1.0) * (speed - trajectory.travel)
    return out, Trajectory(ground, heading, float(out[first + 2]), travel, along)


def _target_turn(model: DensityModel, control: Control, trajectory: Trajectory) -> tuple[float | None, float]:
    """Return the requested turn rate, None if it is free, and the arc length of the path at the body."""
    if control.path is None:
        off = None if control.heading is None else _wrapped(control.heading - trajectory.heading)
        return control.turn if off is None else off / control.horizon, trajectory.along
    up = model.recipe.layout.up if model.recipe is not None else "y"  # type: ignore[union-attr]
    path = path_on_ground(np.asarray(control.path, dtype=np.float64), up)
    reach = max(abs(trajectory.travel) * control.horizon, 1e-6 * arc_lengths(path)[-1])
    place = np.array([trajectory.ground.real, trajectory.ground.imag])
    # The nearest point is searched only a little ahead: a path may cross itself.
    along = nearest_on(path, place, trajectory.along, trajectory.along + 3.0 * reach)
    # Aim at the point of the path one horizon ahead. Pure pursuit turns by twice the angle to it.
    aim = float(np.angle(complex(*(point_on(path, along + reach) - place))))
    off = aim - trajectory.heading - float(np.angle(trajectory.travel))
    return 2.0 * _wrapped(off) / control.horizon, along


def _wrapped(angle: float) -> float:
    return float(np.angle(np.exp(1j * angle)))


def stream_of(
    model: DensityModel, rng: np.random.Generator, weights: Any, residuals: bool, decode: bool, plant: bool | str,
    control: Controls | None,
) -> Iterator[Any]:  # fmt: skip
    """Return endless rows, one per frame; with `decode` one-frame motions, with `plant` their feet planted."""
    blocks = _blocks(model, rng, requested_weights(model, weights, control))
    rows: Iterator[Floats] = (row for block in blocks for row in block)
    if control is not None:
        rows = turned(model, rows, control)
    if not decode:
        return rows
    base, has_contacts = model.planting_model if plant else None, model.knows_contacts
    # A block of a clip's rows can be decoded at once and split into frames; points and strokes are decoded one by one,
    # as are motions whose contacts are detected or whose controls may change from frame to frame.
    blockwise = model.recipe is not None and model.recipe.motion_type is Clip and (base is None or has_contacts)
    size = BLOCK if blockwise and not callable(weights) and not callable(control) else 1
    motions = _motions(model, (np.stack(list(islice(rows, size))) for _ in repeat(None)), residuals)
    if base is not None:
        pairs = ((clip, row_contacts(model, rows) if has_contacts else None) for clip, rows in motions)
        return planted_stream(pairs, base, settings_for(plant), has_contacts=has_contacts)
    return (frame for motion, _ in motions for frame in (motion.single_frames() if len(motion) > 1 else (motion,)))


def _blocks(model: DensityModel, rng: np.random.Generator, weights: Any) -> Iterator[Floats]:
    """Yield rows (frames, width): single rows if the weights may change."""
    live, frame = callable(weights), 0
    state = model.start(rng, weights(0) if live else weights, used=None if live else model.mixture(weights) > 0.0)
    steady = None if live else np.tile(model.mixture(weights), (BLOCK, 1))
    while True:
        state, rows = model.advance(state, weights(frame) if live else steady, rng)
        yield rows
        frame += len(rows)


def turned(model: DensityModel, rows: Iterable[Floats], control: Controls) -> Iterator[Floats]:
    """Yield rows from the start of a synthesis with the turn rates requested by a control at each frame."""
    limit, trajectory = 0.0, None
    for frame, row in enumerate(rows):
        if trajectory is None:
            trajectory, limit = begin_trajectory(model, row), turn_limit(model)
        else:
            now = control(frame) if callable(control) else control
            row, trajectory = guided(model, now, row, trajectory, limit)
        yield row


def _motions(model: DensityModel, blocks: Iterable[Floats], residuals: bool) -> Iterator[tuple[Any, Floats]]:
    """Yield motions, each placed where the previous one ended, and the rows they are decoded from."""
    place, last = Start(), None
    for rows in blocks:
        yield model.decode(rows, residuals, start=place, before=last), rows
        if model.recipe is not None:
            values = mode_dofs(model, rows, False, last)
            place = where_it_ends(model.recipe, values, start=place, resume=last is not None)
        last = rows[-1]


def requested_weights(model: DensityModel, weights: Any, control: Controls | None) -> Any:
    """Return the weights for a requested speed; without one, the given weights."""
    now = control(0) if callable(control) else control
    if now is None or now.speed is None:
        return weights
    if weights is not None:
        raise UsageError("weights and a speed cannot be combined: a speed determines the weights")

    def at_speed(control: Control) -> dict[str, float]:
        if control.speed is None:
            raise UsageError("a control that gives a speed must give one for every frame")
        return dict(zip(model.classes, weights_for(model, control.speed).tolist(), strict=True))

    return (lambda frame: at_speed(control(frame))) if callable(control) else at_speed(now)
