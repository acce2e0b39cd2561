"""Smoothed and Perlin noise by their laws: unit variance, smoothness, band, zeros on the lattice."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.evaluation.baselines.drafts import fade, gradient_noise, mean_square, perlin_noise, smoothed_noise
from freshtake.numeric.arrays import Floats


def test_smoothed_noise_has_unit_variance_at_every_frame_and_the_gaussian_s_correlation() -> None:
    width, columns = 5.0, 20_000
    noise = smoothed_noise(np.random.default_rng(1), 30, columns, width)
    assert noise.shape == (30, columns)
    assert np.abs((noise**2).mean(axis=1) - 1.0).max() < 6 * np.sqrt(2 / columns)
    assert np.abs(noise.mean(axis=1)).max() < 6 / np.sqrt(columns)
    for lag in (1, 5, 12):  # two Gaussians of this width convolved have the width times sqrt(2)
        found = (noise[lag:] * noise[:-lag]).mean()
        assert found == pytest.approx(np.exp(-(lag**2) / (4 * width**2)), abs=0.01)


def slow_perlin(gradients: Floats, x: float) -> float:
    i = int(np.floor(x))
    t = x - i
    left, right = gradients[i] * t, gradients[i + 1] * (t - 1)
    return float(left + (6 * t**5 - 15 * t**4 + 10 * t**3) * (right - left))


def test_gradient_noise_equals_the_formula_point_by_point() -> None:
    rng = np.random.default_rng(2)
    gradients, places = rng.uniform(-1, 1, size=(9, 2)), rng.uniform(0, 8, size=200)
    found = gradient_noise(gradients, np.stack([places, places[::-1]], axis=1))
    for column, own in enumerate((places, places[::-1])):
        assert np.allclose(found[:, column], [slow_perlin(gradients[:, column], x) for x in own], atol=1e-14)


def test_gradient_noise_vanishes_on_the_lattice_with_the_gradients_as_slopes() -> None:
    gradients = np.random.default_rng(3).uniform(-1, 1, size=(7, 1))
    points = np.arange(6.0)[:, None]
    assert np.abs(gradient_noise(gradients, points)).max() == 0.0
    h = 1e-6
    slopes = (gradient_noise(gradients, points[1:] + h) - gradient_noise(gradients, points[1:] - h)) / (2 * h)
    assert np.allclose(slopes, gradients[1:6], atol=1e-5)
    ends = fade(np.array([0.0, 1.0, 0.5]))
    assert ends.tolist() == [0.0, 1.0, 0.5]


def test_perlin_noise_has_unit_variance_on_average() -> None:
    noise = perlin_noise(np.random.default_rng(4), 400, 400, 20.0, 3, 0.5)
    assert (noise**2).mean() == pytest.approx(1.0, abs=0.03)
    assert mean_square() == pytest.approx(np.mean(brute_squares()), rel=0.02)


def brute_squares() -> Floats:
    rng = np.random.default_rng(5)
    return np.asarray(gradient_noise(rng.uniform(-1, 1, size=(40_001, 1)), rng.uniform(0, 40_000, (200_000, 1))) ** 2)


@pytest.mark.parametrize("octaves", [1, 2, 4])
def test_perlin_noise_is_band_limited(octaves: int) -> None:
    spacing, frames = 32.0, 4096
    noise = perlin_noise(np.random.default_rng(6), frames, 40, spacing, octaves, 0.5)
    power = (np.abs(np.fft.rfft(noise * np.hanning(frames)[:, None], axis=0)) ** 2).sum(axis=1)
    frequency = np.fft.rfftfreq(frames)
    top = 2.0**octaves / spacing  # twice the lattice frequency of the finest octave
    assert power[frequency > 1.1 * top].sum() < 0.01 * power.sum()
    assert power[frequency < 0.2 / spacing].sum() < 0.1 * power.sum()


def test_columns_are_independent_and_the_seed_decides() -> None:
    noise = perlin_noise(np.random.default_rng(7), 3000, 6, 10.0, 2, 0.5)
    apart = np.corrcoef(noise.T) - np.eye(6)
    assert np.abs(apart).max() < 0.2
    again = perlin_noise(np.random.default_rng(7), 3000, 6, 10.0, 2, 0.5)
    assert np.array_equal(noise, again)
