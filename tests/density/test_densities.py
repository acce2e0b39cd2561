from __future__ import annotations

import numpy as np
import pytest

from freshtake.density.pose_density import (
    block_index,
    density,
    drawn,
    log_density,
    log_sums,
    motion_widths,
    near_kernels,
    nearest_square,
    pose_widths,
    velocities,
)
from freshtake.numeric.arrays import Floats
from tests.density.made import orbit


def slow_log_density(points: Floats, widths: Floats, at: Floats) -> Floats:
    out = []
    for x in at:
        squares = (((points - x) / widths) ** 2).sum(axis=1)
        norm = np.prod(widths) * (2.0 * np.pi) ** (len(widths) / 2)
        out.append(np.log(np.exp(-0.5 * (squares - squares.min())).sum() / len(points) / norm) - 0.5 * squares.min())
    return np.array(out)


@pytest.mark.parametrize("shuffled", [False, True])
def test_density_equals_the_sum_over_all_kernels(shuffled: bool) -> None:
    rng = np.random.default_rng(0)
    points = orbit(3)
    if shuffled:
        points = rng.permutation(points)
    widths = rng.uniform(0.05, 0.6, points.shape[1])
    at = np.concatenate([points[::17] + 0.05, rng.normal(0.0, 6.0, (20, points.shape[1]))])
    np.testing.assert_allclose(
        log_density(density(points, widths), at), slow_log_density(points, widths, at), rtol=1e-9
    )


def test_density_integrates_to_one() -> None:
    points = np.array([[0.0], [0.3], [2.0]])
    grid = np.linspace(-4.0, 6.0, 4001)[:, None]
    mass = np.exp(log_density(density(points, np.array([0.25])), grid)).sum() * (grid[1, 0] - grid[0, 0])
    assert mass == pytest.approx(1.0, abs=1e-9)


def test_widths_are_alpha_standard_deviations() -> None:
    y = np.random.default_rng(1).normal(size=(500, 3)) * [4.0, 2.0, 1.0]
    np.testing.assert_allclose(pose_widths(np.array([16.0, 4.0, 0.0]), 0.25), [1.0, 0.5, 1e-6], rtol=1e-6)
    steps = velocities(y)
    np.testing.assert_array_equal(steps[:-1], y[1:] - y[:-1])
    np.testing.assert_array_equal(steps[-1], steps[-2])
    np.testing.assert_allclose(motion_widths(np.ones(3), steps, 0.25)[3:], 0.25 * steps.std(axis=0))


def test_near_kernels_are_those_of_a_full_search() -> None:
    rng = np.random.default_rng(2)
    places = np.concatenate([orbit(4), orbit(5, center=1.0)]) * 3.0
    owners = np.repeat([0, 1], len(places) // 2)
    allowed = rng.random(len(places)) < 0.8
    index = block_index(places, owners, allowed)
    found, squares = np.empty(len(places), np.intp), np.empty(len(places))
    for _ in range(30):
        point = places[rng.integers(len(places))] + rng.normal(0.0, 1.0, places.shape[1])
        owner, low = int(rng.integers(2)), float(rng.integers(len(places)))
        count = near_kernels(index, point, owner, low, low + 9.0, found, squares)
        every = ((places - point) ** 2).sum(axis=1)
        number = np.arange(len(places))
        good = allowed & (owners == owner) & ~((number >= low) & (number <= low + 9.0))
        weights = np.where(good, np.exp(-0.5 * (every - every[good].min())), 0.0)
        kept = np.zeros(len(places), dtype=bool)
        kept[found[:count]] = True
        assert not (kept & ~good).any()
        assert weights[~kept].sum() <= 1e-6 * weights.sum()
        np.testing.assert_allclose(squares[:count], every[found[:count]])
        assert nearest_square(index, point, owner) == pytest.approx(every[allowed & (owners == owner)].min())


def test_blocks_hold_one_class_each_and_all_their_kernels() -> None:
    places, owners = orbit(6, 2), np.repeat([0, 1, 2], [30, 33, 17])
    index = block_index(places, owners, np.ones(80, dtype=bool))
    assert index.starts[0] == 0 and index.starts[-1] == 80
    for block in range(len(index.radii)):
        inside = index.order[index.starts[block] : index.starts[block + 1]]
        assert set(owners[inside].tolist()) == {index.owners[block]}
        apart = np.linalg.norm(places[inside] - index.centers[block], axis=1)
        assert len(inside) <= 16 and apart.max() <= index.radii[block] + 1e-12
    assert sorted(index.order.tolist()) == list(range(80))


def test_kernels_are_drawn_by_their_weight() -> None:
    squares = np.array([0.0, 1.0, 2.0, 9.0])
    weights = np.exp(-0.5 * squares)
    weights /= weights.sum()
    draws = 20_000
    chances = np.random.default_rng(3).random(draws)
    counts = np.bincount([drawn(squares, 4, c) for c in chances], minlength=4) / draws
    error = np.sqrt(weights * (1.0 - weights) / draws)
    assert (np.abs(counts - weights) < 5.0 * error).all()
    assert drawn(squares, 4, 0.999999999999) == 3


def test_log_sums_are_those_over_all_kernels_near_them_and_far_away() -> None:
    rng = np.random.default_rng(8)
    places, owners = 3.0 * rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    points = np.concatenate([places[:5], rng.normal(size=(5, 3)), [[60.0, -80.0, 0.0]]])  # of the last, exp gives 0
    out = np.empty(len(points))
    log_sums(block_index(places, owners, np.ones(400, dtype=bool)), points, out)
    squares = ((points[:, None] - places) ** 2).sum(axis=2)
    np.testing.assert_allclose(out, np.logaddexp.reduce(-0.5 * squares, axis=1), atol=1e-9)
