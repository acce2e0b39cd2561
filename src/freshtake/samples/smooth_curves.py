"""Smooth curves and random laws: rounded polylines, quintic pieces, and the differences between takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats

GRAVITY = 981.0  # cm/s^2


class Curve:
    """A polyline through knots, convolved with a bump of the given width: three times differentiable everywhere.

    Where the polyline is straight for 1.5 widths to each side, the curve is exactly straight, so flat parts stay flat.
    With `period` the knots repeat (the last knot must then be the first one, a period later); without, the curve is
    level before the first knot and after the last. `shift` moves the entire curve to the right.
    Each knot at which the slope changes by d adds d * ramp(x), where ramp is the bump's second integral; the bump is a
    threefold box, so the ramp is a difference of fourth powers.
    """

    def __init__(
        self, knots: Sequence[tuple[float, float]], width: float, period: float | None = None, shift: float = 0.0
    ) -> None:
        x, y = np.array(knots, dtype=np.float64).T
        self.period = period
        self.shift = shift
        self.width = width
        if period is not None:
            x = np.concatenate([x[:-1] - period, x[:-1], x + period])
            y = np.concatenate([y[:-1], y[:-1], y])
        slope = np.diff(y) / np.diff(x)
        if period is None:  # level before and after
            slope = np.concatenate([[0.0], slope, [0.0]])
            self._x, self._start, self._lead = x, float(y[0]), 0.0
        else:
            x = x[:-1]
            self._start, self._lead = float(y[0] - slope[0] * x[0]), float(slope[0])
            self._x = x[1:]
        self._bend = np.diff(slope)

    def __call__(self, at: npt.ArrayLike, derivative: int = 0) -> Floats:
        """Return value, slope (1) or curvature (2) at the given positions."""
        place = np.asarray(at, dtype=np.float64) - self.shift
        if self.period is not None:
            place = np.mod(place, self.period)
        ramps = _ramp((place[..., None] - self._x) / self.width, derivative) * self.width ** (1 - derivative)
        line = (self._start + self._lead * place, self._lead, 0.0)[derivative]
        return np.asarray(line + ramps @ self._bend)


def _ramp(x: Floats, derivative: int) -> Floats:
    """Return the second integral of the threefold unit box, its first derivative, or the threefold box itself."""
    power = 4 - derivative
    inside = np.clip(x, -1.5, 1.5)
    out = np.zeros_like(inside)
    for shift, sign in ((1.5, 1.0), (0.5, -3.0), (-0.5, 3.0)):
        out += sign * np.maximum(inside + shift, 0.0) ** power
    out /= (24.0, 6.0, 2.0)[derivative]
    return out + (np.maximum(x - 1.5, 0.0) if derivative == 0 else 0.0)


@dataclass(frozen=True)
class Ends:
    """Position, velocity and acceleration at one end of a quintic piece, all of the same shape."""

    place: Floats
    velocity: Floats
    acceleration: Floats


def quintic(share: Floats, start: Ends, end: Ends) -> Floats:
    """Return the quintic piece over share 0..1 that meets both ends; velocities are per unit of `share`."""
    s = share
    s3 = s**3
    left = s3 * (10.0 + s * (-15.0 + 6.0 * s))
    v0 = s + s3 * (-6.0 + s * (8.0 - 3.0 * s))
    v1 = s3 * (-4.0 + s * (7.0 - 3.0 * s))
    a0 = 0.5 * s * s + s3 * (-1.5 + s * (1.5 - 0.5 * s))
    a1 = s3 * (0.5 + s * (-1.0 + 0.5 * s))
    return np.asarray(
        start.place * (1.0 - left)
        + end.place * left
        + v0 * start.velocity
        + v1 * end.velocity
        + a0 * start.acceleration
        + a1 * end.acceleration
    )


def ease(share: npt.ArrayLike) -> Floats:
    """Rise from 0 to 1, level and without acceleration at the ends (the minimum-jerk step); constant outside 0..1."""
    s = np.clip(np.asarray(share, dtype=np.float64), 0.0, 1.0)
    return np.asarray(s**3 * (10.0 + s * (-15.0 + 6.0 * s)))


def late_ease(share: Floats, late: int) -> Floats:
    """Rise like `ease` (late = 2), but fastest at late / (late + 2) of the way, as a swinging foot travels.

    The integral of s^late (1 - s)^2, scaled to end at 1.
    """
    n = late + 1
    terms = share**n * (1.0 / n + share * (-2.0 / (n + 1) + share / (n + 2)))
    return np.asarray(0.5 * n * (n + 1) * (n + 2) * terms)


def lobe(share: Floats, rise: int = 3, fall: int = 5) -> Floats:
    """Return a hump of height 1 over share 0..1, highest at rise / (rise + fall); its ends are level."""
    top = rise / (rise + fall)
    return np.asarray(share**rise * (1.0 - share) ** fall / (top**rise * (1.0 - top) ** fall))


def bounce(phase: Floats, pushes: Sequence[tuple[float, float, float]], period: float) -> Floats:
    """Return the height (cm, mean 0) of a body that falls freely but for pushes (start, end, fraction of the impulse).

    Phase is in cycles of `period` seconds. Each push is half a sine, so the force starts from zero; the fractions sum
    to 1, since over a cycle the pushes cancel gravity.
    """
    grid = np.arange(512) / 512
    force = np.zeros(512)
    for start, end, share in pushes:
        local = np.mod(grid - start, 1.0) / (end - start)
        force += np.where(local < 1.0, share / (end - start) * 0.5 * np.pi * np.sin(np.pi * local), 0.0)
    order = np.arange(1, 49)
    terms = np.fft.rfft(force)[order] / 256.0 * -GRAVITY * (period / (2.0 * np.pi * order)) ** 2
    waves = np.exp(2j * np.pi * np.asarray(phase)[..., None] * order)
    return np.asarray((waves @ terms).real)


Take = Mapping[str, float]
WAVES = 24


@dataclass(frozen=True)
class Law:
    """The joint normal distribution of a take's parameters.

    `spread` contains each parameter's standard deviation about 0, `correlations` the nonzero correlations by pair.
    """

    spread: Mapping[str, float]
    correlations: Mapping[tuple[str, str], float]

    def __post_init__(self) -> None:
        if np.linalg.eigvalsh(self.correlation())[0] <= 0.0:
            raise UsageError("the correlations of a law contradict each other: their matrix is not positive definite")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the parameters, in the order of the covariance's rows."""
        return tuple(self.spread)

    def correlation(self) -> Floats:
        """Return the correlation matrix of the parameters."""
        out = np.eye(len(self.spread))
        for (a, b), value in self.correlations.items():
            i, j = self.names.index(a), self.names.index(b)
            out[i, j] = out[j, i] = value
        return out

    def covariance(self) -> Floats:
        """Return the covariance matrix of the parameters at amount 1."""
        spread = np.array(list(self.spread.values()))
        return self.correlation() * np.outer(spread, spread)

    def draw(self, rng: np.random.Generator, amount: float = 1.0) -> Take:
        """Return the parameters of one take; `amount` scales all deviations (0: none)."""
        if not 0.0 <= amount <= 3.0:
            raise UsageError(f"amount must be 0 to 3, but is {amount}")
        root = np.linalg.cholesky(self.covariance())
        values = amount * (root @ rng.standard_normal(len(self.spread)))
        return dict(zip(self.names, values.tolist(), strict=True))


