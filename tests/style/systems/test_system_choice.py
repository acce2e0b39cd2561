"""Which order is chosen, and by which errors."""

from __future__ import annotations

import numpy as np

from freshtake.style.columns import Block
from freshtake.style.model import Settings
from freshtake.style.systems.system_choice import Prior, Trial, fit_systems

PAST = 90


def states(importance: tuple[float, float], slack: float = 1.0) -> int:
    """Of a block whose first output is its input and whose second lags behind it."""
    rng = np.random.default_rng(4)
    trials = []
    for fold in range(3):
        u = np.convolve(rng.normal(size=500), np.hanning(21), mode="valid") / 4.0
        lagging = [0.0]
        for value in u:
            lagging.append(0.85 * lagging[-1] + 0.15 * value)
        outputs = np.stack([u, np.array(lagging[1:])], axis=1)[PAST:] + 0.02 * rng.normal(size=(len(u) - PAST, 2))
        trials.append(Trial(u[:, None], outputs, PAST, fold))
    known = Prior(np.zeros((1, 2)), np.array(importance), slack)
    block = (Block("joint", (0,), (0, 1)),)
    bank, _ = fit_systems(block, trials, known, Settings(steadiness=0.0), 60.0, map)
    return len(bank.systems[0].damping)


def test_the_errors_of_outputs_that_count_decide_how_many_states_there_are() -> None:
    assert states((0.0, 1.0)) > 0
    assert states((1.0, 0.0), slack=1.05) == 0  # a static map is as good
    assert states((1.0, 1e-9), slack=1.05) == 0


def test_of_systems_that_are_as_good_the_smallest_is_taken() -> None:
    assert states((0.0, 1.0), slack=1.1) <= states((0.0, 1.0))
    assert states((0.0, 1.0), slack=1e9) == 0
