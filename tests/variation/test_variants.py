"""What variants share with their takes: coordination, size of deviations, tempo, detail, the mean itself."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from freshtake.numeric.arrays import Floats
from freshtake.variation import Amount, Settings, VariationModel, learn
from freshtake.variation.deviations import prior_sizes, share_of, spline_basis, spline_correlation
from freshtake.variation.network import together as predicted_together
from freshtake.variation.phase import read_sharply
from freshtake.variation.sampling import limit_gradually

FRAMES, DOFS = 90, 4
SAME_TEMPO = Amount(1.0, time=0.0)
STATIC = 0.5  # share of the deviations' variance that holds over a take


def smooth_noise(rng: np.random.Generator, takes: int) -> Floats:
    """(takes, frames): of variance 1, changing within a tenth of a take."""
    drawn = gaussian_filter1d(rng.normal(size=(takes, FRAMES + 80)), 7.0, axis=1)[:, 40:-40]
    return np.asarray(drawn / drawn.std())


@cache
def examples(takes: int = 8, seed: int = 0) -> list[Floats]:
    """DOFs 0 and 1 deviate together, DOF 2 against them, DOF 3 independently; half of that lasts over the take."""
    rng = np.random.default_rng(seed)
    u = np.linspace(0.0, 2.0 * np.pi, FRAMES)[:, None]
    mean = 3.0 * np.sin(u + np.arange(DOFS)) + np.cos(2.0 * u + np.arange(DOFS))
    own = [
        np.sqrt(STATIC) * rng.normal(size=(takes, 1)) + np.sqrt(1.0 - STATIC) * smooth_noise(rng, takes)
        for _ in range(DOFS)
    ]
    bent = np.stack([own[0], 0.95 * own[0] + 0.3 * own[1], -0.95 * own[0] + 0.3 * own[2], own[3]], axis=2)
    return list(mean + 0.12 * np.array([2.0, 1.5, 1.2, 1.0]) * bent)


@cache
def model(takes: int = 8, prior: float = 2.0) -> VariationModel:
    return learn(examples(takes), Settings(prior=prior), frame_time=1 / 30, cyclic=False)


def deviations(made: VariationModel, count: int = 80) -> Floats:
    """(variants, frames, DOFs): from the mean motion, at the mean's tempo."""
    mean = made.rows(np.random.default_rng(0), amount=0.0)
    return np.stack([made.rows(np.random.default_rng(k), amount=SAME_TEMPO) - mean for k in range(count)])


def together(apart: Floats) -> Floats:
    rows = apart.reshape(-1, apart.shape[2])
    return np.corrcoef((rows - rows.mean(axis=0)).T)


def test_no_variation_is_the_mean_of_the_takes() -> None:
    made = model()
    drawn = made.draw(np.random.default_rng(3), amount=0.0)
    np.testing.assert_allclose(drawn.rows, read_sharply(made.deviations.takes.mean, drawn.phases), atol=1e-9)
    assert len(drawn.rows) == len(made.deviations.takes.mean)


def test_the_mean_of_many_variants_is_the_mean_of_the_takes() -> None:
    apart = deviations(model(), 200)
    error = apart.std(axis=0) / np.sqrt(200)
    assert (np.abs(apart.mean(axis=0)) < 5.0 * error + 0.01).all()


def test_a_take_with_all_the_weight_is_that_take_again() -> None:
    """Weights that put everything on one take, and no prior: the take comes out, its own timing included."""
    made = model(prior=0.0)
    takes = made.takes

    class Chosen:
        def standard_normal(self, size: Any) -> Floats:
            if size != len(takes.rows) + 1:
                return np.zeros(size)
            g = np.zeros(size)
            g[2] = 1.0 / made.deviations.weight_size[0]
            return g

    rows = made.rows(Chosen())  # type: ignore[arg-type]
    np.testing.assert_allclose(rows, made.material.values[2], atol=0.02)


def test_what_goes_together_in_the_takes_goes_together_in_variants() -> None:
    found = together(deviations(model()))
    assert found[0, 1] > 0.6 and found[0, 2] < -0.6 and found[1, 2] < -0.5
    assert np.abs(found[3, :3]).max() < 0.5
    np.testing.assert_allclose(predicted_together(model()), found, atol=0.2)


def test_without_whole_takes_nothing_goes_together() -> None:
    """The prior alone varies as much, each DOF independently."""
    free = deviations(model(prior=100.0))
    assert np.abs(together(free)[~np.eye(DOFS, dtype=bool)]).max() < 0.4
    np.testing.assert_allclose(free.std(axis=(0, 1)), deviations(model()).std(axis=(0, 1)), rtol=0.35)


