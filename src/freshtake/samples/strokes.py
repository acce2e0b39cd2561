"""Strokes as a pen draws them: the letter "a", the digit "2", and circles whose law is known in closed form.

The circle that a stroke is nearest to: what its radius, start angle and speed are (Lau 2009, figure 7).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Stroke
from freshtake.numeric.arrays import Floats
from freshtake.samples.variation_law import Law, Take

PROVENANCE = "made by freshtake"


class Character(NamedTuple):
    """Via points of one stroke: share of the time, x and y in letter heights; and height and seconds on average."""

    name: str
    via: Floats  # (points, 3)
    height: float
    seconds: float


LETTER_A = Character(
    "a",
    np.array(
        [
            (0.00, 0.86, 0.64),
            (0.17, 0.66, 1.00),
            (0.33, 0.00, 0.50),
            (0.48, 0.38, 0.00),
            (0.61, 0.88, 0.48),
            (0.73, 1.03, 0.94),
            (0.83, 0.94, 0.52),
            (0.92, 1.04, 0.12),
            (1.00, 1.34, 0.03),
        ]
    ),
    height=40.0,
    seconds=0.24,
)
DIGIT_2 = Character(
    "2",
    np.array(
        [
            (0.00, 0.26, 0.66),
            (0.16, 0.42, 0.92),
            (0.27, 0.66, 0.98),
            (0.37, 0.70, 0.70),
            (0.46, 0.44, 0.30),
            (0.54, 0.14, 0.04),
            (0.62, 0.00, 0.12),
            (0.70, 0.16, 0.26),
            (0.80, 0.44, 0.15),
            (0.90, 0.68, 0.02),
            (1.00, 0.98, 0.01),
        ]
    ),
    height=30.0,
    seconds=0.22,
)


def _pen_law() -> Law:
    return Law(
        spread={
            "size": 0.10,  # of the logarithm of the height
            "aspect": 0.06,  # of the logarithm of the width over the height
            "slant": 0.06,  # shear: x gained per unit of height
            "tempo": 0.07,  # of the logarithm of the duration
        },
        correlations={("size", "tempo"): 0.4, ("aspect", "slant"): 0.3},
    )


@dataclass(frozen=True)
class PenLaw:
    """How takes of a character differ.

    `whole` is the normal law of size, aspect, slant and tempo. Beyond it each via point moves in x and in y by a
    normal amount of standard deviation `wobble` letter heights, and each step between via points lasts exp(normal of
    `rhythm`) times as long; both are correlated along the stroke by exp(-|i - j| / `reach`). All scale with `amount`.
    """

    whole: Law = field(default_factory=_pen_law)
    wobble: float = 0.03
    rhythm: float = 0.08
    reach: float = 2.0

    def along(self, points: int) -> Floats:
        """Correlation matrix of the deviations of successive via points, or of successive steps."""
        places = np.arange(points)
        return np.asarray(np.exp(-np.abs(places[:, None] - places) / self.reach))

    def draw(self, rng: np.random.Generator, character: Character, amount: float = 1.0) -> PenTake:
        """The parameters of one take."""
        points = len(character.via)
        whole = self.whole.draw(rng, amount)
        tied = np.linalg.cholesky(self.along(points))
        wobble = amount * self.wobble * tied @ rng.standard_normal((points, 2))
        rhythm = amount * self.rhythm * tied[:-1, :-1] @ rng.standard_normal(points - 1)
        return PenTake(whole, wobble, rhythm)


class PenTake(NamedTuple):
    """One take's size, aspect, slant and tempo, its via points' displacements and its steps' log lengthening."""

    whole: Take
    wobble: Floats
    rhythm: Floats


def letter_a(rng: np.random.Generator, *, fps: float = 200.0, amount: float = 1.0, law: PenLaw | None = None) -> Stroke:
    """A handwritten "a" in one stroke, about 50 points; `amount` 0 gives the mean one."""
    return written(LETTER_A, (law or PenLaw()).draw(rng, LETTER_A, amount), fps)


