"""Inputs are smoothed where motion can be foreseen, and only there."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.style.columns import Block
from freshtake.style.settings import Settings
from freshtake.style.systems.system_choice import CALMING, Prior, Trial, calming_of
from freshtake.style.translation_kernels import calmed

DT = 1.0 / 60.0
PAST = 90


def chosen(signals: list[Floats]) -> float:
    """For one DOF of which the target is twice the source, but for what differs from take to take."""
    rng = np.random.default_rng(1)

    wanted = [2.0 * u[PAST:, None] + 0.3 * rng.normal(size=(len(u) - PAST, 1)) for u in signals]

    def trials_of(calming: float) -> list[Trial]:
        rows = [calmed(u[:, None], np.stack([u[:1], u[:1]]), calming, DT) for u in signals]
        return [Trial(r, wanted[k], PAST, k) for k, r in enumerate(rows)]

    block = (Block("joint", (0,), (0,)),)
    known = Prior(np.zeros((1, 1)), np.ones(1))
    return calming_of(block, trials_of, known, Settings(), 60.0, map, lambda errors: float(np.sqrt(errors.sum())))


def test_what_swings_is_smoothed_and_what_comes_suddenly_is_not() -> None:
    rng = np.random.default_rng(0)
    t = np.arange(0.0, 6.0, DT)
    gait = [np.sin(2.0 * np.pi * (0.9 * t + rng.random())) + 0.1 * rng.normal(size=len(t)) for _ in range(4)]
    assert chosen(gait) == CALMING
    blows = [np.convolve(rng.normal(size=len(t)), np.hanning(9), mode="same") for _ in range(4)]
    assert chosen(blows) == 0.0
    assert chosen(gait[:1]) == 0.0  # nothing to leave out


def test_calming_keeps_what_stands_and_takes_away_what_shakes() -> None:
    steady = np.full((50, 2), 3.0)
    np.testing.assert_allclose(calmed(steady, np.full((2, 2), 3.0), 0.03, DT), steady)
    shaking = np.tile([[1.0], [-1.0]], (100, 1))
    assert np.abs(calmed(shaking, np.zeros((2, 1)), 0.03, DT)[50:]).max() < 0.1
    np.testing.assert_array_equal(calmed(shaking, np.zeros((2, 1)), 0.0, DT), shaking)
