"""Interpolations are in the inputs' span, other motions are not."""

from __future__ import annotations

import numpy as np

from freshtake.evaluation import novelty
from tests.evaluation.stepping import prepared, takes


def test_combinations_have_nothing_outside_and_real_takes_much() -> None:
    gallery, material = prepared(takes(1, 4), takes(2, 3))
    found = novelty.input_span(gallery)
    for weights in ([0.4, 0.3, 0.2, 0.1], [1.3, -0.5, 0.1, 0.1]):
        parts = novelty.outside_span(gallery, np.einsum("k,ktd->td", weights, found.aligned))
        assert parts["outside_span"].value < 1e-9
    inner = novelty.interpolation(gallery, np.random.default_rng(0))
    assert inner["outside_span"].value < 0.02
    real = [novelty.measure_span(gallery, track) for track in material.variants]
    assert min(parts["outside_span"].value for parts in real) > 0.3


def test_weights_that_change_are_outside_the_span() -> None:
    gallery, _ = prepared(takes(3, 4), takes(4, 1))
    found = novelty.input_span(gallery)
    time = np.linspace(0, 1, found.aligned.shape[1])
    weights = np.stack([1.2 - time, time - 0.2, 0 * time, 0 * time])
    parts = novelty.outside_span(gallery, np.einsum("kt,ktd->td", weights, found.aligned))
    assert parts["outside_span"].value > 0.05


def test_what_is_at_right_angles_is_all_outside() -> None:
    gallery, _ = prepared(takes(5, 3), takes(6, 1))
    found = novelty.input_span(gallery)
    differences = found.deviations(found.aligned).reshape(3, -1)
    other = found.deviations(found.mean + np.random.default_rng(0).normal(size=found.mean.shape)).ravel()
    other -= differences.T @ np.linalg.lstsq(differences.T, other, rcond=None)[0]
    parts = novelty.outside_span(gallery, found.mean + other.reshape(found.mean.shape))
    assert abs(parts["outside_span"].value - 1.0) < 1e-9


def test_a_small_shift_in_time_is_no_deviation() -> None:
    gallery, _ = prepared(takes(7, 3), takes(8, 1))
    found = novelty.input_span(gallery)
    later = found.mean + 0.3 * np.gradient(found.mean, axis=0)
    assert np.abs(later - found.mean).max() > 1e-3
    assert np.abs(found.deviations(later)).max() < 1e-12
