"""The Gaussian of one node against its slow twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshtake.variation.network.regression import (
    SHORT,
    Regression,
    decay,
    gaussian,
    kth_smallest,
    log_density,
    weigh,
    weighted_mean,
    weighted_variance,
)
from tests.variation.twins import slow_gaussian, slow_log_density


@given(
    st.lists(st.sampled_from([0.0, 1e-300, 0.5, 1.0, 2.0, 3.5, 7.0, 1e300, np.inf]), min_size=1, max_size=40),
    st.integers(1, 60),
    st.sampled_from([0.0, 1e-9, 1.0, 3.0, 1e9, np.inf]),
)
def test_kth_smallest_is_that_of_a_sort(values: list[float], k: int, guess: float) -> None:
    """Many ties and any guess; k beyond the number of values means the largest."""
    x = np.array(values)
    assert kth_smallest(x, len(x), k, guess) == np.sort(x)[min(k, len(x)) - 1]


@pytest.mark.parametrize("seed", range(20))
def test_kth_smallest_of_many_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.chisquare(rng.integers(1, 6), 500) * 10.0 ** rng.integers(-6, 6)
    for k in (1, 15, 250, 499, 500):
        assert kth_smallest(x, 500, k, float(rng.choice(x))) == np.sort(x)[k - 1]


def test_kth_smallest_leaves_its_input_alone_and_sees_only_the_first_values() -> None:
    x = np.array([5.0, 4.0, 3.0, 1.0])
    assert kth_smallest(x, 3, 1, 2.0) == 3.0
    assert x.tolist() == [5.0, 4.0, 3.0, 1.0]


def test_decay_is_exp() -> None:
    x = np.linspace(-SHORT, 0.0, 1001)
    np.testing.assert_allclose([decay(v) for v in x], np.exp(x), rtol=1e-14)


@pytest.mark.parametrize("adaptive", [True, False])
@pytest.mark.parametrize("neighbors", [2, 7, 50, 500])
@pytest.mark.parametrize("seed", range(4))
def test_mean_and_variance_are_those_of_the_paper(adaptive: bool, neighbors: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = 60
    squared, targets = rng.chisquare(3, count), rng.normal(size=count)
    width = 0.4 if adaptive else 1.3
    mean, variance = gaussian(
        squared, targets, count, Regression(neighbors, width, adaptive, 0.0), 0.0, np.empty(count)
    )
    slow_mean, slow_variance = slow_gaussian(squared, targets, neighbors, width, adaptive)
    assert mean == pytest.approx(slow_mean, rel=1e-12)
    assert variance == pytest.approx(slow_variance, rel=1e-12)


def test_instances_beyond_the_count_do_not_matter() -> None:
    squared, targets = np.array([0.1, 0.2, 0.4, 0.0]), np.array([1.0, 2.0, 4.0, 1e9])
    mean, _ = gaussian(squared, targets, 3, Regression(3, 0.5, True, 0.0), 0.0, np.empty(4))
    assert mean == pytest.approx(slow_gaussian(squared[:3], targets[:3], 3, 0.5, True)[0])


def test_equal_distances_give_the_plain_mean_and_the_unbiased_variance() -> None:
    """Equation 6 with equal weights: n / (n - 1) times the mean square is the usual variance of a sample."""
    targets = np.array([1.0, 2.0, 4.0, 9.0])
    mean, variance = gaussian(np.ones(4), targets, 4, Regression(4, 0.3, True, 0.0), 0.0, np.empty(4))
    assert mean == pytest.approx(targets.mean())
    assert variance == pytest.approx(targets.var(ddof=1))


def test_weights_that_underflow_are_not_counted() -> None:
    """n_k is the number of non-zero weights (Lau 2009, below eq. 6)."""
    squared, targets = np.array([0.0, 0.0, 1e9]), np.array([1.0, 3.0, 1000.0])
    _, variance = gaussian(squared, targets, 3, Regression(3, 1.0, False, 0.0), 0.0, np.empty(3))
    assert variance == pytest.approx(np.var([1.0, 3.0], ddof=1))


def test_far_instances_alone_still_give_a_mean() -> None:
    """All weights as printed would underflow to 0 / 0."""
    squared, targets = np.array([1e6, 1e6 + 1.0]), np.array([1.0, 3.0])
    mean, variance = gaussian(squared, targets, 2, Regression(2, 1.0, False, 0.0), 0.0, np.empty(2))
    w = np.exp(-1.0)
    assert mean == pytest.approx((1.0 + 3.0 * w) / (1.0 + w))
    assert np.isfinite(variance)


def test_the_variance_has_a_floor() -> None:
    assert gaussian(np.zeros(5), np.ones(5), 5, Regression(5, 0.3, True, 0.0), 0.01, np.empty(5)) == (1.0, 0.01)


def test_log_density_integrates_to_one_and_equals_the_formula() -> None:
    x = np.linspace(-9.0, 11.0, 4001)
    values = np.array([log_density(v, 1.0, 2.5) for v in x])
    assert np.trapezoid(np.exp(values), x) == pytest.approx(1.0, abs=1e-6)
    assert values[2100] == pytest.approx(slow_log_density(x[2100], 1.0, 2.5))


@pytest.mark.parametrize("width", [0.1, 3.0])
def test_instances_beyond_the_limit_weigh_nothing(width: float) -> None:
    """Also where weights fall off so fast that the quick exponential is not used."""
    squared = np.array([4.0, 0.5, 1.0, 9.0, 0.7])
    weights = np.empty(5)
    positive = weigh(squared, 5, 1.0, width, False, weights)
    slow = np.where(squared <= 1.0, np.exp((0.5 - squared) / width**2), 0.0)
    np.testing.assert_allclose(weights, slow, rtol=1e-12)
    assert positive == 3


def test_weighted_mean_and_variance_are_those_of_eq_6() -> None:
    weights, targets = np.array([0.5, 2.0, 0.0, 1.0, 9.9]), np.array([1.0, -2.0, 50.0, 3.0, 7.0])
    used = weights[:4], targets[:4]
    mean = np.average(used[1], weights=used[0])
    assert weighted_mean(weights, targets, 4) == pytest.approx(mean)
    variance = 3 / 2 * np.average((used[1] - mean) ** 2, weights=used[0])
    assert weighted_variance(weights, targets, 4, mean, 3, 0.0) == pytest.approx(variance)
    assert weighted_variance(weights, targets, 1, 1.0, 1, 0.25) == 0.25
