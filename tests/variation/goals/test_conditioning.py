"""Conditioning: pinned values are met exactly, others follow as takes do, and far from a pin nothing changes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from freshtake.variation import VariationModel, learn
from freshtake.variation.goals.conditioning import PinnedValues, Spread, condition, spread_along, strain
from tests.variation.test_variants import examples


@cache
def model(takes: int = 8) -> VariationModel:
    return learn(examples(takes), frame_time=1 / 30, cyclic=False)


def drawn(seed: int = 0, takes: int = 8) -> tuple[np.ndarray, Spread]:
    made = model(takes)
    variant = made.draw(np.random.default_rng(seed))
    return variant.rows, spread_along(made.deviations, variant.phases, np.ones(4, dtype=bool), cyclic=False)


def pins(*values: tuple[int, int, float]) -> PinnedValues:
    frames, dofs, numbers = zip(*values, strict=True)
    return PinnedValues(np.array(frames), np.array(dofs), np.array(numbers))


def test_pinned_values_are_met() -> None:
    rows, spread = drawn()
    pinned = pins((10, 0, 2.0), (10, 1, 1.0), (50, 3, -0.5), (51, 3, -0.45))
    made = condition(rows, pinned, spread)
    np.testing.assert_allclose(made[pinned.frames, pinned.dofs], pinned.values, atol=1e-5)


def test_nothing_pinned_changes_nothing() -> None:
    rows, spread = drawn()
    empty = PinnedValues(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))
    assert condition(rows, empty, spread) is rows
    own = pins(*((20, k, float(rows[20, k])) for k in range(4)))
    np.testing.assert_allclose(condition(rows, own, spread), rows, atol=1e-9)


def test_what_deviates_together_follows() -> None:
    """DOF 1 follows DOF 0 in the takes and DOF 2 opposes it; DOF 3 is independent."""
    moved = np.zeros(4)
    for seed in range(10):
        rows, spread = drawn(seed, 24)
        made = condition(rows, pins((40, 0, float(rows[40, 0]) + 0.3)), spread)
        moved += (made - rows)[40] / 10
    assert moved[0] == pytest.approx(0.3, abs=1e-5)
    assert moved[1] > 0.05 and moved[2] < -0.05 and abs(moved[3]) < 0.5 * moved[1]


def test_it_is_the_mean_given_the_pins() -> None:
    """Against the plain formula with the whole covariance matrix."""
    rows, spread = drawn(takes=4)
    pinned = pins((5, 0, 1.0), (30, 2, 0.7), (33, 2, 0.6), (60, 1, -1.0))
    frames, dofs = rows.shape
    whole = np.zeros((frames, dofs, frames, dofs))
    near = spread.deviations.correlation(np.subtract.outer(spread.phases, spread.phases))
    for i in range(dofs):
        whole[:, i, :, i] = near * np.outer(spread.sizes[:, i], spread.sizes[:, i])
    whole += np.einsum("lfi,lgj->figj", spread.factors, spread.factors)
    k = whole.reshape(frames * dofs, frames * dofs)
    at = pinned.frames * dofs + pinned.dofs
    missing = pinned.values - rows.ravel()[at]
    slow = rows.ravel() + k[:, at] @ np.linalg.solve(k[np.ix_(at, at)], missing)
    np.testing.assert_allclose(condition(rows, pinned, spread).ravel(), slow, atol=1e-5)


def test_dofs_that_may_not_move_stay() -> None:
    made = model()
    variant = made.draw(np.random.default_rng(1))
    moving = np.array([True, True, True, False])
    spread = spread_along(made.deviations, variant.phases, moving, cyclic=False)
    out = condition(variant.rows, pins((30, 0, 2.0), (30, 3, 9.0)), spread)
    np.testing.assert_array_equal(out[:, 3], variant.rows[:, 3])
    assert out[30, 0] == pytest.approx(2.0, abs=1e-5)


def test_strain_counts_standard_deviations() -> None:
    rows, spread = drawn()
    size = spread.total[30]
    assert strain(
        rows, pins(*((30, k, float(rows[30, k] + 2.0 * size[k])) for k in range(4))), spread
    ) == pytest.approx(2.0)
