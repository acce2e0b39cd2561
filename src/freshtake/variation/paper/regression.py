"""The Gaussian of one node given its parents, by kernel regression (Lau 2009, §5.2, eq. 5-6)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled

PASSES = 20  # of the threshold search, before equal values are suspected
NEGLIGIBLE, UNDERFLOW = 40.0, 745.0  # exp(-x): below what changes a sum in double precision, and 0
FLOOR = 1e-6  # of a variance, as a share of the node's variance over all instances


class Rule(NamedTuple):
    """The numbers of the regression: k, K_W and the weight of the velocity term."""

    neighbors: int
    width: float
    velocity_weight: float


@compiled
def kth_smallest(values: Floats, k: int, guess: float) -> float:
    """Return the k-th smallest (from 1) of values that are not negative.

    Counts how many lie below a threshold and moves the threshold until it is k: each count is one pass without
    branches. A good guess needs about four passes; a bad one costs time but not exactness.
    """
    count = len(values)
    if k >= count:
        return float(values.max())
    low, high, fewer, more, threshold = 0.0, np.inf, 0, count, guess
    for turn in range(PASSES):
        below = 0
        for j in range(count):
            below += values[j] <= threshold
        if below == k:
            out = -np.inf
            for j in range(count):
                out = max(out, values[j] if values[j] <= threshold else -np.inf)
            return out
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
    # Equal values, or a threshold that no longer moves: sorting settles it.
    return float(np.sort(values)[k - 1])


@compiled
def nearest_of(values: Floats) -> int:
    """Return the place of the least value: argmin with four running minima, which the processor works on at once."""
    a, b, c, d = np.inf, np.inf, np.inf, np.inf
    whole = len(values) - len(values) % 4
    for j in range(0, whole, 4):
        a, b = min(a, values[j]), min(b, values[j + 1])
        c, d = min(c, values[j + 2]), min(d, values[j + 3])
    for j in range(whole, len(values)):
        a = min(a, values[j])
    least = min(min(a, b), min(c, d))
    for j in range(len(values)):
        if values[j] == least:
            return j
    return 0


@compiled
def gaussian(squared: Floats, targets: Floats, rule: Rule, floor: float, weights: Floats) -> tuple[float, float, int]:
    """Return mean and variance of a node, and its nearest instance, from squared parent distances and targets.

    w_k = exp(-D_k^2 / K_W^2)                                     (Lau 2009, eq. 5)
    mu = sum w x / sum w                                          (Lau 2009, eq. 6)
    var = n_k / (n_k - 1) * sum w (x - mu)^2 / sum w

    over the k nearest instances, n_k of them with a weight above 0. Weights are relative to the nearest instance:
    only their ratios count, and far from all instances nothing underflows. The variance has a floor, because
    instances that agree exactly would make likelihoods infinite. `weights` is filled.
    """
    nearest = nearest_of(squared)
    least = squared[nearest]
    scale = max(rule.width * rule.width, 1e-300)
    near, countable, positive = least + NEGLIGIBLE * scale, least + UNDERFLOW * scale, 0
    significant = 0
    for j in range(len(squared)):
        significant += squared[j] <= near
        positive += squared[j] <= countable
    # The k-th distance has to be found only where more than k instances have weights that change a sum.
    limit = near
    if significant > rule.neighbors:
        limit = kth_smallest(squared, rule.neighbors, near)
    positive = min(positive, rule.neighbors)
    total, mean = 0.0, 0.0
    for j in range(len(squared)):
        weights[j] = 0.0
        if squared[j] <= limit:
            weights[j] = np.exp((least - squared[j]) / scale)
            total += weights[j]
            mean += weights[j] * targets[j]
    mean /= total
    variance = 0.0
    for j in range(len(squared)):
        if weights[j] > 0.0:
            variance += weights[j] * (targets[j] - mean) * (targets[j] - mean)
    variance = variance / total * (positive / (positive - 1.0) if positive > 1 else 1.0)
    return mean, max(variance, floor), nearest


@compiled
def log_density(x: float, mean: float, variance: float) -> float:
    """Return the logarithm of the normal density."""
    return float(-0.5 * (np.log(2.0 * np.pi * variance) + (x - mean) * (x - mean) / variance))