def test_variants_lie_as_far_from_the_mean_as_a_further_take() -> None:
    many = model(24)
    size = deviations(many).std(axis=(0, 1))
    expected = 0.12 * np.array([2.0, 1.5, 1.2, 1.0]) * np.sqrt(1.0 + 1.0 / 24)
    np.testing.assert_allclose(size, expected, rtol=0.3)
    np.testing.assert_allclose(np.sqrt((many.deviations.total_sizes**2).mean(axis=0)), size, rtol=0.2)


def test_more_takes_leave_less_to_the_prior() -> None:
    shares = [share_of(Settings(), count) for count in (1, 2, 4, 12, 40)]
    assert shares[0] == 0.0 and shares == sorted(shares) and shares[-1] > 0.95
    assert share_of(Settings(prior=0.0), 4) == 1.0


def test_no_dof_goes_far_beyond_the_takes() -> None:
    made = model()
    drawn = np.concatenate([made.rows(np.random.default_rng(k)) for k in range(200)])
    takes = np.concatenate(made.material.values)
    room = made.deviations.total_sizes.mean(axis=0)
    assert (drawn.max(axis=0) < takes.max(axis=0) + 1.05 * room).all()
    assert (drawn.min(axis=0) > takes.min(axis=0) - 1.05 * room).all()
    inside = np.linspace(-1.0, 1.0, 9)[:, None]
    np.testing.assert_array_equal(limit_gradually(inside, np.array([-1.0]), np.array([1.0]), np.array([0.1])), inside)


# --- tempo and detail -----------------------------------------------------------------------------------------------


@cache
def uneven() -> VariationModel:
    """Takes of unequal length, with a tremor of 4 frames on top."""
    rng = np.random.default_rng(5)
    values = []
    for k, x in enumerate(examples(6)):
        length = 70 + 8 * k
        at = np.linspace(0.0, FRAMES - 1.0, length)
        low = np.stack([np.interp(at, np.arange(FRAMES), column) for column in x.T], axis=1)
        values.append(low + 0.1 * np.sin(0.5 * np.pi * np.arange(length)[:, None] + rng.uniform(0, 6, DOFS)))
    return learn(values, frame_time=1 / 30, cyclic=False)


def lengths(made: VariationModel, amount: float | Amount = 1.0) -> list[int]:
    return [len(made.rows(np.random.default_rng(k), amount=amount)) for k in range(60)]


def test_the_tempo_varies_as_in_the_takes_and_can_be_switched_off() -> None:
    made = lengths(uneven())
    given = [len(x) for x in uneven().material.values]
    assert np.mean(made) == pytest.approx(np.mean(given), rel=0.06)
    assert 0.5 < np.std(made) / (np.std(given, ddof=1) * np.sqrt(1 + 1 / 6)) < 1.6
    assert len(set(lengths(uneven(), SAME_TEMPO))) == 1


def tremor(rows: Floats) -> float:
    return float((rows[8:-8] - gaussian_filter1d(rows, 3.0, axis=0)[8:-8]).std())


def test_quick_movement_keeps_its_size() -> None:
    """A tremor of four frames survives aligning, combining and reading between frames."""
    made = uneven()
    given = np.mean([tremor(x) for x in made.material.values])
    found = np.mean([tremor(made.rows(np.random.default_rng(k))) for k in range(30)])
    assert found == pytest.approx(given, rel=0.3)


# --- the prior ------------------------------------------------------------------------------------------------------


def test_the_prior_is_a_smooth_process_of_variance_one() -> None:
    at = np.linspace(0.0, 9.99, 60)
    basis = spline_basis(at, 0, 13)
    drawn = basis @ np.random.default_rng(0).normal(size=(13, 4000))
    np.testing.assert_allclose(drawn.std(axis=1), 1.0, atol=0.05)
    np.testing.assert_allclose((basis**2).sum(axis=1), 1.0, atol=1e-12)
    seen = np.corrcoef(drawn)
    lags = np.abs(np.subtract.outer(at, at))
    np.testing.assert_allclose(spline_correlation(lags), seen, atol=0.12)


def test_sizes_follow_takes_and_population_by_how_much_each_knows() -> None:
    few, many = model(3), model(24)
    truth = 0.12 * np.array([2.0, 1.5, 1.2, 1.0])
    errors = [np.abs(np.log(np.sqrt((m.sizes**2).mean(axis=0)) / truth)).mean() for m in (few, many)]
    assert errors[1] < 0.25
    alone = prior_sizes(model(3).material, model(3).takes)
    np.testing.assert_array_equal(alone, few.sizes)
