"""Eqs 7-8: by integral, by the kernel, and on motions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from freshtake.style.generalization import blend_curve, blend_weights, unlikeness
from freshtake.style.translation_kernels import Frames, blends_of


@pytest.mark.parametrize("value", [-3.0, 0.2, 1.0, 4.5])
def test_unlikeness_is_the_mass_of_the_gaussian_nearer_to_its_mean(value: float) -> None:
    mean, deviation = 0.7, 1.3

    def density(x: float) -> float:
        return float(np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi)))

    away = abs(value - mean)
    mass, _ = quad(density, mean - away, mean + away)
    assert unlikeness(value, mean, deviation) == pytest.approx(mass, abs=1e-9)


def test_the_kernel_gives_the_largest_weight_over_the_dofs_of_each_part() -> None:
    rng = np.random.default_rng(0)
    rows = 3.0 * rng.normal(size=(50, 7))
    reach, part = rng.uniform(0.1, 1.0, 7), np.array([0, 1, 1, 0, 1, 1, 1])
    zeros, ones = np.zeros(8), np.ones(8)
    numbers = np.full(8, 30.0)
    root = np.array([-1, -1, -1], dtype=np.intp)  # no DOF is the speed
    frames = Frames(zeros, ones, zeros, ones, 0.5 * reach, numbers, root, part.astype(np.intp), np.ones(2))
    for row in rows:
        fast = np.empty(2)
        blends_of(row, frames, fast)
        for k in range(2):
            mine = part == k
            slow = blend_weights(row[None, mine], np.zeros(mine.sum()), 1.0 / reach[mine], 2.0, 30.0)[0]
            assert fast[k] == pytest.approx(slow, abs=1e-12)


def test_only_speeds_above_the_usual_or_backwards_are_unexpected() -> None:
    mean, deviation, unit = np.array([100.0]), np.array([10.0]), np.ones(1)
    root, part = np.array([0, -1, -1], dtype=np.intp), np.zeros(1, dtype=np.intp)
    frames = Frames(mean, deviation, mean, deviation, unit, np.full(8, 30.0), root, part, unit)
    weights = {}
    for speed in (0.0, 50.0, 100.0, 140.0, -40.0):
        out = np.empty(1)
        blends_of((np.array([speed]) - mean) / deviation, frames, out)
        weights[speed] = out[0]
    assert weights[0.0] == weights[50.0] == weights[100.0] == 0.0
    assert weights[140.0] == pytest.approx(weights[-40.0]) and weights[140.0] > 0.99


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