class Wander:
    """A smooth stationary Gaussian process of time with standard deviation `spread` and correlation time `tau`.

    Its covariance is spread^2 * mean_k cos(w_k lag), close to spread^2 * exp(-lag^2 / (2 tau^2)): waves at the
    quantiles of a normal spectrum, whose amplitudes are independent and normal. It is the same at every frame rate.
    """

    def __init__(self, rng: np.random.Generator, spread: float, tau: float, columns: int = 1) -> None:
        normal = NormalDist()
        self.rates = np.array([normal.inv_cdf(0.5 + 0.5 * (k + 0.5) / WAVES) for k in range(WAVES)]) / tau
        self._sine, self._cosine = spread / np.sqrt(WAVES) * rng.standard_normal((2, WAVES, columns))

    def __call__(self, times: Floats) -> Floats:
        """Return values (times, columns)."""
        angle = times[:, None] * self.rates
        return np.asarray(np.cos(angle) @ self._cosine + np.sin(angle) @ self._sine)

    def integral(self, times: Floats) -> Floats:
        """Return the integral from time 0 (times, columns), exactly."""
        angle = times[:, None] * self.rates
        cosine, sine = self._cosine / self.rates[:, None], self._sine / self.rates[:, None]
        return np.asarray(np.sin(angle) @ cosine + (1.0 - np.cos(angle)) @ sine)


def both(name: str) -> tuple[str, str]:
    """Return the names of a parameter that exists on both sides."""
    return f"{name}_left", f"{name}_right"
