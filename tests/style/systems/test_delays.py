from __future__ import annotations

import numpy as np
import pytest

from freshtake.style.columns import Block
from freshtake.style.systems import delays
from freshtake.style.systems.banks import DelayBank
from freshtake.style.systems.delays import run_delays


def test_finds_a_known_impulse_response_from_two_trials() -> None:
    rng = np.random.default_rng(0)
    taps, offset = rng.normal(size=(5, 2, 3)), rng.normal(size=3)
    bank = DelayBank((Block("a", (0, 1), (0, 1, 2)),), (taps,), (offset,), 2)
    parts, past = [], 10
    for length in (80, 60):
        u = rng.normal(size=(length, 2))
        y = bank.run(bank.start(), u)[1][past:]
        parts.append(delays.products_of(u, y, past, 5, 2))
    weights = delays.fit(delays.added(parts), 1e-12)
    found, constant = delays.shaped(weights, 5, 2)
    np.testing.assert_allclose(found, taps, atol=1e-6)
    np.testing.assert_allclose(constant, offset, atol=1e-6)
    assert delays.error(weights, delays.added(parts)).max() < 1e-6


def test_error_is_that_of_the_prediction() -> None:
    rng = np.random.default_rng(1)
    u, y = rng.normal(size=(50, 2)), rng.normal(size=(40, 3))
    products = delays.products_of(u, y, 10, 4, 3)
    weights = rng.normal(size=(9, 3))
    direct = ((delays.delayed(u, 10, 4, 3) @ weights - y) ** 2).sum(axis=0)
    np.testing.assert_allclose(delays.error(weights, products), direct)


def test_ridge_pulls_weights_to_zero_but_not_the_constant() -> None:
    rng = np.random.default_rng(2)
    u = rng.normal(size=(200, 2))
    products = delays.products_of(u, np.column_stack([u[:, 0] + 5.0]), 0, 1, 1)
    weights = delays.fit(products, 1e6)
    assert np.abs(weights[:-1]).max() < 1e-3
    np.testing.assert_allclose(weights[-1], 5.0 + u[:, 0].mean(), atol=1e-3)


def test_steadiness_takes_the_answer_to_constant_input() -> None:
    rng = np.random.default_rng(3)
    u = rng.normal(size=(300, 1))
    products = delays.products_of(u, u[4:] + u[2:-2], 4, 3, 2)
    free, steady = (delays.fit(delays.steadied(products, 1, a), 1e-9)[:-1].sum() for a in (0.0, 100.0))
    np.testing.assert_allclose(free, 2.0, atol=1e-6)
    assert abs(steady) < 0.05
    led = delays.fit(delays.steadied(products, 1, 100.0, np.array([[-3.0]])), 1e-9)[:-1].sum()
    np.testing.assert_allclose(led, -3.0, atol=0.1)


@pytest.mark.parametrize("pieces", [(40,), (1,) * 40, (1, 7, 1, 31)])
def test_outputs_are_sums_over_the_past_however_the_frames_come(pieces: tuple[int, ...]) -> None:
    """y[t] = sum_k H[k] u[t - k stride] + c, nothing before the first frame; a 3 x 3 block and one of another shape."""
    rng = np.random.default_rng(3)
    blocks = Block("a", (0, 2, 3), (1, 0, 4)), Block("b", (1, 2), (2, 3, 5))
    taps = rng.normal(size=(4, 3, 3)), rng.normal(size=(3, 2, 3))
    offsets = rng.normal(size=3), rng.normal(size=3)
    bank, u = DelayBank(blocks, taps, offsets, 2), rng.normal(size=(40, 4))
    expected = np.zeros((40, 6))
    for block, h, c in zip(blocks, taps, offsets, strict=True):
        for t in range(40):
            past = [u[t - 2 * k, block.inputs] @ h[k] for k in range(len(h)) if t >= 2 * k]
            expected[t, block.outputs] = sum(past) + c
    state, out, at = bank.start(), np.zeros((40, 6)), 0
    for count in pieces:
        run_delays(state, u[at : at + count].copy(), out[at : at + count], bank.packed)
        at += count
    np.testing.assert_allclose(out, expected, atol=1e-12)
