"""Eqs 7-8: the kernel against the integral of the paper."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from freshtake.numeric.arrays import Floats, Ints
from freshtake.style.columns import blend_curve, unlikeness
from freshtake.style.synthesize import UNBOUNDED
from freshtake.style.translation_kernels import Frames, blends_of


def mass_nearer(value: float, mean: float, deviation: float) -> float:
    """z of eq. 7 by its integral."""

    def density(x: float) -> float:
        return float(np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi)))

    away = abs(value - mean)
    return float(quad(density, mean - away, mean + away)[0])


def plain_frames(
    mean: Floats, deviation: Floats, reach: Floats, root: Ints, part: Ints, strength: Floats, preference: float
) -> Frames:
    return Frames(
        mean, deviation, mean, deviation, reach, root, part, UNBOUNDED, strength, 1.0 / 60.0, preference, True, True,
        0.0, 1.0, 0.0, 0.0,
    )  # fmt: skip


def weights(rows: Floats, reach: Floats, part: Ints, preference: float) -> Floats:
    """b* of eq. 8 as translation computes it, from rows in deviations: (rows, parts)."""
    zeros, ones = np.zeros(len(part) + 1), np.ones(len(part) + 1)
    root = np.array([-1, -1, -1], dtype=np.intp)  # no DOF is the speed
    parts = int(part.max()) + 1
    frames = plain_frames(zeros, ones, reach, root, part, np.ones(parts), preference)
    out = np.empty((len(rows), parts))
    for row, own in zip(rows, out, strict=True):
        blends_of(row, frames, own)
    return out


@pytest.mark.parametrize("value", [-3.0, 0.2, 1.0, 4.5])
def test_unlikeness_is_the_mass_of_the_gaussian_nearer_to_its_mean(value: float) -> None:
    mean, deviation = 0.7, 1.3
    assert unlikeness(abs(value - mean) / deviation) == pytest.approx(mass_nearer(value, mean, deviation), abs=1e-9)


def test_the_weight_is_the_largest_over_the_dofs_of_each_part() -> None:
    """Equation 8 as printed, with deviations k_c sigma = 1 / reach and every z by its integral."""
    rng = np.random.default_rng(0)
    rows = 3.0 * rng.normal(size=(12, 7))
    reach, part = rng.uniform(0.05, 0.5, 7), np.array([0, 1, 1, 0, 1, 1, 1])
    fast = weights(rows, reach, part, 30.0)
    for row, own in zip(rows, fast, strict=True):
        for k in range(2):
            slow = max(mass_nearer(row[d], 0.0, 1.0 / reach[d]) ** 30.0 for d in np.flatnonzero(part == k))
            assert own[k] == pytest.approx(slow, abs=1e-9)


def test_only_speeds_above_the_usual_or_backwards_are_unexpected() -> None:
    mean, deviation, unit = np.array([100.0]), np.array([10.0]), np.ones(1)
    root, part = np.array([0, -1, -1], dtype=np.intp), np.zeros(1, dtype=np.intp)
    frames = plain_frames(mean, deviation, unit, root, part, unit, 30.0)
    found = {}
    for speed in (0.0, 50.0, 100.0, 140.0, -40.0):
        out = np.empty(1)
        blends_of((np.array([speed]) - mean) / deviation, frames, out)
        found[speed] = out[0]
    assert found[0.0] == found[50.0] == found[100.0] == 0.0
    assert found[140.0] == pytest.approx(found[-40.0]) and found[140.0] > 0.99


def test_a_high_preference_lets_ordinary_input_pass_and_catches_what_is_far_off() -> None:
    rows, one = np.random.default_rng(1).normal(size=(2000, 74)), np.zeros(74, dtype=np.intp)
    ordinary = weights(rows, np.full(74, 0.5), one, 30.0)
    assert ordinary.mean() < 0.1
    literal = weights(rows, np.ones(74), one, 1.0)
    assert literal.mean() > 0.95  # the text to the letter would keep any input
    rows[:, 3] += 8.0
    assert weights(rows, np.full(74, 0.5), one, 30.0).mean() > 0.85


def test_curve_of_figure_4_is_symmetric_and_grows_with_distance() -> None:
    x, weight = blend_curve(2.0, 4.0)
    np.testing.assert_allclose(weight, weight[::-1], atol=1e-12)
    assert weight[len(x) // 2] == 0.0
    assert (np.diff(weight[len(x) // 2 :]) >= 0.0).all()
