"""How takes differ: a Gaussian law over named parameters, and smooth Gaussian processes within a take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats

Take = Mapping[str, float]
WAVES = 24


@dataclass(frozen=True)
class Law:
    """The joint normal distribution of a take's parameters: what tests may compare a learned model with.

    `spread` gives each parameter's standard deviation about 0; `correlations` the correlations that are not 0, by pair.
    """

    spread: Mapping[str, float]
    correlations: Mapping[tuple[str, str], float]

    def __post_init__(self) -> None:
        if np.linalg.eigvalsh(self.correlation())[0] <= 0.0:
            raise UsageError("the correlations of a law must belong together: its matrix is not positive definite")

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters, in the order of the covariance's rows."""
        return tuple(self.spread)

    def correlation(self) -> Floats:
        """Correlation matrix of the parameters."""
        out = np.eye(len(self.spread))
        for (a, b), value in self.correlations.items():
            i, j = self.names.index(a), self.names.index(b)
            out[i, j] = out[j, i] = value
        return out

    def covariance(self) -> Floats:
        """Covariance matrix of the parameters at amount 1."""
        spread = np.array(list(self.spread.values()))
        return self.correlation() * np.outer(spread, spread)

    def draw(self, rng: np.random.Generator, amount: float = 1.0) -> Take:
        """The parameters of one take; `amount` scales all deviations (0: none)."""
        root = np.linalg.cholesky(self.covariance())
        values = amount * (root @ rng.standard_normal(len(self.spread)))
        return dict(zip(self.names, values.tolist(), strict=True))


class Wander:
    """A smooth stationary Gaussian process of time with standard deviation `spread` and correlation time `tau`.

    Its covariance is spread^2 * mean_k cos(w_k lag), close to spread^2 * exp(-lag^2 / (2 tau^2)): waves at the
    quantiles of a normal spectrum, whose amplitudes are independent and normal. The same function at every rate.
    """

    def __init__(self, rng: np.random.Generator, spread: float, tau: float, columns: int = 1) -> None:
        self.rates = spectrum() / tau
        self._sine, self._cosine = spread / np.sqrt(WAVES) * rng.standard_normal((2, WAVES, columns))

    def __call__(self, times: Floats) -> Floats:
        """Values (times, columns)."""
        angle = times[:, None] * self.rates
        return np.asarray(np.cos(angle) @ self._cosine + np.sin(angle) @ self._sine)

    def integral(self, times: Floats) -> Floats:
        """The integral from time 0 (times, columns), exactly."""
        angle = times[:, None] * self.rates
        cosine, sine = self._cosine / self.rates[:, None], self._sine / self.rates[:, None]
        return np.asarray(np.sin(angle) @ cosine + (1.0 - np.cos(angle)) @ sine)


def spectrum() -> Floats:
    """Angular rates of the waves for a correlation time of 1: quantiles of the half-normal distribution."""
    normal = NormalDist()
    return np.array([normal.inv_cdf(0.5 + 0.5 * (k + 0.5) / WAVES) for k in range(WAVES)])


def both(name: str) -> tuple[str, str]:
    """The names of a parameter that exists on both sides."""
    return f"{name}_left", f"{name}_right"
