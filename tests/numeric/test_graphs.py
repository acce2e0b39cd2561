"""Graph components and minimum-cost pairs, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from freshtake.numeric import graphs
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.graphs import best_partners, nearest, nearest_others, pairs_within, strong_parts


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


CLOUDS = {
    "even": np.random.default_rng(1).uniform(-20.0, 20.0, (300, 2)),
    "two crowds": np.concatenate([np.random.default_rng(2).normal(c, 0.4, (80, 2)) for c in (-50.0, 1000.0)]),
    "a line": np.stack([np.arange(90.0), np.zeros(90)], axis=1),
    "a grid": np.stack(np.meshgrid(np.arange(9.0), np.arange(7.0)), axis=2).reshape(-1, 2),
    "one place": np.zeros((12, 2)),
    "one": np.ones((1, 2)),
}


@pytest.mark.parametrize("dimensions", [1, 3, 16])
@pytest.mark.parametrize("count", [1, 5, 200])
def test_nearest_points_are_those_of_a_tree(dimensions: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "AT_ONCE", 3000)  # several blocks
    rng = np.random.default_rng(dimensions)
    points, places = 1e3 + rng.normal(size=(200, dimensions)), 1e3 + rng.normal(size=(70, dimensions))
    distances, numbers = nearest(points, places, count)
    wanted, theirs = cKDTree(points).query(places, k=[*range(1, count + 1)])
    np.testing.assert_allclose(distances, wanted, rtol=1e-12)
    np.testing.assert_array_equal(numbers, theirs)


def test_a_point_is_nearest_to_itself() -> None:
    points = 1e6 + np.random.default_rng(4).normal(size=(50, 7))
    distances, numbers = nearest(points, points, 2)
    assert (distances[:, 0] == 0.0).all() and (numbers[:, 0] == np.arange(50)).all()


@pytest.mark.parametrize("cloud", CLOUDS.values(), ids=CLOUDS.keys())
@pytest.mark.parametrize("reach", [0.3, 1.0, 7.0])
def test_pairs_are_those_of_a_tree(cloud: Floats, reach: float) -> None:
    wanted = cKDTree(cloud).query_pairs(reach, output_type="ndarray")
    np.testing.assert_array_equal(pairs_within(cloud, reach), wanted[np.lexsort(wanted.T[::-1])])


@pytest.mark.parametrize("cloud", CLOUDS.values(), ids=CLOUDS.keys())
@pytest.mark.parametrize("count", [1, 4, 11])
@pytest.mark.parametrize("reach", [0.3, 5.0])
def test_others_are_those_of_a_tree(cloud: Floats, count: int, reach: float) -> None:
    who = np.arange(0, len(cloud), 3)
    distances, numbers = nearest_others(cloud, who, count, reach)
    apart = np.linalg.norm(cloud[who][:, None] - cloud, axis=2)
    apart[np.arange(len(who)), who] = np.inf
    apart[apart > reach] = np.inf
    order = np.argsort(apart, axis=1, kind="stable")[:, :count]
    wanted = np.take_along_axis(apart, order, axis=1)
    np.testing.assert_allclose(distances[:, : wanted.shape[1]], wanted, rtol=1e-12)
    there = np.isfinite(wanted)
    np.testing.assert_array_equal(numbers[:, : wanted.shape[1]][there], order[there])
    assert np.isinf(distances[:, wanted.shape[1] :]).all()
