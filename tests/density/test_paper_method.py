from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freshtake.density import DensityModel
from freshtake.density.paper_method import NearKernels, PaperState, advance_paper, begin_paper, climb, likelihood
from freshtake.density.settings import SEARCHES
from tests.density.made import one_orbit, two_orbits


def literal(model: DensityModel, **changes: object) -> DensityModel:
    return replace(model, settings=model.settings.changed(method="paper", **changes))


def slow_likelihood(
    model: DensityModel, mix: np.ndarray, pose: np.ndarray, step: np.ndarray, correction: bool
) -> float:
    """Eq. 12 and 14 written out, up to constants of the kernels."""
    d = model.modes
    h = model.widths
    total, after = 0.0, 0.0
    for owner, weight in enumerate(mix):
        mine = model.owners == owner
        y, dy = model.weights[mine], model.speeds[mine]
        p = np.exp(-0.5 * (((y - pose) / h[:d]) ** 2).sum(1) - 0.5 * (((dy - step) / h[d:]) ** 2).sum(1)).mean()
        q = np.exp(-0.5 * (((y - pose - step) / h[:d]) ** 2).sum(1)).mean()
        total, after = total + weight * p, after + weight * q
    return float(np.log(total) + (np.log(after) if correction else 0.0))


@pytest.mark.parametrize("correction", [False, True])
def test_likelihood_is_that_of_the_equations(correction: bool) -> None:
    model = two_orbits()
    mix = np.array([0.7, 0.3])
    places = np.concatenate([model.weights, model.speeds], axis=1) / model.widths
    shares = (mix / np.bincount(model.owners))[model.owners]
    rng = np.random.default_rng(0)
    for _ in range(10):
        i = int(rng.integers(len(places)))
        pose = model.weights[i] + 0.05 * rng.normal(size=model.modes)
        step = model.speeds[i] + 0.02 * rng.normal(size=model.modes)
        near = (((model.weights - pose) / model.widths[: model.modes]) ** 2).sum(axis=1)
        fast = likelihood(NearKernels(places, shares, model.widths, near), pose, step, correction)
        assert fast == pytest.approx(slow_likelihood(model, mix, pose, step, correction), rel=1e-9)


def test_it_starts_at_the_likeliest_kernel() -> None:
    model = one_orbit()
    state = begin_paper(literal(model), np.array([1.0]))
    h = model.widths[: model.modes]
    every = [np.exp(-0.5 * (((model.weights - y) / h) ** 2).sum(axis=1)).sum() for y in model.weights]
    np.testing.assert_array_equal(state.pose, model.weights[int(np.argmax(every))])


def test_search_over_kernels_takes_the_best_velocity_there_is() -> None:
    model = one_orbit()
    mix = np.array([1.0])
    pose, step = model.weights[100] + 0.02, model.speeds[100]
    places = np.concatenate([model.weights, model.speeds], axis=1) / model.widths
    shares = np.full(len(places), 1.0 / len(places))
    chosen = climb(places, shares, model.widths, pose, step, SEARCHES.index("kernels"), True)
    values = [slow_likelihood(model, mix, pose, dy, True) for dy in model.speeds]
    np.testing.assert_allclose(chosen, model.speeds[int(np.argmax(values))], atol=1e-12)


@pytest.mark.parametrize("search", ["coordinate", "mean shift", "powell"])
def test_search_along_modes_never_gets_worse(search: str) -> None:
    model = one_orbit()
    mix = np.array([1.0])
    places = np.concatenate([model.weights, model.speeds], axis=1) / model.widths
    shares = np.full(len(places), 1.0 / len(places))
    for i in (10, 90, 200):
        pose, step = model.weights[i] + 0.03, 0.5 * model.speeds[i]
        better = climb(places, shares, model.widths, pose, step, SEARCHES.index(search), True)
        start = slow_likelihood(model, mix, pose, step, True)
        reached = slow_likelihood(model, mix, pose, better, True)
        assert reached >= start
        nudged = [slow_likelihood(model, mix, pose, better + e, True) for e in 1e-3 * np.eye(model.modes)]
        assert max(nudged) < reached + (1e-2 if search == "mean shift" else 1e-4)  # converges at a linear rate


@pytest.mark.parametrize("search", SEARCHES)
def test_a_frame_is_the_last_one_plus_its_step(search: str) -> None:
    model = literal(one_orbit(), search=search)
    state = model.start(np.random.default_rng(0))
    assert isinstance(state, PaperState)
    state, rows = model.advance(state, np.ones((5, 1)), np.random.default_rng(0))
    assert isinstance(state, PaperState)
    np.testing.assert_allclose(rows[4, : model.modes] - rows[3, : model.modes], state.step, atol=1e-12)
    one, first = advance_paper(model, model.start(np.random.default_rng(9)), np.ones((2, 1)))  # type: ignore[arg-type]
    two, second = advance_paper(model, one, np.ones((3, 1)))
    np.testing.assert_array_equal(np.concatenate([first, second]), rows)


def test_it_does_not_depend_on_chance() -> None:
    model = literal(two_orbits())
    a, b = (model.rows(np.random.default_rng(seed), frames=60, weights=0.2) for seed in (1, 2))
    np.testing.assert_array_equal(a, b)
