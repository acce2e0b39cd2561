"""Laws of bridges: held values are met, the rest follows its covariance, and far away nothing changes."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.variation.goals.bridges import PinnedValues, bridged, nearness, strain

FRAME_TIME = 0.02


def slow_conditional(rows: np.ndarray, held: PinnedValues, sizes: np.ndarray, correlation: np.ndarray) -> np.ndarray:
    """The conditional mean of the whole Gaussian process, entry by entry."""
    frames, dofs = rows.shape
    when, which = (a.ravel() for a in np.meshgrid(np.arange(frames), np.arange(dofs), indexing="ij"))
    near = nearness(np.subtract.outer(when, when).astype(float), FRAME_TIME)
    covariance = sizes.ravel()[:, None] * sizes.ravel() * near * correlation[np.ix_(which, which)]
    at = held.frames * dofs + held.dofs
    inside = covariance[np.ix_(at, at)]
    change = covariance[:, at] @ np.linalg.solve(inside, held.values - rows.ravel()[at])
    return np.asarray(rows + change.reshape(rows.shape))


def problem(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(4, 4)) + 2 * np.eye(4)
    covariance = root @ root.T
    size = np.sqrt(np.diag(covariance))
    return rng.normal(size=(120, 4)), rng.uniform(0.5, 2.0, (120, 4)), covariance / np.outer(size, size)


@pytest.mark.parametrize("seed", range(3))
def test_a_bridge_is_the_conditional_mean(seed: int) -> None:
    rows, sizes, correlation = problem(seed)
    held = PinnedValues(np.array([3, 3, 60]), np.array([0, 2, 1]), np.array([2.0, -1.0, 0.5]))
    out = bridged(rows, held, sizes, correlation, FRAME_TIME)
    np.testing.assert_allclose(out, slow_conditional(rows, held, sizes, correlation), atol=1e-6)
    np.testing.assert_allclose(out[held.frames, held.dofs], held.values, atol=1e-6)


def test_far_from_the_pins_nothing_changes_and_what_is_tied_follows() -> None:
    rows, sizes, _ = problem(0)
    rows = np.concatenate([rows] * 4)
    sizes = np.ones_like(rows)
    correlation = np.eye(4)
    correlation[0, 1] = correlation[1, 0] = 0.8
    held = PinnedValues(np.array([10]), np.array([0]), np.array([rows[10, 0] + 1.0]))
    change = bridged(rows, held, sizes, correlation, FRAME_TIME) - rows
    np.testing.assert_allclose(change[10], [1.0, 0.8, 0.0, 0.0], atol=1e-6)
    assert np.abs(change[-200:]).max() < 1e-6


def test_what_has_no_size_does_not_move_and_without_pins_rows_stay() -> None:
    rows, sizes, correlation = problem(1)
    sizes[:, 3] = 0.0
    held = PinnedValues(np.array([5]), np.array([0]), np.array([9.0]))
    np.testing.assert_array_equal(bridged(rows, held, sizes, correlation, FRAME_TIME)[:, 3], rows[:, 3])
    none = PinnedValues(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))
    np.testing.assert_array_equal(bridged(rows, none, sizes, correlation, FRAME_TIME), rows)
    assert strain(rows, held, sizes) == pytest.approx(abs(9.0 - rows[5, 0]) / sizes[5, 0])
    two = PinnedValues(np.array([5, 5, 9]), np.array([0, 1, 2]), rows[[5, 5, 9], [0, 1, 2]] + np.array([3.0, 4.0, 1.0]))
    assert strain(rows, two, np.ones_like(rows)) == pytest.approx(np.sqrt(12.5))
    assert strain(rows, none, sizes) == 0.0
