"""Motions without a skeleton: handwriting and circles as strokes, and a flag in the wind as a mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion import MeshSequence, Stroke
from freshtake.numeric.arrays import Floats
from freshtake.samples.smooth_curves import Law, Take, Wander

PROVENANCE = "made by freshtake"


class Character(NamedTuple):
    """Via points of a stroke (fraction of the time, x and y in letter heights), and its mean height and seconds."""

    name: str
    via: Floats  # (points, 3)
    height: float
    seconds: float


LETTER_A = Character(
    "a",
    np.array([
        (0.00, 0.86, 0.64), (0.17, 0.66, 1.00), (0.33, 0.00, 0.50), (0.48, 0.38, 0.00), (0.61, 0.88, 0.48),
        (0.73, 1.03, 0.94), (0.83, 0.94, 0.52), (0.92, 1.04, 0.12), (1.00, 1.34, 0.03),
    ]),
    height=40.0,
    seconds=0.24,
)  # fmt: skip
DIGIT_2 = Character(
    "2",
    np.array([
        (0.00, 0.26, 0.66), (0.16, 0.42, 0.92), (0.27, 0.66, 0.98), (0.37, 0.70, 0.70), (0.46, 0.44, 0.30),
        (0.54, 0.14, 0.04), (0.62, 0.00, 0.12), (0.70, 0.16, 0.26), (0.80, 0.44, 0.15), (0.90, 0.68, 0.02),
        (1.00, 0.98, 0.01),
    ]),
    height=30.0,
    seconds=0.22,
)  # fmt: skip


PEN_LAW = Law(
    spread={
        "size": 0.10,  # logarithm of the height
        "aspect": 0.06,  # logarithm of the width over the height
        "slant": 0.06,  # shear: x per unit of height
        "tempo": 0.07,  # logarithm of the duration
    },
    correlations={("size", "tempo"): 0.4, ("aspect", "slant"): 0.3},
)


@dataclass(frozen=True)
class PenLaw:
    """The differences between takes of a character.

    `whole` is the normal law of size, aspect, slant and tempo. In addition, each via point moves in x and in y by a
    normal amount of standard deviation `wobble` letter heights, and each step between via points lasts exp(normal of
    `rhythm`) times as long; both are correlated along the stroke by exp(-|i - j| / `reach`). All scale with `amount`.
    """

    whole: Law = PEN_LAW
    wobble: float = 0.03
    rhythm: float = 0.08
    reach: float = 2.0

    def along(self, points: int) -> Floats:
        """Return the correlation matrix of the deviations of successive via points, or of successive steps."""
        places = np.arange(points)
        return np.asarray(np.exp(-np.abs(places[:, None] - places) / self.reach))

    def draw(self, rng: np.random.Generator, character: Character, amount: float = 1.0) -> PenTake:
        """Return the parameters of one take."""
        points = len(character.via)
        whole = self.whole.draw(rng, amount)
        root = np.linalg.cholesky(self.along(points))
        wobble = amount * self.wobble * root @ rng.standard_normal((points, 2))
        rhythm = amount * self.rhythm * root[:-1, :-1] @ rng.standard_normal(points - 1)
        return PenTake(whole, wobble, rhythm)


class PenTake(NamedTuple):
    """One take's size, aspect, slant and tempo, its via points' shifts and the logarithms of its steps' stretch."""

    whole: Take
    wobble: Floats
    rhythm: Floats


def letter_a(rng: np.random.Generator, *, fps: float = 200.0, amount: float = 1.0) -> Stroke:
    """Make a handwritten "a" in one stroke.

    Args:
        rng: source of the variation.
        fps: points per second.
        amount: factor on all variation; 0 gives the mean stroke.

    Returns:
        A stroke of about 50 points.
    """
    return written(LETTER_A, PenLaw().draw(rng, LETTER_A, amount), fps)


