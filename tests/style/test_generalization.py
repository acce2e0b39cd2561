"""Eqs 7-8: by integral, by the kernel, and on motions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from freshtake.style.generalization import blend_curve, blend_weights, unlikeness
from freshtake.style.translation_kernels import blend_of


@pytest.mark.parametrize("value", [-3.0, 0.2, 1.0, 4.5])
def test_unlikeness_is_the_mass_of_the_gaussian_nearer_to_its_mean(value: float) -> None:
    mean, deviation = 0.7, 1.3

    def density(x: float) -> float:
        return float(np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi)))

    away = abs(value - mean)
    mass, _ = quad(density, mean - away, mean + away)
    assert unlikeness(value, mean, deviation) == pytest.approx(mass, abs=1e-9)


def test_the_kernel_gives_the_largest_weight_over_dofs() -> None:
    rng = np.random.default_rng(0)
    rows = 3.0 * rng.normal(size=(50, 7))
    reach = rng.uniform(0.1, 1.0, 7)
    slow = blend_weights(rows, np.zeros(7), 1.0 / reach, 2.0, 30.0)
    fast = [blend_of(row, reach, 2.0, 30.0) for row in rows]
    np.testing.assert_allclose(fast, slow, atol=1e-12)
    assert slow.min() >= 0.0 and slow.max() < 1.0 + 1e-12


def test_defaults_let_ordinary_input_pass_and_catch_what_is_far_off() -> None:
    rows = np.random.default_rng(1).normal(size=(2000, 74))
    ordinary = blend_weights(rows, np.zeros(74), np.ones(74))
    assert ordinary.mean() < 0.1
    literal = blend_weights(rows, np.zeros(74), np.ones(74), 1.0, 1.0)
    assert literal.mean() > 0.95  # the text to the letter would keep any input
    rows[:, 3] += 8.0
    assert blend_weights(rows, np.zeros(74), np.ones(74)).mean() > 0.85


def test_curve_of_figure_4_is_symmetric_and_grows_with_distance() -> None:
    x, weight = blend_curve(2.0, 4.0)
    np.testing.assert_allclose(weight, weight[::-1], atol=1e-12)
    assert weight[len(x) // 2] == 0.0
    assert (np.diff(weight[len(x) // 2 :]) >= 0.0).all()
