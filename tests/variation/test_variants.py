"""What variants have of their examples: what goes together, what holds over a take, tempo, detail; and each switch."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from freshtake.numeric.arrays import Floats
from freshtake.variation import Amount, Settings, VariationModel, learn

FRAMES, DOFS = 90, 4
STEP = 5 / 30  # seconds: five frames
SAME_TEMPO = Amount(1.0, time=0.0)
STATIC = 0.5  # share of the deviations' variance that holds over a take


def smooth_noise(rng: np.random.Generator, takes: int) -> Floats:
    """(takes, frames): of variance 1, changing within a tenth of a take."""
    drawn = gaussian_filter1d(rng.normal(size=(takes, FRAMES + 80)), 7.0, axis=1)[:, 40:-40]
    return np.asarray(drawn / drawn.std())


@cache
def examples(takes: int = 8, seed: int = 0) -> list[Floats]:
    """DOFs 0 and 1 deviate together, DOF 2 against them, DOF 3 by itself; half of that holds over the take."""
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
def model(takes: int = 8, **settings: Any) -> VariationModel:
    chosen = Settings(step=STEP, **settings)
    return learn(examples(takes), chosen, rng=np.random.default_rng(0), frame_time=1 / 30, cyclic=False)


def deviations(made: VariationModel, count: int = 60) -> Floats:
    """(variants, frames, DOFs): from the mean motion, at the mean's tempo."""
    mean = made.rows(np.random.default_rng(0), amount=0.0)
    return np.stack([made.rows(np.random.default_rng(k), amount=SAME_TEMPO) - mean for k in range(count)])


def together(apart: Floats) -> Floats:
    rows = apart.reshape(-1, apart.shape[2])
    return np.corrcoef((rows - rows.mean(axis=0)).T)


def permuted_slopes(made: VariationModel) -> VariationModel:
    """Slopes of one child given to another: the same numbers on the wrong edges."""
    assert made.dynamics is not None
    rng = np.random.default_rng(3)
    dynamics = made.dynamics
    packed, nodes = dynamics.packed, len(dynamics.noise)
    others = packed.parents % nodes != np.repeat(np.arange(nodes), np.diff(packed.starts))
    slopes, traits = dynamics.slopes.copy(), dynamics.trait_slopes.copy()
    order = rng.permutation(int(others.sum()))
    slopes[others] = 0.4 * np.abs(slopes[others])[order]
    inside = others & (packed.parents >= 2 * nodes)
    traits[:, inside] = 0.4 * np.abs(traits[:, inside])[:, rng.permutation(int(inside.sum()))]
    return replace(made, dynamics=replace(dynamics, slopes=slopes, trait_slopes=traits))


# --- the network ----------------------------------------------------------------------------------------------------


def test_what_goes_together_in_the_examples_goes_together_in_variants() -> None:
    found = together(deviations(model()))
    assert found[0, 1] > 0.75 and found[0, 2] < -0.75 and found[1, 2] < -0.6
    assert np.abs(found[3, :3]).max() < 0.5
    np.testing.assert_allclose(model().deviating_together, found, atol=0.2)


def test_without_edges_it_does_not() -> None:
    """Disconnected nodes vary as much, each for itself; slopes on the wrong edges do not tie what belongs together."""
    free = deviations(model(parents="own"))
    assert np.abs(together(free)[~np.eye(DOFS, dtype=bool)]).max() < 0.35
    np.testing.assert_allclose(free.std(axis=(0, 1)), deviations(model()).std(axis=(0, 1)), rtol=0.25)
    wrong = together(deviations(permuted_slopes(model())))
    assert wrong[0, 2] > -0.35


def test_samples_follow_every_edge() -> None:
    """A slope that is a little smaller, whichever it is, shows in what is sampled."""
    made = model()
    assert made.dynamics is not None
    plain = made.rows(np.random.default_rng(1), amount=SAME_TEMPO)
    edges = made.dynamics.packed.starts[DOFS]  # those into time and tempo come last, and the tempo is the mean's here
    for edge in range(edges):
        slopes = made.dynamics.slopes.copy()
        slopes[edge] *= 0.98
        other = replace(made, dynamics=replace(made.dynamics, slopes=slopes))
        assert np.abs(other.rows(np.random.default_rng(1), amount=SAME_TEMPO) - plain).max() > 1e-7


