"""A cubic through values against scipy's."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from freshtake.numeric.smooth_path import cubic_weights


def test_a_cubic_through_four_values_has_the_slopes_of_their_neighbours() -> None:
    values = np.array([0.3, -1.0, 2.0, 0.7])
    curve = CubicHermiteSpline([0.0, 1.0], values[1:3], [(values[2] - values[0]) / 2, (values[3] - values[1]) / 2])
    for t in (0.0, 0.1, 0.5, 0.99):
        assert abs(cubic_weights(t) @ values - curve(t)) < 1e-14
