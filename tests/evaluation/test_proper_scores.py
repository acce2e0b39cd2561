"""The true distribution scores best: wider, narrower and untied draws are worse, few draws are not."""

from __future__ import annotations

import numpy as np

from freshtake.evaluation.realness import column_pairs, energy_score, variogram_score
from freshtake.numeric.arrays import Floats

MIXING = np.random.default_rng(0).normal(size=(3, 12))


def draws(rng: np.random.Generator, count: int, width: float = 1.0) -> Floats:
    """Rows whose columns vary together."""
    return np.asarray(width * rng.normal(size=(count, 3)) @ MIXING)


def test_energy_by_definition() -> None:
    drawn, real = np.array([[0.0], [1.0], [3.0]]), np.array([[2.0]])
    assert np.isclose(energy_score(drawn, real), (2 + 1 + 1) / 3 - 0.5 * (1 + 3 + 2) / 3)


def test_energy_prefers_the_truth() -> None:
    rng = np.random.default_rng(1)
    real = draws(rng, 400)
    truth, wide, narrow = (energy_score(draws(rng, 200, width), real) for width in (1.0, 1.6, 0.5))
    mean = energy_score(np.zeros((2, 12)), real)
    assert truth < min(wide, narrow, mean)
    assert energy_score(draws(rng, 200) + 0.5, real) > truth


def test_energy_is_fair_to_few_draws() -> None:
    rng = np.random.default_rng(2)
    real = draws(rng, 300)
    few = np.array([energy_score(draws(rng, 4), real) for _ in range(300)])
    many = energy_score(draws(rng, 400), real)
    assert abs(few.mean() - many) < 4 * few.std() / np.sqrt(len(few)) + 0.02 * many


def test_variogram_sees_columns_that_no_longer_go_together() -> None:
    rng = np.random.default_rng(3)
    real, tied = draws(rng, 300), draws(rng, 300)
    untied = np.stack([rng.permutation(column) for column in tied.T], axis=1)
    pairs = column_pairs(tied, rng)
    assert variogram_score(untied, real, pairs) > 1.02 * variogram_score(tied, real, pairs)


def test_pairs_are_of_columns_that_move() -> None:
    rows = draws(np.random.default_rng(4), 5)
    rows[:, 3] = 1.0
    pairs = column_pairs(rows, np.random.default_rng(0))
    assert set(np.unique(pairs)) == set(range(12)) - {3}
    assert (pairs == column_pairs(rows, np.random.default_rng(0))).all()
