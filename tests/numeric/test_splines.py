"""Cubic B-splines against scipy's."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import BSpline

from freshtake.numeric.splines import spline_weights


def test_weights_are_those_of_a_b_spline() -> None:
    hump = BSpline.basis_element(np.arange(5.0))
    for t in (0.0, 0.1, 0.5, 0.99):
        np.testing.assert_allclose(spline_weights(t), [hump(3.0 + t - k) for k in range(4)], atol=1e-15)
        assert abs(sum(spline_weights(t)) - 1.0) < 1e-15
