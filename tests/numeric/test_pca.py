"""Principal components by law and against numpy's singular values."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.numeric import pca


def _rows(n: int, d: int, rank: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    scales = 3.0 ** -np.arange(rank)
    return rng.normal(size=(n, rank)) * scales @ rng.normal(size=(rank, d)) + rng.normal(size=d)


@pytest.mark.parametrize("shape", [(40, 7), (7, 40), (12, 12)])
def test_equals_the_singular_values(shape: tuple[int, int]) -> None:
    rows = _rows(*shape, rank=5)
    found = pca.fit(rows)
    centered = rows - rows.mean(axis=0)
    _, singular, right = np.linalg.svd(centered, full_matrices=False)
    assert found.components == 5
    np.testing.assert_allclose(found.variances, singular[:5] ** 2 / shape[0], rtol=1e-6)
    np.testing.assert_allclose(np.abs(found.modes @ right[:5].T), np.eye(5), atol=1e-6)
    np.testing.assert_allclose(found.modes @ found.modes.T, np.eye(5), atol=1e-12)
    assert found.total == pytest.approx((centered**2).sum() / shape[0])
    np.testing.assert_allclose(pca.restore(found, pca.project(found, rows)), rows, atol=1e-9)


@pytest.mark.parametrize("shape", [(60, 20), (20, 60)])
def test_count_energy_and_error_keep_just_enough(shape: tuple[int, int]) -> None:
    rows = _rows(*shape, rank=12)
    for count in (0, 3):
        few = pca.fit(rows, count=count)
        assert few.components == count
        left = np.square(rows - pca.restore(few, pca.project(few, rows))).sum() / len(rows)
        assert left == pytest.approx(few.total - few.variances.sum(), rel=1e-8)
    by_energy = pca.fit(rows, energy=0.95)
    assert by_energy.energy >= 0.95 > pca.fit(rows, count=by_energy.components - 1).energy

    def rms(found: pca.Pca) -> float:
        return float(np.sqrt(np.square(rows - pca.restore(found, pca.project(found, rows))).mean()))

    by_error = pca.fit(rows, error=0.01)
    assert rms(by_error) <= 0.01 < rms(pca.fit(rows, count=by_error.components - 1))
    assert pca.fit(rows, count=2, energy=0.95).components == by_energy.components


def test_weights_are_uncorrelated_and_centered() -> None:
    rows = _rows(50, 9, rank=6)
    weights = pca.project(pca.fit(rows, count=4), rows)
    np.testing.assert_allclose(weights.mean(axis=0), 0.0, atol=1e-12)
    covariance = weights.T @ weights / 50
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-10)


def test_equal_rows_have_no_modes() -> None:
    still = pca.fit(np.ones((5, 3)))
    assert still.components == 0 and still.energy == 1.0 and still.total == 0.0
    np.testing.assert_array_equal(pca.restore(still, np.zeros((2, 0))), np.ones((2, 3)))


def test_random_projection_equals_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pca, "RANDOMIZED_FROM", 100)
    rows = _rows(150, 200, rank=30) + 1e-4 * np.random.default_rng(5).normal(size=(150, 200))
    exact, drawn = pca.fit(rows, count=8), pca.fit(rows, count=8, rng=np.random.default_rng(2))
    assert not np.array_equal(exact.modes, drawn.modes)
    np.testing.assert_allclose(drawn.variances, exact.variances, rtol=1e-6)
    np.testing.assert_allclose(np.abs(np.sum(drawn.modes * exact.modes, axis=1)), 1.0, atol=1e-6)
    assert drawn.total == exact.total
    again = pca.fit(rows, count=8, rng=np.random.default_rng(2))
    np.testing.assert_array_equal(again.modes, drawn.modes)


@pytest.mark.parametrize(
    ("rows", "options", "says"),
    [
        (np.zeros((4, 9)), {"count": 5}, "5 components were requested, but 4 frames of 9 values have at most 4"),
        (np.zeros((4, 9)), {"energy": 1.5}, "energy must be a fraction"),
        (np.zeros((4, 9)), {"error": -1.0}, "error must be 0 or more"),
        (np.zeros(4), {}, "rows and columns"),
        (np.array([[0.0, 1.0], [np.nan, 1.0]]), {}, "row 1 holds nan"),
    ],
)
def test_refusals(rows: np.ndarray, options: dict, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        pca.fit(rows, **options)
