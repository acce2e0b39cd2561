from __future__ import annotations

import numpy as np
import pytest

from freshtake.numeric.banded import dense, solve_banded


def systems(rng: np.random.Generator, rows: int, width: int, count: int) -> np.ndarray:
    """Diagonally dominant, hence positive definite."""
    bands = rng.normal(size=(rows, width + 1, count))
    bands[:, 0] = 2.0 * (width + 1) * np.abs(bands).max() + rng.random((rows, count))
    return bands


@pytest.mark.parametrize("rows", [1, 2, 5, 40])
@pytest.mark.parametrize("width", [0, 1, 2, 3])
def test_equals_dense_elimination(rows: int, width: int) -> None:
    rng = np.random.default_rng(10 * rows + width)
    bands, right = systems(rng, rows, width, 4), rng.normal(size=(rows, 4))
    matrices = dense(bands)
    expected = np.stack([np.linalg.solve(matrices[k], right[:, k]) for k in range(4)], axis=1)
    np.testing.assert_allclose(solve_banded(bands.copy(), right), expected, rtol=1e-10)


def test_right_sides_stay_as_they_are() -> None:
    rng = np.random.default_rng(1)
    right = rng.normal(size=(9, 2))
    kept = right.copy()
    solve_banded(systems(rng, 9, 2, 2), right)
    np.testing.assert_array_equal(right, kept)
