"""Jerk is the third derivative; jitter raises it, smoothing lowers it, size does not matter."""

from __future__ import annotations

import numpy as np

from freshtake.evaluation import movement
from freshtake.motion.edit import scaled
from tests.evaluation.stepping import jittered, prepared, takes


def test_jerk_of_a_cubic_is_six_times_its_factor() -> None:
    time = np.arange(30) / 60
    cubic = np.stack([2.0 * time**3, time**2, 5 * time], axis=1)[:, None]
    assert np.allclose(movement.jerk(cubic, 1 / 60), 12.0)


def test_an_input_has_ratio_one_and_jitter_far_more() -> None:
    inputs = takes(1, 1)
    gallery, material = prepared(inputs, [inputs[0], jittered(inputs[0], np.random.default_rng(0))])
    same, noisy = (movement.measure_smoothness(gallery, track) for track in material.variants)
    assert all(np.isclose(same[key].value, 1.0) for key in ("jerk", "jerk_limbs"))
    assert noisy["jerk"].value > 2
    assert noisy["jerk_limbs"].value > 2


def test_averaging_neighbours_is_seen_as_too_smooth() -> None:
    from freshtake.numeric.rotations import normalize

    inputs = takes(2, 1)
    rotations = inputs[0].rotations
    padded = np.concatenate([rotations[:1].repeat(6, 0), rotations, rotations[-1:].repeat(6, 0)])
    blurred = normalize(sum(padded[k : k + len(rotations)] for k in range(13)) / 13)
    gallery, material = prepared(inputs, [inputs[0].changed(rotations=blurred)])
    assert movement.measure_smoothness(gallery, material.variants[0])["jerk_limbs"].value < 0.9


def test_size_does_not_matter() -> None:
    inputs, others = takes(3, 2), takes(4, 1)
    small = prepared(inputs, others)
    large = prepared([scaled(c, 7.0) for c in inputs], [scaled(c, 7.0) for c in others])
    a, b = (movement.measure_smoothness(gallery, material.variants[0]) for gallery, material in (small, large))
    assert all(np.isclose(a[key].value, b[key].value) for key in a if np.isfinite(a[key].value))