def digit_2(rng: np.random.Generator, *, fps: float = 200.0, amount: float = 1.0) -> Stroke:
    """Make a handwritten "2" in one stroke.

    Args:
        rng: source of the variation.
        fps: points per second.
        amount: factor on all variation; 0 gives the mean stroke.

    Returns:
        A stroke of about 45 points.
    """
    return written(DIGIT_2, PenLaw().draw(rng, DIGIT_2, amount), fps)


def written(character: Character, take: PenTake, fps: float = 200.0) -> Stroke:
    """Return the smoothest movement through the take's via points, at `fps` points per second.

    It has the least jerk of all movements that start at rest: a quintic spline in time whose third and fourth
    derivatives vanish at the free end. As with a hand, its speed drops in the bends.
    """
    _check_rate(fps)
    whole = take.whole
    steps = np.diff(character.via[:, 0]) * np.exp(take.rhythm)
    seconds = character.seconds * np.exp(whole["tempo"])
    times = np.concatenate([[0.0], np.cumsum(steps)]) * seconds / steps.sum()
    x, y = (character.via[:, 1:] + take.wobble).T
    height = character.height * np.exp(whole["size"])
    points = np.stack([(x * np.exp(whole["aspect"]) + whole["slant"] * y) * height, y * height], axis=1)
    at = np.arange(int(np.floor(seconds * fps + 1e-9)) + 1) / fps
    return Stroke(_least_jerk(times / seconds, points, at / seconds), at, name=character.name, provenance=PROVENANCE)


def _least_jerk(knots: Floats, points: Floats, at: Floats) -> Floats:
    """Return the quintic spline through points (k, 2) at knots from 0 to 1; it is at rest at 0.

    It is a sum of powers of the time since 0, except the first and second, since it starts at rest, and of the fifth
    power of the time since each inner knot.
    """

    def powers(t: Floats, derivative: int) -> Floats:
        since = np.maximum(t[:, None] - np.concatenate([np.zeros(4), knots[1:-1]]), 0.0)
        power = np.concatenate([[0, 3, 4, 5], np.full(len(knots) - 2, 5)])
        factor = np.prod([power - k for k in range(derivative)], axis=0)
        return np.asarray(factor * since ** np.maximum(power - derivative, 0))

    # At its free end the third and fourth derivative vanish.
    rows = np.concatenate([powers(knots, 0), powers(knots[-1:], 3), powers(knots[-1:], 4)])
    factors = np.linalg.solve(rows, np.concatenate([points, np.zeros((2, 2))]))
    return np.asarray(powers(at, 0) @ factors)


def _check_rate(fps: float) -> None:
    if not (np.isfinite(fps) and fps > 0):
        raise UsageError(f"the number of points per second must be above 0, not {fps}")


@dataclass(frozen=True)
class Normal:
    """A normal distribution by mean and standard deviation."""

    mean: float
    spread: float


@dataclass(frozen=True)
class CircleLaw:
    """Circular strokes x = r cos(a - w t), y = r sin(a - w t) over one turn; r, a and w are independent and normal.

    Lau 2009, §7, figure 7, gives no equations, only the mean 5.91 and standard deviation 0.77 of the first y over
    its takes; these defaults reproduce both.
    """

    radius: Normal = Normal(5.98, 0.77)
    start_angle: Normal = Normal(np.pi / 2, 0.15)
    speed: Normal = Normal(2.0 * np.pi, 0.4)  # radians per second, clockwise

    def draw(self, rng: np.random.Generator, amount: float = 1.0) -> CircleTake:
        """Return the parameters of one take; `amount` scales all deviations (0: none)."""
        laws = (self.radius, self.start_angle, self.speed)
        return CircleTake(*[law.mean + amount * law.spread * rng.standard_normal() for law in laws])


