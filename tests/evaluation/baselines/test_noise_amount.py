"""The paper's check: noise of an amount that changes a take as much as variants are changed."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.evaluation.baselines import Basis, Changes, basis_of, changes, matched_amount
from freshtake.evaluation.baselines.making import NOISES, change, draft_change, make, match
from freshtake.motion.edit import resample
from tests.evaluation.stepping import takes

INPUTS, VARIANTS = takes(1, 4), takes(2, 6)


@pytest.fixture(scope="module")
def basis() -> Basis:
    return basis_of(INPUTS)


def slow_change(basis: Basis, a: np.ndarray, b: np.ndarray) -> float:
    """Every path of the smallest cost, by a plain table."""
    columns = basis.compared
    a, b = a[:, columns] * basis.weights[columns], b[:, columns] * basis.weights[columns]
    cost = ((a[:, None] - b[None]) ** 2).sum(-1)
    best = {}
    for i in range(len(a)):
        for j in range(len(b)):
            steps = [(best[i - 1, j - 1][0], (i - 1, j - 1), 1.0)] if i and j else []
            steps += [(best[i - 1, j][0], (i - 1, j), 1.1)] if i else []
            steps += [(best[i, j - 1][0], (i, j - 1), 1.1)] if j else []
            total, back = min(((t + f * cost[i, j], p) for t, p, f in steps), default=(cost[i, j], None))
            best[i, j] = (total, back)
    at, path = (len(a) - 1, len(b) - 1), []
    while at is not None:
        path.append(at)
        at = best[at][1]
    return float(np.mean([cost[step] for step in path]))


def test_change_is_the_mean_squared_difference_along_the_warp(basis: Basis) -> None:
    a, b = basis.rows[0][:25], basis.rows[1][:28]
    assert change(basis, a, b) == pytest.approx(slow_change(basis, a, b), rel=1e-9)
    assert change(basis, a, a) == 0.0
    assert change(basis, a, b) == pytest.approx(change(basis, b, a), rel=1e-9)


def test_changes_are_those_of_all_pairs(basis: Basis) -> None:
    sums = [change(basis, basis.encode(v), rows) for v in VARIANTS for rows in basis.rows]
    found = changes(basis, VARIANTS)
    assert found.mean == pytest.approx(np.mean(sums)) and found.spread == pytest.approx(np.std(sums))
    assert found.holds(found.mean + 0.99 * found.spread) and not found.holds(found.mean - 1.01 * found.spread)
    with pytest.raises(UsageError, match="at least one"):
        changes(basis, [])


def test_variants_of_another_rate_are_resampled(basis: Basis) -> None:
    twice = [resample(clip, 120.0) for clip in VARIANTS]
    assert changes(basis, twice).mean == pytest.approx(changes(basis, VARIANTS).mean, rel=1e-3)


@pytest.mark.parametrize("kind", ["strawman", "perlin", "pca"])
@pytest.mark.parametrize("joints", [[], ["LeftArm", "LeftHand"]])
def test_matched_noise_changes_as_much_as_the_variants_within_one_deviation(kind: str, joints: list[str]) -> None:
    basis = basis_of(INPUTS, joints)
    target = changes(basis, VARIANTS)
    drafts = [NOISES[kind](basis, rng) for rng in np.random.default_rng(1).spawn(32)]
    found = matched_amount(basis, drafts, target)
    assert found.change == pytest.approx(target.mean, rel=2e-3)
    assert found.change == pytest.approx(np.mean([draft_change(basis, d, found.amount) for d in drafts]))
    assert 0.1 < found.amount < 10 and found.within >= 0.5
    fresh = [make(basis, kind, rng, amount=found.amount).change for rng in np.random.default_rng(2).spawn(30)]
    assert target.holds(float(np.mean(fresh)))


def test_twice_the_change_needs_more_noise_and_no_change_needs_none(basis: Basis) -> None:
    drafts = [NOISES["perlin"](basis, rng) for rng in np.random.default_rng(3).spawn(4)]
    amounts = [matched_amount(basis, drafts, Changes(m, 1.0)).amount for m in (0.0, 1e-4, 4e-4, 1.6e-3)]
    assert amounts[0] == pytest.approx(0.0, abs=1e-6)
    assert np.all(np.diff(amounts) > 0)
    assert amounts[2] / amounts[1] == pytest.approx(2.0, rel=0.25)  # squares: twice the amount, four times the change


def test_a_combination_that_is_changed_enough_gets_no_noise(basis: Basis) -> None:
    assert match(basis, "convex", Changes(1e-9, 1.0), np.random.default_rng(4)).amount == 0.0
    assert match(basis, "convex", Changes(0.01, 1.0), np.random.default_rng(4)).amount > 0.0


def test_what_cannot_be_matched_says_so(basis: Basis) -> None:
    with pytest.raises(UsageError, match="cannot be matched"):
        match(basis, "replay", Changes(1.0, 1.0), np.random.default_rng(5))
    drafts = [NOISES["perlin"](basis, np.random.default_rng(6))]
    still = [drafts[0]._replace(noise=np.zeros_like(drafts[0].noise))]
    with pytest.raises(UsageError, match="no amount of noise"):
        matched_amount(basis, still, Changes(1.0, 0.1))
    with pytest.raises(UsageError, match="drafts"):
        matched_amount(basis, [], Changes(1.0, 0.1))
