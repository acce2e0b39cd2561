from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from freshtake.style.warping.warps import cheapest_repetitions, feasible


def distance(p: np.ndarray, q: np.ndarray, repeats: list[int] | np.ndarray, slope: int) -> float:
    """|R p - q|² with explicit repetition (Hsu 2005, eq. 3)."""
    return float(((np.repeat(p, repeats, axis=0) - np.repeat(q, slope, axis=0)) ** 2).sum())


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("first", "second"), [(4, 4), (4, 7), (5, 3), (6, 3), (3, 6)])
def test_is_the_best_of_all_repetition_vectors(seed: int, first: int, second: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = rng.normal(size=(first, 2)), rng.normal(size=(second, 2))
    found = cheapest_repetitions(p, q, 2)
    best = min(distance(p, q, r, 2) for r in map(list, product(range(1, 5), repeat=first)) if sum(r) == 2 * second)
    assert found.sum() == 2 * second
    assert found.min() >= 1
    assert found.max() <= 4
    assert distance(p, q, found, 2) == pytest.approx(best)


@pytest.mark.parametrize("slope", [2, 3])
def test_slope_limits_hold_whatever_the_motions(slope: int) -> None:
    rng = np.random.default_rng(slope)
    p, q = rng.normal(size=(60, 3)), rng.normal(size=(80, 3))
    found = cheapest_repetitions(p, q, slope)
    assert found.sum() == slope * 80
    assert found.min() >= 1
    assert found.max() <= slope**2


def test_equal_motions_and_motions_at_rest_keep_their_pace() -> None:
    p = np.random.default_rng(0).normal(size=(30, 2))
    assert (cheapest_repetitions(p, p, 2) == 2).all()
    assert (cheapest_repetitions(np.zeros((30, 2)), np.zeros((30, 2)), 2) == 2).all()


def test_a_motion_played_at_half_pace_is_found() -> None:
    p = np.random.default_rng(0).normal(size=(20, 2))
    assert (cheapest_repetitions(p, np.repeat(p, 2, axis=0), 2) == 4).all()


def test_what_can_be_joined() -> None:
    assert feasible(10, 20, 2)
    assert feasible(20, 10, 2)
    assert not feasible(10, 21, 2)
    assert not feasible(21, 10, 2)
    assert feasible(10, 30, 3)
