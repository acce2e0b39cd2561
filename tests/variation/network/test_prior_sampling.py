"""Samples of the prior network against a distribution that is known."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.variation.network.instances import PriorInstances
from freshtake.variation.network.networks import PriorNetwork
from freshtake.variation.network.prior_sampling import sample_prior
from freshtake.variation.network.regression import Regression

NAMES = ("a", "b")
# a[0] -> b[0], a[0] -> a[1], b[0] -> b[1]: x = mean + effects, linear with Gaussian noise
NETWORK = PriorNetwork(NAMES, ((), (0,), (0,), (1,)))
SLOPES = {1: (0, 0.8), 2: (0, -0.6), 3: (1, 0.5)}
NOISE = np.array([1.0, 0.6, 0.5, 0.7])


def linear_gaussian(count: int, rng: np.random.Generator) -> np.ndarray:
    x = rng.normal(size=(count, 4)) * NOISE
    for node, (parent, slope) in SLOPES.items():
        x[:, node] += slope * x[:, parent]
    return x + np.array([1.0, -2.0, 0.5, 3.0])


def truth() -> tuple[np.ndarray, np.ndarray]:
    mixing = np.eye(4)
    for node, (parent, slope) in SLOPES.items():
        mixing[node] += slope * mixing[parent]
    return np.array([1.0, -2.0, 0.5, 3.0]), (mixing * NOISE**2) @ mixing.T


def test_samples_have_the_mean_and_covariance_of_a_linear_gaussian() -> None:
    """The bound is six standard errors of 1,500 samples plus those of the 6,000 instances that they are drawn from."""
    rng = np.random.default_rng(0)
    count, drawn = 6000, 1500
    instances = PriorInstances(linear_gaussian(count, rng), np.zeros(count, dtype=np.intp))
    rule = Regression(count, 0.15, False, 0.0)  # all instances, a narrow fixed kernel
    x = np.array(
        [
            np.concatenate(sample_prior(NETWORK, instances, np.ones(2), rule, rng.standard_normal(4), delta=False))
            for _ in range(drawn)
        ]
    )
    mean, covariance = truth()
    several = 6.0 * np.sqrt(1 / drawn + 1 / count)
    assert (np.abs(x.mean(axis=0) - mean) < several * np.sqrt(np.diag(covariance))).all()
    error = several * np.sqrt(covariance**2 + np.outer(np.diag(covariance), np.diag(covariance)))
    assert (np.abs(np.cov(x.T) - covariance) < error).all()
    assert abs(covariance[0, 1]) > 2 * error[0, 1]  # or the test could not see a missing edge


def test_without_noise_it_is_the_mean_start() -> None:
    values = linear_gaussian(300, np.random.default_rng(1))
    instances = PriorInstances(values, np.zeros(300, dtype=np.intp))
    rule = Regression(20, 0.3, True, 0.0)
    first, _ = sample_prior(NETWORK, instances, np.ones(2), rule, np.zeros(4), delta=False)
    assert first[0] == pytest.approx(values[:, 0].mean())


def test_a_delta_is_added_to_the_first_frame() -> None:
    values = linear_gaussian(300, np.random.default_rng(1))
    instances = PriorInstances(values, np.zeros(300, dtype=np.intp))
    rule = Regression(20, 0.3, True, 0.0)

    def start(delta: bool) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(3)
        return sample_prior(NETWORK, instances, np.ones(2), rule, rng.standard_normal(4), delta=delta)

    (first, second), (same, moved) = start(False), start(True)
    np.testing.assert_array_equal(first, same)
    np.testing.assert_allclose(moved, first + second)
