"""Chances and quantiles against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from freshtake.numeric.distributions import (
    f_beyond,
    incomplete_beta,
    student_beyond,
    student_quantile,
)

SIZES = [0.5, 1.0, 2.0, 3.7, 12.0, 60.0, 700.0]


@pytest.mark.parametrize("a", SIZES)
@pytest.mark.parametrize("b", SIZES)
def test_the_incomplete_beta_function_is_scipys(a: float, b: float) -> None:
    x = np.concatenate([np.linspace(0.0, 1.0, 41), [1e-9, 1.0 - 1e-9, a / (a + b)]])
    np.testing.assert_allclose(incomplete_beta(a, b, x), special.betainc(a, b, x), rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("freedom", [(1, 4), (4.0, 12.0), (8.0, 24.0), (3, 200)])
def test_tails_of_f_are_scipys(freedom: tuple[float, float]) -> None:
    f = np.array([[0.0, 0.3, 1.0], [4.0, 30.0, 1e4]])
    np.testing.assert_allclose(f_beyond(*freedom, f), special.fdtrc(*freedom, f), rtol=1e-10)


@pytest.mark.parametrize("freedom", [1, 2, 4.5, 30, 1000])
def test_students_tails_and_quantiles_are_scipys(freedom: float) -> None:
    for t in (0.0, 0.2, -1.7, 12.0):
        assert student_beyond(freedom, t) == pytest.approx(2.0 * special.stdtr(freedom, -abs(t)), rel=1e-10)
    for share in (0.001, 0.05, 0.4, 0.5, 0.8, 0.975, 0.9995):
        assert student_quantile(freedom, share) == pytest.approx(special.stdtrit(freedom, share), rel=1e-8, abs=1e-7)
