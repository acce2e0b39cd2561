"""Our Gaussian against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from freshtake.numeric.curves import MODES, gaussian_filter1d


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
