"""Durations and tempo."""

from __future__ import annotations

import numpy as np

from freshtake.evaluation import movement
from freshtake.motion.edit import sampled_at
from tests.evaluation.stepping import prepared, takes


def test_a_slower_variant_is_found_slower() -> None:
    inputs = takes(1, 3)
    slow = sampled_at(inputs[0], np.linspace(0, len(inputs[0]) - 1, round(1.3 * len(inputs[0]))))
    gallery, material = prepared(inputs, [inputs[1], slow])
    same, slower = (movement.measure_timing(gallery, track) for track in material.variants)
    assert same["tempo_share"].value == 0.0
    assert slower["tempo_share"].value > 0.9
    assert abs(slower["tempo_off"].value - np.log(1.3)) < 0.08
    assert abs(slower["duration_ratio"].value - 1.3) < 0.06


def test_stretching_keeps_both_ends() -> None:
    rows = np.random.default_rng(0).normal(size=(31, 2))
    for speed in (0.7, 1.0, 1.4):
        out = movement.stretched(rows, speed)
        assert len(out) == round(31 / speed)
        assert np.array_equal(out[[0, -1]], rows[[0, -1]])
    assert np.allclose(movement.stretched(rows, 1.0), rows)


def test_spread_is_relative() -> None:
    _, material = prepared(takes(2, 4), takes(3, 1))
    durations = np.array([track.duration for track in material.inputs])
    assert np.isclose(movement.spread(material.inputs), durations.std(ddof=1) / durations.mean())
    assert np.isnan(movement.spread(material.variants))
