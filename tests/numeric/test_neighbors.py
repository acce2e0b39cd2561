"""Neighbours against scipy's tree of points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from freshtake.numeric import neighbors
from freshtake.numeric.arrays import Floats
from freshtake.numeric.neighbors import nearest, nearest_others, pairs_within

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
    monkeypatch.setattr(neighbors, "AT_ONCE", 3000)  # several blocks
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
