"""Windows against the slow way, and coverage that is known."""

from __future__ import annotations

import numpy as np

from freshtake.evaluation import novelty
from freshtake.evaluation.tracks import cheapest_windows, window_costs
from freshtake.motion.edit import take_frames
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


def test_an_input_covers_itself_and_half_of_it_covers_half() -> None:
    inputs = takes(1, 1)
    half = take_frames(inputs[0], 0, len(inputs[0]) // 2 + 16)
    gallery, material = prepared(inputs, [inputs[0], half])
    same, less = (novelty.measure_coverage(gallery, track) for track in material.variants)
    assert same["coverage"].value == 1.0
    assert less["coverage"].value <= 1.0
    assert novelty.set_coverage(gallery, material.variants) == 1.0