def digit_2(rng: np.random.Generator, *, fps: float = 200.0, amount: float = 1.0, law: PenLaw | None = None) -> Stroke:
    """A handwritten "2" in one stroke, about 45 points; `amount` 0 gives the mean one."""
    return written(DIGIT_2, (law or PenLaw()).draw(rng, DIGIT_2, amount), fps)


def written(character: Character, take: PenTake, fps: float = 200.0) -> Stroke:
    """The smoothest movement through the take's via points, at `fps` points per second.

    It has the least jerk of all that start at rest: a quintic spline in time whose third and fourth derivatives
    vanish at the free end. Its speed falls in the bends by itself, as a hand's does.
    """
    from scipy.interpolate import make_interp_spline

    _check_rate(fps)
    whole = take.whole
    steps = np.diff(character.via[:, 0]) * np.exp(take.rhythm)
    seconds = character.seconds * np.exp(whole["tempo"])
    times = np.concatenate([[0.0], np.cumsum(steps)]) * seconds / steps.sum()
    x, y = (character.via[:, 1:] + take.wobble).T
    height = character.height * np.exp(whole["size"])
    points = np.stack([(x * np.exp(whole["aspect"]) + whole["slant"] * y) * height, y * height], axis=1)
    none = np.zeros(2)
    ends: Any = ([(1, none), (2, none)], [(3, none), (4, none)])
    movement = make_interp_spline(times, points, k=5, bc_type=ends)
    at = np.arange(int(np.floor(seconds * fps + 1e-9)) + 1) / fps
    return Stroke(np.asarray(movement(at)), at, name=character.name, provenance=PROVENANCE)


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
    its takes; these defaults have the same.
    """

    radius: Normal = Normal(5.98, 0.77)
    start_angle: Normal = Normal(np.pi / 2, 0.15)
    speed: Normal = Normal(2.0 * np.pi, 0.4)  # radians per second, clockwise

    def draw(self, rng: np.random.Generator, amount: float = 1.0) -> CircleTake:
        """The parameters of one take; `amount` scales all deviations (0: none)."""
        laws = (self.radius, self.start_angle, self.speed)
        return CircleTake(*[law.mean + amount * law.spread * rng.standard_normal() for law in laws])


class CircleTake(NamedTuple):
    """One circle: radius, angle of the first point, and angular speed."""

    radius: float
    start_angle: float
    speed: float

    def at(self, times: Floats) -> Floats:
        """Places (times, 2)."""
        angle = self.start_angle - self.speed * times
        return self.radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def circle(rng: np.random.Generator, *, fps: float = 60.0, amount: float = 1.0, law: CircleLaw | None = None) -> Stroke:
    """A circular stroke of one turn, about 60 points, from the top and clockwise."""
    _check_rate(fps)
    take = (law or CircleLaw()).draw(rng, amount)
    turn = 2.0 * np.pi / max(abs(take.speed), 0.1)
    times = np.arange(int(np.floor(turn * fps + 1e-9)) + 1) / fps
    return Stroke(take.at(times), times, name="circle", provenance=PROVENANCE)


def fit_circle(stroke: Stroke) -> CircleTake:
    """Radius, angle of the first point, and angular speed, the inverse of `circle` wherever the circle lies.

    The middle and the radius solve |p|^2 = 2 p m + c by least squares; the angle at the start and the speed are those
    of the straight line through the angles over time.
    """
    points = stroke.points
    if points.shape[1] != 2 or len(points) < 4:
        raise UsageError(f"a circle is fitted to at least 4 points in a plane, not to {points.shape}")
    middle = points.mean(axis=0)
    around = points - middle
    known = np.column_stack([2.0 * around, np.ones(len(points))])
    (x, y, rest), *_ = np.linalg.lstsq(known, (around**2).sum(axis=1), rcond=None)
    angles = np.unwrap(np.arctan2(around[:, 1] - y, around[:, 0] - x))
    slope, start = np.polyfit(stroke.times - stroke.times[0], angles, 1)
    start = np.pi / 2 + (start - np.pi / 2 + np.pi) % (2.0 * np.pi) - np.pi
    return CircleTake(float(np.sqrt(max(rest + x * x + y * y, 0.0))), float(start), float(-slope))
