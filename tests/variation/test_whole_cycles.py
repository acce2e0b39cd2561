"""Variants of a cyclic movement run from phase to equal phase; how long that takes is up to the tempo."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.variation import VariationModel, learn


@pytest.fixture(scope="module")
def circling() -> VariationModel:
    """Cycles of slightly different size, about 60 frames each."""
    rng = np.random.default_rng(5)
    rounds = []
    for frames in (59, 60, 61, 63):
        angle = np.linspace(0.0, 2.0 * np.pi, frames)
        size = 1.0 + 0.1 * rng.standard_normal(2)
        rounds.append(np.stack([size[0] * np.cos(angle), size[1] * np.sin(angle), np.cos(2 * angle)], axis=1))
    return learn(rounds, rng=rng, names=["a", "b", "c"], cyclic=True)


def phase(rows: np.ndarray) -> np.ndarray:
    return np.unwrap(np.arctan2(rows[:, 1], rows[:, 0])) / (2.0 * np.pi)


@pytest.mark.parametrize("cycles", [1, 3])
def test_so_many_cycles_are_made(circling: VariationModel, cycles: int) -> None:
    for seed in range(5):
        rows = circling.sample(np.random.default_rng(seed), cycles=cycles)
        turned = phase(rows)
        assert turned[-1] - turned[0] == pytest.approx(cycles, abs=0.05)


def test_lengths_vary_with_the_tempo(circling: VariationModel) -> None:
    lengths = [len(circling.sample(np.random.default_rng(seed))) for seed in range(20)]
    assert len(set(lengths)) > 3
    assert np.mean(lengths) == pytest.approx(60.75, rel=0.05)
    assert len({len(circling.sample(np.random.default_rng(seed), amount=0.0)) for seed in range(5)}) == 1


def test_no_cycles_are_refused(circling: VariationModel) -> None:
    with pytest.raises(UsageError, match="1 or more"):
        circling.sample(np.random.default_rng(0), cycles=0)
