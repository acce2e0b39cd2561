"""The constants of the model, tested through their formulas, so none of them changes unnoticed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.interpolate import BSpline
from scipy.ndimage import gaussian_filter1d

import freshtake as ft
from freshtake.motion.features import Start
from freshtake.numeric.arrays import Floats
from freshtake.variation import Settings, VariationModel, learn
from freshtake.variation.deviations import SIZES, prior_sizes, shares, spline_basis, usual_sizes
from freshtake.variation.examples import material_of
from freshtake.variation.network import _densities, _floors, _likeliest_weights, transition_network
from freshtake.variation.phase import (
    Takes,
    align,
    common_phase,
    read_sharply,
    representative,
    steadied,
    turn_per_cycle,
    warp_onto,
)
from freshtake.variation.standing import _lowered
from freshtake.variation.steering import Steering, SteeringState, Travel, followed, steered, turn_column
from tests.variation.small_takes import takes

RATE = 60.0


@cache
def walks(count: int = 4) -> VariationModel:
    return learn([ft.samples.walk(np.random.default_rng(k), fps=RATE, cycles=1) for k in range(count)], cyclic=True)


def arrays(count: int = 3, frames: int = 40) -> list[Floats]:
    rng = np.random.default_rng(5)
    u = np.linspace(0.0, 2.0 * np.pi, frames)[:, None]
    return [np.sin(u + np.array([0.0, 1.0])) + 0.1 * rng.normal(size=(1, 2)) * np.sin(u) ** 2 for _ in range(count)]


def test_sizes_of_takes_and_population_are_mixed_as_printed() -> None:
    examples = arrays()
    rows = np.stack(examples)
    material = material_of(examples, None, 1 / 30)
    usual = np.exp(-1.5) * rows.mean(axis=0).std(axis=0)
    variance = rows.var(axis=0, ddof=1)
    scale = np.exp(0.5 * np.log(np.sqrt(variance.mean(axis=0)) / usual).mean())
    variance = gaussian_filter1d(variance, 0.08 * 30, axis=0, mode="nearest")
    variance = 0.7 * variance + 0.3 * variance.mean(axis=0)
    expected = np.sqrt((2.0 * (scale * usual) ** 2 + 2.0 * variance) / 4.0)
    np.testing.assert_allclose(prior_sizes(material, Takes(rows, np.zeros((3, 39)), None)), expected, rtol=1e-5)


def test_the_prior_is_worth_a_quarter_in_legs_and_root() -> None:
    for count, leg, arm in ((4, 3.0 / 3.5, 3.0 / 5.0), (1, 0.75, 0.0)):
        model = walks(count)
        found = shares(Settings(prior=2.0), model.material, model.takes)
        for name, share in (("LeftLeg.", leg), ("RightArm.", arm), ("Hips.height", leg)):
            column = next(k for k, dof in enumerate(model.dofs) if dof.startswith(name))
            assert found[column] == pytest.approx(share)


def test_one_take_varies_as_the_population_does() -> None:
    model = walks(1)
    assert model.deviations.timing == (0.066, 0.02)
    assert model.deviations.spacing == pytest.approx(0.3 * RATE)
    pace = walks().takes.log_pace
    tempo = np.sqrt((2.0 * 0.066**2 + 3.0 * pace.mean(axis=1).var(ddof=1)) / 5.0)
    assert walks().deviations.timing[0] == pytest.approx(tempo)


def test_a_dof_that_hardly_moves_has_the_size_of_the_least_range() -> None:
    model = walks()
    names, mean = model.dofs, np.zeros((10, len(model.dofs)))
    joint = next(k for k, name in enumerate(names) if name.startswith("Spine"))
    intercept, slope = SIZES["spine"]
    assert usual_sizes(model.material.recipe, names, mean)[joint] == pytest.approx(np.exp(intercept) * 1e-4**slope)


def test_warps_and_paces_are_smoothed_by_these_times() -> None:
    examples, weights = takes(1, lengths=(60, 66, 72)), np.ones(4)
    expected = steadied(align(examples, weights, 0.05 * 30), examples, 0.5 * 30)
    np.testing.assert_array_equal(common_phase(examples, weights, 1 / 30), expected)


def test_a_dozen_takes_represent_all() -> None:
    assert len(representative(takes(2, lengths=(30,) * 25))) == 12


def test_a_warp_stays_between_two_fifths_and_five_halves_of_the_mean_pace() -> None:
    u = np.linspace(0.0, 1.0, 101)
    late = np.interp(u, [0.0, 0.45, 0.55, 1.0], [0.0, 0.05, 0.95, 1.0])
    steps = np.diff(warp_onto(np.stack([u, u**2], axis=1), np.stack([late, late**2], axis=1), 0.1))
    assert steps.max() / steps.min() == pytest.approx(2.5 / 0.4)


def test_a_sinc_of_four_lobes_reads_eight_frames() -> None:
    impulse = np.zeros((41, 1))
    impulse[20] = 1.0
    read = read_sharply(impulse, 20.5 + np.arange(6.0))[:, 0]
    assert read[3] != 0.0 and (read[4:] == 0.0).all()


def test_a_cycle_turns_if_it_turns_by_more_than_three_degrees() -> None:
    model = walks(1)
    assert model.takes.trajectory is not None
    rows = model.takes.rows.copy()
    for degrees, turns in ((2.9, False), (3.1, True)):
        rows[..., model.takes.trajectory.columns[2]] = np.radians(np.linspace(0.0, degrees, rows.shape[1]))
        assert (turn_per_cycle(replace(model.takes, rows=rows)) != 0.0) == turns


def test_hips_sink_a_tenth_of_a_second_before_and_after() -> None:
    model = walks()
    clip = model.clips[0]
    assert model.planting_model is not None
    reached = np.zeros((len(clip), len(model.planting_model.legs)))
    reached[len(clip) // 2, 0] = 10.0 * clip.skeleton.lengths().sum()
    lowered = _lowered(reached, model.planting_model, clip)
    assert (lowered > 0.5 * lowered.max()).sum() == 2 * round(0.1 * RATE) + 1


def test_nothing_is_predicted_closer_than_a_fiftieth_of_the_usual_deviation() -> None:
    model = walks()
    weights = model.material.weights
    usual = np.sqrt(((weights * model.deviations.total_sizes) ** 2).mean())
    np.testing.assert_allclose(_floors(model.material, model.deviations), 0.02 * usual / weights)


def test_weights_of_takes_are_found_under_tails_of_four_degrees_of_freedom() -> None:
    deviations = walks().deviations
    deltas, away = np.ones((1, 10, 1)), np.full((10, 1), 2.0)
    away[0] = 30.0  # one spoiled moment
    trust, weight = np.ones(10), 0.0
    for _ in range(4):
        weight = (trust * away[:, 0]).sum() / (trust.sum() + deviations.spacing)
        trust = 5.0 / (4.0 + (away[:, 0] - weight) ** 2)
    found, _ = _likeliest_weights(deviations, deltas, away, np.ones((10, 1)))
    assert found[0] == pytest.approx(weight)


def test_headings_are_corrected_every_tenth_of_a_second() -> None:
    recipe = walks().material.recipe
    assert recipe is not None
    rows = np.zeros((30, len(walks().dofs)))
    out, _ = steered(Steering(heading=0.5), recipe, Travel(1.0, 0.0), rows, SteeringState(Start()))
    bends = np.flatnonzero(np.abs(np.diff(out[:, turn_column(recipe)], 2)) > 1e-9) + 1
    assert set(np.diff(bends).tolist()) == {round(0.1 * RATE)}


def test_the_nearest_point_of_a_path_is_looked_for_three_horizons_ahead() -> None:
    line = np.array([[0.0, 0.0], [0.0, 100.0]])
    assert followed(Steering(path=line), Travel(2.0, 0.0), np.array([[0.0, 50.0]]), 1.0).along == pytest.approx(6.0)


def test_a_deviation_is_expected_from_those_one_and_two_spacings_before() -> None:
    deviations = walks().deviations
    spacing, rest = round(deviations.spacing), np.zeros((90, 1))
    rest[20] = 1.0
    changed = np.abs(_densities(deviations, rest, 4) - _densities(deviations, 0.0 * rest, 4))[:, 0] > 1e-3
    assert np.flatnonzero(changed).tolist() == [20, 20 + spacing, 20 + 2 * spacing]
    network = transition_network(walks())
    assert network.order == 2
    assert max(map(max, network.edges)) < 3 * len(walks().dofs)  # none of a slice after the one that is predicted


def test_knots_weigh_as_in_a_cubic_b_spline_with_the_same_variance_everywhere() -> None:
    at, element = np.linspace(0.0, 4.9, 50), BSpline.basis_element(np.arange(-2.0, 3.0), extrapolate=False)
    expected = np.nan_to_num(element(at[:, None] - np.arange(9.0) + 1.0))
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(spline_basis(at, 0, 9), expected, atol=1e-12)
