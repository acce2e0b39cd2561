from __future__ import annotations

import numpy as np
import pytest

from freshtake.density.decoding import root_rates, smooth_rates


@pytest.mark.parametrize("frames", [30, 60, 400])
def test_there_and_back(frames: int) -> None:
    rng = np.random.default_rng(0)
    rates = rng.normal(size=(frames, 3))
    rates[0] = rates[1]
    again = root_rates(smooth_rates(rates, 0.04, 25.0), 0.04)
    np.testing.assert_allclose(again[1:], rates[1:], atol=1e-12)


@pytest.mark.parametrize("frames", [60, 400])
def test_the_swing_of_the_hips_is_taken_out_of_a_straight_walk(frames: int) -> None:
    times = np.arange(frames)
    heading = 0.2 * np.sin(2 * np.pi * times / 25.0)
    travel = 3.0 * np.exp(-1j * np.concatenate([heading[:1], heading[:-1]]))
    turn = np.diff(heading, prepend=heading[0]) / 0.04
    smooth = smooth_rates(np.stack([travel.real, travel.imag, turn], axis=1), 0.04, 25.0)
    inner = smooth[30:-30] if frames > 100 else smooth[1:]
    assert np.abs(inner[:, 2]).max() < 0.1 * np.abs(turn).max()
    assert np.abs(inner[:, 3]).max() == pytest.approx(0.2, rel=0.15)
    assert np.abs(inner[:, 1]).max() < 0.1  # straight on


def test_going_on_needs_the_swing_before() -> None:
    rates = np.random.default_rng(1).normal(size=(10, 4))
    whole = root_rates(rates, 0.1)
    np.testing.assert_allclose(root_rates(rates[4:], 0.1, float(rates[3, 3])), whole[4:])