class CircleTake(NamedTuple):
    """One circle: radius, angle of the first point, and angular speed."""

    radius: float
    start_angle: float
    speed: float

    def at(self, times: Floats) -> Floats:
        """Return positions (times, 2)."""
        angle = self.start_angle - self.speed * times
        return self.radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def circle(rng: np.random.Generator, *, fps: float = 60.0, amount: float = 1.0) -> Stroke:
    """Make a circular stroke of one turn, clockwise from the top.

    Args:
        rng: source of the variation.
        fps: points per second.
        amount: factor on all variation; 0 gives the mean stroke.

    Returns:
        A stroke of about 60 points.
    """
    _check_rate(fps)
    take = CircleLaw().draw(rng, amount)
    turn = 2.0 * np.pi / max(abs(take.speed), 0.1)
    times = np.arange(int(np.floor(turn * fps + 1e-9)) + 1) / fps
    return Stroke(take.at(times), times, name="circle", provenance=PROVENANCE)


def fit_circle(stroke: Stroke) -> CircleTake:
    """Fit a circle to a stroke, the inverse of `circle`; its center may be anywhere.

    Center and radius solve |p|^2 = 2 p m + c by least squares; a straight line fitted to the angles over time gives the
    first angle and the speed.

    Args:
        stroke: at least 4 points in a plane.

    Returns:
        Radius, angle of the first point, and angular speed.
    """
    points = stroke.points
    if points.shape[1] != 2 or len(points) < 4:
        raise UsageError(f"fitting a circle needs at least 4 points in a plane, not {points.shape}")
    middle = points.mean(axis=0)
    around = points - middle
    factors = np.column_stack([2.0 * around, np.ones(len(points))])
    (x, y, constant), *_ = np.linalg.lstsq(factors, (around**2).sum(axis=1), rcond=None)
    angles = np.unwrap(np.arctan2(around[:, 1] - y, around[:, 0] - x))
    slope, start = np.polyfit(stroke.times - stroke.times[0], angles, 1)
    start = np.pi / 2 + (start - np.pi / 2 + np.pi) % (2.0 * np.pi) - np.pi
    return CircleTake(float(np.sqrt(max(constant + x * x + y * y, 0.0))), float(start), float(-slope))


WIDTH, HEIGHT = 1.5, 1.0  # metres


class Wave(NamedTuple):
    """A wave that runs along the flag; its upper half may move against its lower half."""

    crests: float  # wave lengths between pole and free edge
    rows: int  # half waves from the lower to the upper edge
    amplitude: float  # metres, at the free edge
    rate: float  # turns per second on average


WAVES = (
    Wave(crests=0.9, rows=0, amplitude=0.13, rate=0.73),
    Wave(crests=1.7, rows=0, amplitude=0.03, rate=1.31),
    Wave(crests=1.2, rows=1, amplitude=0.035, rate=1.01),
)
MODES = 2 * len(WAVES)  # every wave runs, so it is a cosine and a sine shape: the rank of all vertices over time
UNSTEADY = 0.12  # relative standard deviation of each wave's rate and amplitude over time
SLOWLY = 1.5  # seconds over which they change


def flag(
    rng: np.random.Generator,
    *,
    frames: int = 600,
    fps: float = 60.0,
    columns: int = 49,
    rows: int = 33,
    amount: float = 1.0,
) -> MeshSequence:
    """Make a flag held at the pole (x = 0), in the wind.

    Every vertex is its rest position plus the sum of `MODES` fixed shapes times `mode_weights(...)`, so the sequence
    has exactly that rank about rest. Poses recur when the phases of the three waves do: at irregular times, since
    their rates are incommensurable and wander.

    Args:
        rng: source of the variation.
        frames: number of frames.
        fps: frames per second.
        columns: vertices from the pole to the free edge.
        rows: vertices from the lower to the upper edge.
        amount: factor on all variation; 0 gives steady waves.

    Returns:
        A mesh with normals and texture coordinates; x along it, y up, z across; metres.
    """
    if frames < 1 or columns < 2 or rows < 2 or not (np.isfinite(fps) and fps > 0):
        raise UsageError(
            f"a flag needs frames, fps and at least 2 x 2 vertices, not {frames}, {fps}, {columns} x {rows}"
        )
    weights = mode_weights(rng, np.arange(frames) / fps, amount)
    rest, (shapes, by_x, by_y) = rest_shape(columns, rows), mode_shapes(columns, rows)
    vertices = rest + np.tensordot(weights, shapes, axes=1)
    along, up = (
        axis + np.tensordot(weights, turn, axes=1) for axis, turn in zip(np.eye(3), (by_x, by_y), strict=False)
    )
    normals = np.cross(along, up)
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return MeshSequence(
        vertices.astype(np.float32),
        grid_faces(columns, rows),
        1.0 / fps,
        normals.astype(np.float32),
        {"uv": (rest[:, :2] / [WIDTH, HEIGHT]).astype(np.float32)},
        name="flag",
        provenance=PROVENANCE,
        unit_m=1.0,
    )


