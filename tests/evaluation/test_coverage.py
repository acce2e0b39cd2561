"""Windows and pieces against the slow way."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from freshtake.evaluation import novelty
from freshtake.evaluation.tracks import cheapest_windows, window_costs
from freshtake.motion.edit import take_frames
from freshtake.numeric.arrays import Floats
from tests.evaluation.stepping import prepared, takes


def test_window_costs_equal_the_sums() -> None:
    costs = np.random.default_rng(0).random((7, 9))
    for width in (1, 3, 7):
        found = window_costs(costs, width)
        assert found.shape == (8 - width, 10 - width)
        for i in range(found.shape[0]):
            for k in range(found.shape[1]):
                assert np.isclose(found[i, k], sum(costs[i + j, k + j] for j in range(width)))
    assert window_costs(costs, 8).size == 0
    assert np.isinf(cheapest_windows([costs[:, :2]], 3)).all()


def slow_patches(costs: list[Floats], shortest: int) -> float:
    """The cheapest cutting, by trying every piece at every position of every input."""
    frames = costs[0].shape[0]

    @lru_cache
    def best(start: int) -> float:
        if start == frames:
            return 0.0
        found = [np.inf]
        for length in range(shortest, frames - start + 1):
            for cost in costs:
                for k in range(cost.shape[1] - length + 1):
                    piece = sum(cost[start + j, k + j] for j in range(length))
                    found.append(piece + best(start + length))
        return min(found)

    return best(0) / frames


def test_patches_equal_trying_everything() -> None:
    rng = np.random.default_rng(1)
    for _ in range(15):
        costs = [rng.random((9, int(rng.integers(2, 9)))) for _ in range(2)]
        assert np.isclose(novelty.patched_cost(costs, 3), slow_patches(costs, 3))
    assert np.isnan(novelty.patched_cost([rng.random((4, 9))], 5))


def test_an_input_covers_itself_and_half_of_it_covers_half() -> None:
    inputs = takes(1, 1)
    half = take_frames(inputs[0], 0, len(inputs[0]) // 2 + 16)
    gallery, material = prepared(inputs, [inputs[0], half])
    same, less = (novelty.measure_coverage(gallery, track) for track in material.variants)
    assert same["coverage"].value == 1.0
    assert same["global_diversity"].value < 1e-6
    assert same["local_diversity"].value < 1e-6
    assert less["coverage"].value <= 1.0
    assert novelty.set_coverage(gallery, material.variants) == 1.0
