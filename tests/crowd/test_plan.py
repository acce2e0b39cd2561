"""How often a view shows a motion twice: compared with simulation, and the smallest library that meets the limit."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.crowd.plan import LoopSet, loops_needed, repetition_probability
from freshtake.errors import UsageError


def test_without_offsets_it_is_the_birthday_problem() -> None:
    assert repetition_probability(23, [LoopSet(1.0, 365, 0.5)]) == pytest.approx(0.507297, abs=1e-6)
    assert repetition_probability(1, [LoopSet(1.0, 1, 0.5)]) == 0.0
    assert repetition_probability(2, [LoopSet(1.0, 1, 0.1)]) == pytest.approx(0.2)  # within w before or after


@pytest.mark.parametrize(
    "sets, visible", [([LoopSet(1.0, 7, 0.05)], 12), ([LoopSet(0.7, 20, 0.1), LoopSet(0.3, 6, 0.03)], 15)]
)
def test_the_formula_agrees_with_throwing_dice(sets: list[LoopSet], visible: int) -> None:
    rng = np.random.default_rng(1)
    trials = 20_000
    group = rng.choice(len(sets), (trials, visible), p=[one.share for one in sets])
    loops, near = np.array([one.loops for one in sets])[group], np.array([one.near for one in sets])[group]
    loop, start = group * 1000 + (rng.random(group.shape) * loops).astype(int), rng.random(group.shape)
    off = np.abs(start[:, :, None] - start[:, None])
    copies = (loop[:, :, None] == loop[:, None]) & (np.minimum(off, 1.0 - off) < near[:, :, None])
    seen = (copies.sum(axis=(1, 2)) > visible).mean()
    assert repetition_probability(visible, sets) == pytest.approx(seen, abs=4 * np.sqrt(0.25 / trials))


def test_the_smallest_library_that_keeps_to_the_probability_is_found() -> None:
    found = loops_needed(30, 0.1, [0.6, 0.4], 0.05)
    risks = [
        repetition_probability(30, [LoopSet(0.6, first, 0.05), LoopSet(0.4, m - first, 0.05)])
        for m in (found - 1, found)
        for first in [1 + round(0.6 * (m - 2))]
    ]
    assert risks[1] <= 0.1 < risks[0]
    with pytest.raises(UsageError, match=r"repetition.probability: 1e-07 for 500 visible characters needs more"):
        loops_needed(500, 1e-7, [1.0], 0.1)
