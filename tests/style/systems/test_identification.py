"""N4SID against known systems."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshtake.numeric.arrays import Floats
from freshtake.style.columns import Block
from freshtake.style.systems import identification
from freshtake.style.systems.banks import Bank, System
from freshtake.style.systems.identification import Poles

BLOCK = (Block("joint", (0, 1, 2), (0, 1, 2)),)


def known(seed: int) -> System:
    rng = np.random.default_rng(seed)
    return System(
        np.array([0.8, 0.8, 0.5, -0.3]), np.array([0.3, -0.3, 0.0, 0.0]), rng.normal(size=(4, 3)),
        rng.normal(size=(3, 4)), rng.normal(size=(3, 3)), np.zeros(3),
    )  # fmt: skip


def simulated(system: System, rows: Floats) -> Floats:
    bank = Bank(BLOCK, (system,))
    return bank.run(bank.start(), rows)[1]


def trials(system: System, seed: int, lengths: tuple[int, ...], noise: float = 0.0) -> list[tuple[Floats, Floats]]:
    rng = np.random.default_rng(seed)
    out = []
    for length in lengths:
        u = rng.normal(size=(length, 3))
        out.append((u, simulated(system, u) + noise * rng.normal(size=(length, 3))))
    return out


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_several_short_trials_give_the_impulse_response_of_the_system(seed: int) -> None:
    system = known(seed)
    data = trials(system, 10 + seed, (90, 60, 75, 120))
    moments = identification.added_moments([identification.moments_of(u, y, 6) for u, y in data])
    found = identification.subspace(moments, 1e-9)
    assert found.values[3] > 1e3 * found.values[4]  # the order is seen in the singular values
    poles = identification.poles_of(found, 4, 0.99)
    products = identification.added([identification.products_of(u, y, poles, 0) for u, y in data])
    fitted = identification.fit(poles, products, 1e-9, rounds=30)
    for k in range(3):
        impulse = np.zeros((40, 3))
        impulse[0, k] = 1.0
        offset = simulated(fitted, np.zeros((40, 3)))
        np.testing.assert_allclose(simulated(fitted, impulse) - offset, simulated(system, impulse), atol=2e-3)


def test_columns_never_cross_a_seam() -> None:
    system = known(3)
    (u1, y1), (u2, y2) = trials(system, 4, (30, 25))
    both = identification.added_moments([identification.moments_of(u1, y1, 5), identification.moments_of(u2, y2, 5)])
    assert both.columns == (30 - 9) + (25 - 9)
    joined = identification.moments_of(np.concatenate([u1, u2]), np.concatenate([y1, y2]), 5)
    assert joined.columns == both.columns + 9
    assert not np.allclose(joined.products, both.products)


def test_a_trial_that_is_too_short_adds_nothing() -> None:
    assert identification.moments_of(np.ones((6, 3)), np.ones((6, 3)), 5).columns == 0


@given(st.integers(0, 10_000), st.floats(0.3, 0.99), st.integers(1, 6))
def test_whatever_the_data_the_system_is_stable(seed: int, radius: float, order: int) -> None:
    rng = np.random.default_rng(seed)
    growing = np.exp(0.05 * np.arange(40))[:, None]
    u, y = rng.normal(size=(40, 2)), growing * rng.normal(size=(40, 2))
    found = identification.subspace(identification.moments_of(u, y, 4), 1e-6)
    poles = identification.poles_of(found, order, radius)
    assert len(poles.damping) == order
    assert np.hypot(*poles).max() <= radius + 1e-12
    assert (np.cumsum(poles.turning)[-1:] == 0.0).all()


def test_poles_that_are_not_finite_or_too_large_are_drawn_in() -> None:
    poles = identification.stable(np.array([3.0, 1.2 + 1.6j, 1.2 - 1.6j, np.nan]), 0.9)
    np.testing.assert_allclose(np.sort(np.hypot(*poles)), [0.0, 0.9, 0.9, 0.9])
    pair = poles.turning > 0
    assert pair.sum() == 1
    np.testing.assert_allclose(poles.turning[pair] / poles.damping[pair], 1.6 / 1.2)


def test_refit_finds_the_matrices_for_given_poles_and_knows_its_error() -> None:
    system = known(5)
    data = trials(system, 6, (80, 70), noise=0.1)
    poles = Poles(system.damping, system.turning)
    past = 20
    parts = [identification.products_of(u, y[past:], poles, past) for u, y in data]
    fitted = identification.fit(poles, identification.added(parts), 1e-6)
    direct = sum(((simulated(fitted, u)[past:] - y[past:]) ** 2).sum(axis=0) for u, y in data)
    np.testing.assert_allclose(identification.error(fitted, identification.added(parts)), direct, rtol=1e-6)
    truth = sum(((simulated(system, u)[past:] - y[past:]) ** 2).sum() for u, y in data)
    assert direct.sum() < 1.05 * truth


def test_steadiness_pulls_the_answer_to_constant_input_to_zero_and_little_else() -> None:
    system = known(7)
    (u, y) = trials(system, 8, (400,))[0]
    poles = Poles(system.damping, system.turning)
    products = identification.products_of(u, y, poles, 0)
    gains = []
    for amount in (0.0, 100.0):
        fitted = identification.fit(poles, identification.steadied(products, poles, amount), 1e-6)
        ones = simulated(fitted, np.ones((300, 3)))[-1] - fitted.offset
        gains.append(np.abs(ones).max())
    assert gains[1] < 0.05 * gains[0]
    goal = np.arange(3.0 * len(y[0])).reshape(3, -1)
    fitted = identification.fit(poles, identification.steadied(products, poles, 100.0, goal), 1e-6)
    ones = simulated(fitted, np.ones((300, 3)))[-1] - fitted.offset
    np.testing.assert_allclose(ones, goal.sum(axis=0), atol=0.1 * np.abs(goal).max())


def test_trials_shorter_than_two_horizons_have_no_states_worth_keeping() -> None:
    short = identification.moments_of(np.ones((5, 2)), np.ones((5, 3)), horizon=4)
    found = identification.subspace(short, ridge=1e-3)
    assert short.columns == 0 and (found.values == 0.0).all()
    assert identification.orders_worth_trying(found, 6) == 1