def rest_shape(columns: int, rows: int) -> Floats:
    """Return the flat flag (vertices, 3), row by row from the lower edge."""
    x, y = np.meshgrid(np.linspace(0.0, WIDTH, columns), np.linspace(0.0, HEIGHT, rows))
    return np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)


def grid_faces(columns: int, rows: int) -> npt.NDArray[np.int32]:
    """Return two triangles per cell, all facing the viewer at positive z."""
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    right, above, across = corner + 1, corner + columns, corner + columns + 1
    both = np.stack([np.stack([corner, right, across], 1), np.stack([corner, across, above], 1)], axis=1)
    return both.reshape(-1, 3).astype(np.int32)


def mode_shapes(columns: int, rows: int) -> tuple[Floats, Floats, Floats]:
    """Return the fixed shapes (modes, vertices, 3), in pairs (cosine, sine) per wave, and their derivatives by x and y.

    A wave's height is z = amplitude s^1.5 cos(k s - phase) cos(pi rows v), with s = x / WIDTH and v = y / HEIGHT; at a
    crest or trough the cloth is also drawn back and down a little, in proportion to z.
    """
    rest = rest_shape(columns, rows)
    s, v = rest[:, 0] / WIDTH, rest[:, 1] / HEIGHT
    direction = np.array([-0.12, -0.08, 1.0])
    height, by_x, by_y = [], [], []
    for wave in WAVES:
        k, q = 2.0 * np.pi * wave.crests, np.pi * wave.rows
        across, bend = np.cos(q * v), -q * np.sin(q * v) / HEIGHT
        grow, growing = wave.amplitude * s**1.5, 1.5 * wave.amplitude * np.sqrt(s)
        for part, slope in ((np.cos(k * s), -k * np.sin(k * s)), (np.sin(k * s), k * np.cos(k * s))):
            height.append(grow * part * across)
            by_x.append((growing * part + grow * slope) / WIDTH * across)
            by_y.append(grow * part * bend)
    shapes, by_x, by_y = (np.stack(values)[..., None] * direction for values in (height, by_x, by_y))
    return shapes, by_x, by_y


def mode_weights(rng: np.random.Generator, times: Floats, amount: float = 1.0) -> Floats:
    """Return (frames, modes): cosine and sine of every wave's phase, times its relative amplitude.

    A wave turns at its rate times 1 + a smooth normal process of standard deviation `UNSTEADY`; its relative amplitude
    is exp of another such process. Both change over `SLOWLY` seconds. The initial phase is random.
    """
    pace = Wander(rng, amount * UNSTEADY, SLOWLY, len(WAVES))
    swell = Wander(rng, amount * UNSTEADY, SLOWLY, len(WAVES))
    rate = np.array([wave.rate for wave in WAVES])
    start = rng.uniform(0.0, 1.0, len(WAVES))
    phase = 2.0 * np.pi * (start + rate * (times[:, None] + pace.integral(times)))
    weights = np.exp(swell(times))[..., None] * np.stack([np.cos(phase), np.sin(phase)], axis=-1)
    return np.asarray(weights.reshape(len(times), MODES))
