"""The inputs of the systems are smoothed."""

from __future__ import annotations

import numpy as np

from freshtake.style.translation_kernels import calmed

DT = 1.0 / 60.0


def test_calming_keeps_what_stands_and_takes_away_what_shakes() -> None:
    steady = np.full((50, 2), 3.0)
    np.testing.assert_allclose(calmed(steady, np.full((2, 2), 3.0), 0.03, DT), steady)
    shaking = np.tile([[1.0], [-1.0]], (100, 1))
    assert np.abs(calmed(shaking, np.zeros((2, 1)), 0.03, DT)[50:]).max() < 0.1
    np.testing.assert_array_equal(calmed(shaking, np.zeros((2, 1)), 0.0, DT), shaking)
