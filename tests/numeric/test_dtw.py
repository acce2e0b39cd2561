"""Dynamic time warping against all paths, and against a slow twin."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from freshtake.numeric.dtw import accumulate, costs, distance, warp_path


def slow_paths(n: int, m: int) -> list[list[tuple[int, int]]]:
    """Every path from (0, 0) to (n - 1, m - 1)."""
    if n == 1 and m == 1:
        return [[(0, 0)]]
    found = []
    for i, j in ((n - 1, m - 1), (n - 1, m), (n, m - 1)):
        if i >= 1 and j >= 1:
            found += [[*path, (n - 1, m - 1)] for path in slow_paths(i, j)]
    return found


def price(path: list[tuple[int, int]], cost: np.ndarray, still: float) -> float:
    total = cost[path[0]]
    for (i, j), (m, n) in pairwise(path):
        total += cost[m, n] * (1.0 if (m, n) == (i + 1, j + 1) else 1.0 + still)
    return float(total)


@pytest.mark.parametrize("still", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (4, 3), (4, 5)])
def test_the_path_is_the_cheapest_of_all(shape: tuple[int, int], still: float) -> None:
    rng = np.random.default_rng(sum(shape))
    a, b = rng.normal(size=(shape[0], 3)), rng.normal(size=(shape[1], 3))
    cost = ((a[:, None] - b[None]) ** 2).sum(axis=2)
    path, per_step = warp_path(a, b, still)
    steps = [(int(i), int(j)) for i, j in path]
    best = min(price(p, cost, still) for p in slow_paths(*shape))
    assert price(steps, cost, still) == pytest.approx(best)
    assert per_step == pytest.approx(best / len(steps))


@pytest.mark.parametrize("still", [0.0, 0.3])
def test_sums_equal_those_of_a_recursion(still: float) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(23, 2)), rng.normal(size=(31, 2))
    cost = costs(a, b)
    np.testing.assert_allclose(cost, ((a[:, None] - b[None]) ** 2).sum(axis=2))

    @cache
    def total(i: int, j: int) -> float:
        if i < 0 or j < 0:
            return np.inf
        if i == j == 0:
            return float(cost[0, 0])
        aside = (1 + still) * cost[i, j]
        return float(min(total(i - 1, j - 1) + cost[i, j], total(i - 1, j) + aside, total(i, j - 1) + aside))

    found = accumulate(cost, still)
    np.testing.assert_allclose(found, [[total(i, j) for j in range(31)] for i in range(23)])


def test_paths_go_forward_from_end_to_end() -> None:
    rng = np.random.default_rng(2)
    path, _ = warp_path(rng.normal(size=(40, 2)), rng.normal(size=(25, 2)))
    assert path[0].tolist() == [0, 0]
    assert path[-1].tolist() == [39, 24]
    steps = np.diff(path, axis=0)
    assert ((steps == 0) | (steps == 1)).all()
    assert (steps.sum(axis=1) > 0).all()


def test_a_series_that_lingers_is_no_distance_away() -> None:
    a = np.sin(np.arange(30) / 4.0)[:, None]
    assert distance(a, np.repeat(a, 3, axis=0)) == 0.0
    assert distance(a, a + 1.0) > 0.1
    b = np.cos(np.arange(25) / 4.0)[:, None]
    assert distance(a, b) == pytest.approx(distance(b, a))
