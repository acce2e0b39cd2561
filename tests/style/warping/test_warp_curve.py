from __future__ import annotations

import numpy as np
import pytest

from freshtake.style.warping.motion_warping import steps_of
from freshtake.style.warping.warps import differential, read_rows, smooth_warp


def levels(seed: int, frames: int = 90) -> np.ndarray:
    repeats = np.random.default_rng(seed).integers(1, 5, frames)
    repeats[-1] += repeats.sum() % 2
    return differential(repeats, 2)


@pytest.mark.parametrize("deviation", [0.0, 1.0, 3.0, 50.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_curve_runs_from_end_to_end_and_never_back(deviation: float, seed: int) -> None:
    w = levels(seed)
    curve, steps = smooth_warp(w, deviation)
    assert curve[0] == 0.0
    assert curve[-1] == w.sum() - 1.0
    assert (np.diff(curve) > 0.0).all()
    assert steps.min() >= 0.5 - 1e-9
    assert steps.sum() == pytest.approx(w.sum())


def test_smoothing_keeps_an_even_pace_and_lessens_the_bias_of_logarithms() -> None:
    curve, steps = smooth_warp(np.full(40, 1.5), 3.0)
    np.testing.assert_allclose(steps, 1.5)
    np.testing.assert_allclose(curve, np.linspace(0.0, 59.0, 40))
    w = levels(1, 400)
    bias = [np.exp(np.log(steps).mean()) / w.mean() - 1.0 for steps in (w, smooth_warp(w, 3.0)[1])]
    assert bias[0] < -0.05
    assert abs(bias[1]) < 0.2 * abs(bias[0])


def test_rows_between_frames() -> None:
    rows = np.array([[0.0], [2.0], [6.0]])
    np.testing.assert_allclose(read_rows(rows, np.array([0.0, 0.5, 1.25, 2.0]))[:, 0], [0.0, 1.0, 3.0, 6.0])


def test_steps_of_pairs_of_frames() -> None:
    path = np.array([[0, 0], [1, 1], [1, 2], [2, 3], [4, 4]])
    steps = steps_of(path, 5)
    assert steps.sum() == 5.0
    np.testing.assert_allclose(np.cumsum(steps)[:-1] - 0.5, [0.75, 2.25, 3.25, 3.75])