# --- sizes and traits -----------------------------------------------------------------------------------------------


def static_share(apart: Floats) -> Floats:
    """(DOFs,): of the deviations' variance, how much lies in the means of takes."""
    return np.asarray(apart.mean(axis=1).var(axis=0) / (apart**2).mean(axis=(0, 1)))


def test_variants_lie_as_far_from_the_mean_as_a_further_take() -> None:
    many = model(24)
    size = deviations(many).std(axis=(0, 1))
    expected = 0.12 * np.array([2.0, 1.5, 1.2, 1.0]) * np.sqrt(1.0 + 1.0 / 24)
    np.testing.assert_allclose(size, expected, rtol=0.3)
    np.testing.assert_allclose(np.sqrt((many.sizes**2).mean(axis=0)), size, rtol=0.2)


def test_what_holds_over_a_take_holds_over_a_variant() -> None:
    given = np.stack(examples(24))
    share = static_share(given - given.mean(axis=0))
    np.testing.assert_allclose(share, STATIC, atol=0.2)  # the examples are as they were made
    made = static_share(deviations(model(24), 120))
    np.testing.assert_allclose(made, share, atol=0.2)
    without = static_share(deviations(model(24, traits=False), 120))
    assert (without < made - 0.15).all()


# --- tempo and detail -----------------------------------------------------------------------------------------------


@cache
def uneven(**settings: Any) -> VariationModel:
    """Takes of unequal length, with a tremor of 4 frames on top."""
    rng = np.random.default_rng(5)
    values = []
    for k, x in enumerate(examples(6)):
        length = 70 + 8 * k
        at = np.linspace(0.0, FRAMES - 1.0, length)
        low = np.stack([np.interp(at, np.arange(FRAMES), column) for column in x.T], axis=1)
        values.append(low + 0.1 * np.sin(0.5 * np.pi * np.arange(length)[:, None] + rng.uniform(0, 6, DOFS)))
    return learn(values, Settings(step=STEP, **settings), rng=rng, frame_time=1 / 30, cyclic=False)


def lengths(made: VariationModel, amount: float | Amount = 1.0) -> list[int]:
    return [len(made.rows(np.random.default_rng(k), amount=amount)) for k in range(40)]


def test_the_tempo_varies_as_in_the_takes_and_can_be_switched_off() -> None:
    made = lengths(uneven())
    given = [len(x) for x in uneven().material.values]
    assert np.mean(made) == pytest.approx(np.mean(given), rel=0.06)
    assert 0.5 < np.std(made) / (np.std(given, ddof=1) * np.sqrt(1 + 1 / 6)) < 1.6
    assert len(set(lengths(uneven(tempo=False)))) == 1
    assert len(set(lengths(uneven(), SAME_TEMPO))) == 1


def tremor(rows: Floats) -> float:
    return float((rows[8:-8] - gaussian_filter1d(rows, 3.0, axis=0)[8:-8]).std())


def test_detail_comes_from_the_examples_in_its_own_size_and_can_be_switched_off() -> None:
    made = uneven()
    given = np.mean([tremor(x) for x in made.material.values])
    found = np.mean([tremor(made.rows(np.random.default_rng(k))) for k in range(20)])
    assert found == pytest.approx(given, rel=0.25)
    assert np.abs(made.courses.detail).max() > 0.05
    assert np.abs(uneven(detail=False).courses.detail).max() == 0.0


def test_the_step_decides_how_many_frames_the_network_has() -> None:
    coarse, fine = model(), learn(
        examples(), Settings(step=STEP / 2), rng=np.random.default_rng(0), frame_time=1 / 30, cyclic=False
    )  # fmt: skip
    assert coarse.dynamics is not None and fine.dynamics is not None
    assert (coarse.dynamics.slices, fine.dynamics.slices) == (round(89 / 5), round(89 / 2.5))
