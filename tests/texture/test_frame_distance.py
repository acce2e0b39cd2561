"""Distances, velocities and successors, against written-out sums."""

from __future__ import annotations

import numpy as np

from freshtake.motion.features.angles import Path, ground_of, set_ground
from freshtake.texture.examples import body_velocities, central_velocities
from freshtake.texture.frame_distance import (
    ahead,
    laid_out,
    matrix,
    mean_step,
    weight_distances,
    weighted_frames,
    weights_of,
)
from tests.texture.made import circling


def test_distance_is_the_sum_over_weights() -> None:
    w = np.random.default_rng(0).normal(size=(7, 3))
    found = weight_distances(w, w)
    for i in range(7):
        for j in range(7):
            assert np.isclose(found[i, j], sum(abs(w[i, k] - w[j, k]) for k in range(3)))


def test_central_velocities_are_means_of_both_steps_and_one_sided_at_the_ends() -> None:
    p = np.random.default_rng(1).normal(size=(6, 4, 3))
    v = central_velocities(p)
    for i in range(1, 5):
        np.testing.assert_allclose(v[i], ((p[i] - p[i - 1]) + (p[i + 1] - p[i])) / 2)
    np.testing.assert_allclose(v[0], p[1] - p[0])
    np.testing.assert_allclose(v[-1], p[-1] - p[-2])
    assert not central_velocities(p[:1]).any()


def test_body_velocities_are_those_of_the_world_in_the_body_heading() -> None:
    rng = np.random.default_rng(2)
    local, heading = rng.normal(size=(8, 5, 3)), np.linspace(0.0, 1.0, 8)
    path = Path(np.cumsum(rng.normal(size=8) + 1j * rng.normal(size=8)), heading)
    world = local.copy()
    set_ground(world, ground_of(local, "y") * np.exp(1j * heading)[:, None] + path.ground[:, None], "y")
    expected = np.gradient(world, axis=0)
    set_ground(expected, ground_of(expected, "y") * np.exp(-1j * heading)[:, None], "y")
    np.testing.assert_allclose(body_velocities(local, path, "y"), expected, atol=1e-12)
    np.testing.assert_allclose(body_velocities(local, None, "y"), np.gradient(local, axis=0))


def test_separate_components_keep_distances() -> None:
    rows = circling()
    velocities = np.gradient(rows, axis=0) + 3.0
    weights = weights_of(rows, velocities, 4, 4)
    apart = np.linalg.norm(rows[5] - rows[17])
    assert np.isclose(np.linalg.norm(weights.poses[5] - weights.poses[17]), apart)
    dot = float(velocities[5] @ velocities[17])  # velocities are measured from zero, not from their mean
    modes = weights.velocities.shape[1]
    if modes == 4:
        assert np.isclose(float(weights.velocities[5] @ weights.velocities[17]), dot)
    assert weights_of(np.ones((5, 3)), np.zeros((5, 3)), 2, 2).poses.shape == (5, 1)


def test_successors_stop_at_the_end_of_a_take() -> None:
    segments = laid_out([3, 4], ["a", "b"])
    assert segments.successors().tolist() == [1, 2, -1, 4, 5, 6, -1]
    assert segments.cells().tolist() == [0, 0, 0, 1, 1, 1, 1]
    values = np.arange(7.0)[:, None] ** 2
    assert ahead(values, segments)[:, 0].tolist() == [1.0, 4.0, 7.0, 16.0, 25.0, 36.0, 47.0]
    step = mean_step(values, segments.successors())
    assert np.isclose(step, np.mean([1, 3, 7, 9, 11]))


def test_continuing_costs_nothing_and_units_are_frame_steps() -> None:
    rows, segments = circling(), laid_out([300], ["all"])
    weights = weights_of(rows, np.gradient(rows, axis=0), 4, 4)
    costs = matrix(weighted_frames(weights, segments, 1 / 60, 0.0))
    assert np.allclose(np.diag(costs, 1), 0.0, atol=1e-6)
    assert 0.9 < np.mean(np.diag(costs)) < 1.1  # staying costs one mean step
    scaled = weights_of(7.0 * rows, 7.0 * np.gradient(rows, axis=0), 4, 4)
    np.testing.assert_allclose(
        matrix(weighted_frames(scaled, segments, 1 / 60, 0.5)),
        matrix(weighted_frames(weights, segments, 1 / 60, 0.5)),
        atol=1e-5,
    )
