"""Probabilities of jumps that make all parts of a class be followed about equally often."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.density import even_jumps, learn
from freshtake.density.even_jumps import JumpTable, joined, jump_table, no_jumps
from freshtake.density.possible_jumps import Jumps
from freshtake.numeric.arrays import Floats
from tests.density.made import FRAME_TIME, PERIOD, orbit

RATE, FADE = 1.0 / 30.0, 10


def drifting(cycles: int, drift: float) -> Floats:
    """Return a cyclic motion that changes slowly: each cycle is next to the one before."""
    take = orbit(1, cycles)
    return take + np.linspace(0.0, drift * cycles, len(take))[:, None] * np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0])


def two_halves() -> Jumps:
    """200 kernels: many jumps back within each half, and one from the second half to the first."""
    here = [*range(40, 100, 3), *range(140, 190, 3), 195, 199]
    there = [*(i - 30 for i in range(40, 100, 3)), *(i - 30 for i in range(140, 190, 3)), 10, 110]
    count = len(here)
    return Jumps(np.array(here), np.array(there), np.zeros(count), np.zeros(count), np.full(count, float(FADE)))


def followed(table: JumpTable, frames: int = 40_000) -> Floats:
    """How often each kernel is followed, relative to the target, in a walk along the table."""
    rng, firsts = np.random.default_rng(0), np.concatenate([[0], np.cumsum(table.counts)])
    here, rest, seen = 0, 0, np.zeros(len(table.counts))
    for chance, pick in rng.random((frames, 2)):
        a, b = firsts[here], firsts[here + 1]
        last = here == len(seen) - 1
        if last or (rest <= 0 and chance < RATE * table.jump_rates[here]):
            here = int(table.goals[a + np.searchsorted(np.cumsum(table.chances[a:b]), min(pick, 0.9999))])
            rest = FADE
        else:
            here, rest = here + 1, rest - 1
        seen[here] += 1.0
    return seen * len(seen) / frames


def test_both_halves_are_followed_though_one_jump_in_forty_leads_back(monkeypatch: pytest.MonkeyPatch) -> None:
    even = followed(jump_table(two_halves(), [(0, 200)], RATE))
    monkeypatch.setattr(even_jumps, "STEP", 0.0)  # by the density alone
    plain = followed(jump_table(two_halves(), [(0, 200)], RATE))
    assert plain[:100].mean() < 0.55
    assert 0.7 < even[:100].mean() < 1.3


def test_much_material_is_left_to_the_density() -> None:
    table = jump_table(two_halves(), [(0, even_jumps.MOST_KERNELS + 1)], RATE)
    assert len(table.goals) == 0 and (table.jump_rates == 1.0).all()


def test_chances_of_a_kernel_add_up_and_the_last_kernel_is_always_left() -> None:
    jumps = two_halves()
    table = jump_table(jumps, [(0, 200)], RATE)
    sums = np.bincount(np.repeat(np.arange(200), table.counts), table.chances, minlength=200)
    np.testing.assert_allclose(sums[np.unique(jumps.here)], 1.0, atol=1e-6)
    assert table.jump_rates[199] * RATE == pytest.approx(1.0, rel=1e-6)
    assert (table.jump_rates[np.setdiff1d(np.arange(200), jumps.here)] == 0.0).all()


def test_tables_of_classes_stand_one_after_the_other() -> None:
    table = joined([no_jumps(7), jump_table(two_halves(), [(0, 200)], RATE)])
    assert len(table.counts) == 207 and table.goals.min() == 7 + two_halves().there.min()
    assert (table.jump_rates[:7] == 1.0).all()


def test_a_take_that_changes_as_it_goes_on_is_gone_through_from_end_to_end() -> None:
    """Jumps lead back by one cycle at a time: by the density alone the last cycles are repeated endlessly."""
    take = drifting(7, 0.9)
    model = learn({"a": [take]}, frame_time=FRAME_TIME)
    rows = model.rows(np.random.default_rng(0), frames=8000)[:, : model.modes]
    data = model.encode(take)
    nearest = np.linalg.norm(rows[::5, None] - data[None], axis=2).argmin(axis=1)
    shares = np.histogram(nearest, bins=np.arange(0, len(data) + PERIOD, PERIOD))[0] / len(nearest)
    assert shares[1:5].min() > 0.06  # of 1/7 each
