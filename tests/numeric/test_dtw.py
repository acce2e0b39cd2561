"""Dynamic time warping against all paths, and against a slow twin."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from freshtake.numeric.dtw import accumulate, backtrack, cheapest, costs, open_ends, warp_path


def slow_paths(n: int, m: int) -> list[list[tuple[int, int]]]:
    """Every path from (0, 0) to (n - 1, m - 1)."""
    if n == 1 and m == 1:
        return [[(0, 0)]]
    found = []
    for i, j in ((n - 1, m - 1), (n - 1, m), (n, m - 1)):
        if i >= 1 and j >= 1:
            found += [[*path, (n - 1, m - 1)] for path in slow_paths(i, j)]
    return found


def price(path: list[tuple[int, int]], cost: np.ndarray, still: float, straight: float = 1.0) -> float:
    total = straight * cost[path[0]]
    for (i, j), (m, n) in pairwise(path):
        total += cost[m, n] * (straight if (m, n) == (i + 1, j + 1) else 1.0 + still)
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
    assert warp_path(a, np.repeat(a, 3, axis=0))[1] == 0.0
    assert warp_path(a, a + 1.0)[1] > 0.01
    b = np.cos(np.arange(25) / 4.0)[:, None]
    assert accumulate(costs(a, b), 0.0)[-1, -1] == pytest.approx(accumulate(costs(b, a), 0.0)[-1, -1])


@pytest.mark.parametrize("straight", [1.0, 2.0])
@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (5, 1), (4, 3), (4, 5)])
def test_weights_of_steps_and_the_sum_alone(shape: tuple[int, int], straight: float) -> None:
    cost = np.random.default_rng(sum(shape)).uniform(0.1, 1.0, shape)
    total = accumulate(cost, 0.2, straight)
    best = min(price(p, cost, 0.2, straight) for p in slow_paths(*shape))
    assert total[-1, -1] == pytest.approx(best)
    assert cheapest(cost, 0.2, straight) == total[-1, -1]
    path = [(int(i), int(j)) for i, j in backtrack(cost, total, 0.2, straight)]
    assert price(path, cost, 0.2, straight) == pytest.approx(best)


def slow_open_ends(cost: np.ndarray, toll: float) -> list[tuple[float, int]]:
    """Every warp written out: (sum, start) of the cheapest that ends in each column."""
    rows, columns = cost.shape
    best = [(np.inf, 0)] * columns

    def walk(i: int, j: int, total: float, start: int) -> None:
        if i == rows - 1 and (total, start) < best[j]:
            best[j] = (total, start)
        for down, along in ((1, 1), (1, 2), (2, 1)):
            m, n = i + down, j + along
            if m < rows and n < columns:
                skipped = cost[i + 1, n] if down == 2 else 0.0
                aside = toll * cost[m, n] if (down, along) != (1, 1) else 0.0
                walk(m, n, total + cost[m, n] + skipped + aside, start)

    for j in range(columns):
        walk(0, j, float(cost[0, j]), j)
    return best


@pytest.mark.parametrize("toll", [0.1, 2.0])
@pytest.mark.parametrize("shape", [(1, 4), (2, 5), (4, 9), (6, 7), (5, 2), (6, 9)])
def test_open_ends_equal_all_warps(shape: tuple[int, int], toll: float) -> None:
    cost = np.random.default_rng(sum(shape)).uniform(0.1, 1.0, shape)
    totals, starts = open_ends(cost, toll)
    for total, start, (wanted, begun) in zip(totals, starts, slow_open_ends(cost, toll), strict=True):
        assert total == pytest.approx(wanted)
        assert not np.isfinite(wanted) or start == begun
