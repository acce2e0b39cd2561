"""Probabilities and quantiles of Student's t and of F, by the incomplete beta function."""

from functools import cache
from math import lgamma, sqrt

import numpy as np
import numpy.typing as npt

from freshtake.numeric.arrays import Floats

TINY = 1e-300


def incomplete_beta(a: float, b: float, x: npt.ArrayLike) -> Floats:
    """Compute the regularized incomplete beta function I_x(a, b) for a, b above 0 and x from 0 to 1, of any shape."""
    values = np.clip(np.asarray(x, dtype=np.float64), 0.0, 1.0)
    # The fraction converges fast below the mean of the distribution; above it, the other tail is computed.
    lower = values < (a + 1.0) / (a + b + 2.0)
    return np.asarray(np.where(lower, _tail(a, b, values, lower), 1.0 - _tail(b, a, 1.0 - values, ~lower)))


def _tail(a: float, b: float, x: Floats, needed: npt.NDArray[np.bool_]) -> Floats:
    """Compute I_x(a, b) where it is `needed`, by Lentz's method for its continued fraction."""
    x = np.where(needed, x, 0.0)
    with np.errstate(divide="ignore"):
        front = np.exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * np.log(x) + b * np.log1p(-x)) / a
    above, below = np.ones_like(x), 1.0 / (1.0 - (a + b) / (a + 1.0) * x)
    fraction = below.copy()
    # The bound ends the loop for arguments that do not converge.
    for m in range(1, 10_000):
        even = m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m)) * x
        odd = -(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1)) * x
        for term in (even, odd):
            below = 1.0 / _not_zero(1.0 + term * below)
            above = _not_zero(1.0 + term / above)
            fraction *= above * below
        # A factor this near to 1 has no further effect.
        if np.abs(above * below - 1.0).max(initial=0.0) < 1e-15:
            break
    return np.asarray(front * fraction)


def _not_zero(values: Floats) -> Floats:
    return np.where(np.abs(values) < TINY, TINY, values)


def f_beyond(between: float, within: float, f: npt.ArrayLike) -> Floats:
    """Compute the probability of an F at least as large as `f`, with these degrees of freedom."""
    return incomplete_beta(0.5 * within, 0.5 * between, within / (within + between * np.asarray(f, dtype=np.float64)))


def student_beyond(freedom: float, t: float) -> float:
    """Compute the probability of a t at least as far from 0 as `t`, to either side."""
    return float(incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + t * t)))


@cache
def student_quantile(freedom: float, share: float) -> float:
    """Find the t below which this fraction of the distribution is, by bisection down to adjacent numbers."""
    both_tails = 2.0 * min(share, 1.0 - share)
    low, high = 0.0, 1.0
    while low < (middle := 0.5 * (low + high)) < high:
        if float(incomplete_beta(0.5 * freedom, 0.5, middle)) < both_tails:
            low = middle
        else:
            high = middle
    t = sqrt(freedom * (1.0 - high) / max(high, TINY))
    return t if share > 0.5 else -t
