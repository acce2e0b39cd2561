"""The Gaussian of one node given its parents, by kernel regression (Lau 2009, §5.2, eq. 5-6)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled

PASSES = 20  # before equal values are suspected
SHORT = 4.0  # how far `decay` is exact


FLOOR = 1e-6  # of a variance, as a share of the node's variance over all instances


class Regression(NamedTuple):
    """The numbers that kernel regression needs (Lau 2009, §5.2)."""

    neighbors: int
    width: float
    adaptive: bool
    velocity_weight: float


@compiled
def kth_smallest(values: Floats, count: int, k: int, guess: float) -> float:
    """The k-th smallest (from 1) of the first `count` values, none of them negative.

    Counts how many lie below a threshold, beginning at the guess, and moves the threshold until it is k: each count
    is one pass without branches. A good guess needs about four; a bad one costs time but not exactness.
    """
    if k >= count:
        return values[:count].max()
    low, high, fewer, more, threshold = 0.0, np.inf, 0, count, guess
    for turn in range(PASSES):
        below = 0
        for j in range(count):
            below += values[j] <= threshold
        if below == k:
            return _largest_up_to(values, count, threshold)
        if below < k:
            low, fewer = threshold, below
        else:
            high, more = threshold, below
        if high == np.inf:
            threshold = low * min(2.0, (k + 0.5) / max(below, 1))
        elif turn % 3 == 2:
            threshold = 0.5 * (low + high)
        else:
            threshold = low + (high - low) * (k + 0.5 - fewer) / (more - fewer + 1.0)
        if not low < threshold < high:
            break
    return _next_values(values, count, k, low if fewer > 0 else -np.inf)


@compiled
def _largest_up_to(values: Floats, count: int, threshold: float) -> float:
    out = -np.inf
    for j in range(count):
        x = values[j]
        out = max(out, x if x <= threshold else -np.inf)
    return out


@compiled
def _next_values(values: Floats, count: int, k: int, low: float) -> float:
    """The k-th smallest by going up value by value from `low`, which fewer than k values do not exceed."""
    while True:
        following, below = np.inf, 0
        for j in range(count):
            if values[j] > low:
                following = min(following, values[j])
        for j in range(count):
            below += values[j] <= following
        if below >= k:
            return following
        low = following


@compiled
def decay(x: float) -> float:
    """exp(x) for -SHORT <= x <= 0 to 1e-14: (Taylor polynomial of x / 32)^32, so that loops over it are vectorized."""
    y = x / 32.0
    p = 1 / 5040 + y * (1 / 40320 + y * (1 / 362880 + y / 3628800))
    p = 1 / 6 + y * (1 / 24 + y * (1 / 120 + y * (1 / 720 + y * p)))
    p = 1.0 + y * (1.0 + y * (0.5 + y * p))
    p *= p
    p *= p
    p *= p
    p *= p
    return p * p


@compiled
def weigh(squared: Floats, count: int, limit: float, width: float, adaptive: bool, weights: Floats) -> int:
    """Weights of `count` instances from their squared parent distances, 0 beyond `limit`, the k-th of them.

    w_k = exp(-D_k^2 / K_W^2)                                   (Lau 2009, eq. 5)

    relative to the nearest instance: their ratio is all that counts, and nothing underflows. `width` is K_W, or,
    when adaptive, the share of the k-th squared distance that K_W^2 is. Returns n_k, how many are not 0.
    """
    scale = max(width * limit if adaptive else width * width, 1e-300)
    nearest = np.inf
    for j in range(count):
        nearest = min(nearest, squared[j])
    positive = 0
    if limit - nearest <= SHORT * scale:
        for j in range(count):
            x = (nearest - squared[j]) / scale
            weights[j] = decay(x) if squared[j] <= limit else 0.0
    else:
        for j in range(count):
            weights[j] = np.exp((nearest - squared[j]) / scale) if squared[j] <= limit else 0.0
    for j in range(count):
        positive += weights[j] > 0.0
    return positive


@compiled
def weighted_mean(weights: Floats, targets: Floats, count: int) -> float:
    """mu = sum w x / sum w   (Lau 2009, eq. 6)."""
    total, mean = 0.0, 0.0
    for j in range(count):
        total += weights[j]
        mean += weights[j] * targets[j]
    return mean / total


@compiled
def weighted_variance(weights: Floats, targets: Floats, count: int, mean: float, positive: int, floor: float) -> float:
    """var = n_k / (n_k - 1) * sum w (x - mu)^2 / sum w   (Lau 2009, eq. 6).

    The variance has a floor: instances that agree exactly would make likelihoods infinite.
    """
    total, variance = 0.0, 0.0
    for j in range(count):
        difference = targets[j] - mean
        total += weights[j]
        variance += weights[j] * difference * difference
    return max(variance / total * (positive / (positive - 1.0) if positive > 1 else 1.0), floor)


@compiled
def weighted_gaussian(
    squared: Floats, targets: Floats, count: int, limit: float, rule: Regression, floor: float, weights: Floats
) -> tuple[float, float]:
    """Mean and variance of `count` targets, weighed by squared distances up to `limit`; `weights` is filled."""
    positive = weigh(squared, count, limit, rule.width, rule.adaptive, weights)
    mean = weighted_mean(weights, targets, count)
    return mean, weighted_variance(weights, targets, count, mean, positive, floor)


@compiled
def gaussian(
    squared: Floats,
    targets: Floats,
    count: int,
    rule: Regression,
    floor: float,
    scratch: Floats,
) -> tuple[float, float]:
    """Mean and variance of a node from squared parent distances and target values of `count` instances."""
    limit = kth_smallest(squared, count, rule.neighbors, squared[:count].mean())
    return weighted_gaussian(squared, targets, count, limit, rule, floor, scratch)


@compiled
def log_density(x: float, mean: float, variance: float) -> float:
    """Logarithm of the normal density."""
    return -0.5 * (np.log(2.0 * np.pi * variance) + (x - mean) * (x - mean) / variance)


def log_densities(x: Floats, mean: Floats, variance: Floats, unit: Floats | float = 1.0) -> Floats:
    """Logarithms of normal densities of arrays of values, measured in `unit`s."""
    gap = (x - mean) / unit
    spread = variance / (unit * unit)
    out: Floats = -0.5 * (np.log(2.0 * np.pi * spread) + gap * gap / spread)
    return out
