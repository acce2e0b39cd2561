from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from freshtake.numeric.dtw import TYPES, constrained_path


def all_paths(end: tuple[int, int], kind: int) -> list[list[tuple[int, int]]]:
    """Every path from (0, 0) to a cell, by recursion."""

    @cache
    def to(i: int, j: int) -> tuple[tuple[tuple[int, int], ...], ...]:
        if (i, j) == (0, 0):
            return (((0, 0),),)
        found = []
        for di, dj in TYPES[kind]:
            if i >= di and j >= dj:
                found += [(*path, (i, j)) for path in to(i - di, j - dj)]
        return tuple(found)

    return [list(path) for path in to(*end)]


def price(cost: np.ndarray, path: list[tuple[int, int]]) -> float:
    total = 2.0 * cost[0, 0]
    for (i, j), (k, m) in pairwise(path):
        total += (k - i + m - j) * cost[k, m]
    return float(total)


@pytest.mark.parametrize("kind", [1, 3])
@pytest.mark.parametrize("seed", range(6))
def test_is_the_cheapest_of_all_paths(kind: int, seed: int) -> None:
    cost = np.random.default_rng(seed).random((5, 6))
    found, total = constrained_path(cost, kind)
    best = min(price(cost, path) for path in all_paths((4, 5), kind))
    assert total == pytest.approx(best)
    assert price(cost, [tuple(cell) for cell in found.tolist()]) == pytest.approx(best)


def test_type_three_keeps_to_half_and_double_pace() -> None:
    steps = np.diff(constrained_path(np.random.default_rng(0).random((40, 50)), 3)[0], axis=0)
    assert set(map(tuple, steps.tolist())) <= {(1, 1), (2, 1), (1, 2)}


def test_lengths_that_type_three_cannot_join_give_no_path() -> None:
    assert len(constrained_path(np.ones((3, 9)), 3)[0]) == 0
