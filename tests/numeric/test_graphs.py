"""Parts of graphs and pairs of least cost, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from freshtake.numeric.arrays import Ints
from freshtake.numeric.graphs import best_partners, strong_parts


def same_parts(a: Ints, b: Ints) -> bool:
    return bool(((a[:, None] == a) == (b[:, None] == b)).all())


@given(st.integers(1, 12).flatmap(lambda n: st.lists(st.tuples(*[st.integers(0, n - 1)] * 2)).map(lambda e: (n, e))))
def test_parts_are_scipys(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, edges = graph
    sources, goals = np.array(edges, dtype=np.intp).reshape(-1, 2).T
    matrix = coo_array((np.ones(len(edges)), (sources, goals)), shape=(count, count)).tocsr()
    _, wanted = connected_components(matrix, directed=True, connection="strong")
    assert same_parts(strong_parts(sources, goals, count), wanted)


def test_a_long_circle_is_one_part() -> None:
    frames = np.arange(50_000)
    assert (strong_parts(frames, (frames + 1) % 50_000, 50_000) == 0).all()
    assert len(set(strong_parts(frames[:-1], frames[1:], 50_000).tolist())) == 50_000


@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 9), (9, 3), (30, 24)])
@pytest.mark.parametrize("whole", [False, True])
def test_partners_cost_as_little_as_scipys(shape: tuple[int, int], whole: bool) -> None:
    for seed in range(20):
        costs = np.random.default_rng(seed).normal(size=shape)
        costs = np.round(2.0 * costs) if whole else costs  # whole numbers: many ties
        rows, columns = best_partners(costs)
        wanted = linear_sum_assignment(costs)
        assert len(set(columns.tolist())) == len(columns) and (np.diff(rows) > 0).all()
        assert costs[rows, columns].sum() == pytest.approx(costs[wanted].sum())
        if not whole:
            np.testing.assert_array_equal(columns, wanted[1])
