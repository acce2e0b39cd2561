"""Smoothing against scipy, and points on polylines."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from freshtake.numeric.curves import MODES, gaussian_filter1d, nearest_on, point_on


@pytest.mark.parametrize("mode", list(MODES))
@pytest.mark.parametrize("deviation", [0.05, 0.7, 3.0, 20.0])
@pytest.mark.parametrize("axis", [0, 1])
def test_it_is_scipys(mode: str, deviation: float, axis: int) -> None:
    values = np.random.default_rng(3).normal(size=(31, 17, 2))
    wanted = ndimage.gaussian_filter1d(values, deviation, axis=axis, mode=mode)
    np.testing.assert_array_equal(gaussian_filter1d(values, deviation, axis=axis, mode=mode), wanted)


def test_rows_alone() -> None:
    values = np.random.default_rng(3).normal(size=50)
    np.testing.assert_array_equal(gaussian_filter1d(values, 2.0), ndimage.gaussian_filter1d(values, 2.0))


def test_points_on_a_path() -> None:
    path = np.array([[0.0, 0.0], [0.0, 10.0], [10.0, 10.0]])
    np.testing.assert_allclose(point_on(path, 6.0), [0.0, 6.0])
    np.testing.assert_allclose(point_on(path, 12.0), [2.0, 10.0])
    np.testing.assert_allclose(point_on(path, 23.0), [13.0, 10.0])
    assert nearest_on(path, np.array([3.0, 4.0]), 0.0, 20.0) == pytest.approx(4.0)
    assert nearest_on(path, np.array([3.0, 4.0]), 6.0, 20.0) == pytest.approx(6.0)
    assert nearest_on(path, np.array([25.0, 11.0]), 15.0, 45.0) == pytest.approx(35.0)
    ring = np.array([[0.0, 0.0], [0.0, 10.0], [10.0, 10.0], [10.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(point_on(ring, 93.0), [3.0, 10.0])
    assert nearest_on(ring, np.array([-1.0, 2.0]), 35.0, 55.0) == pytest.approx(42.0)
