"""The compiled parent search against ridge regressions on the data itself, and a brute-force greedy search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from freshtake.numeric.arrays import Floats
from freshtake.variation.network.parent_search import (
    TRAIT_FLOOR,
    FoldFit,
    Limits,
    Moments,
    TraitFolds,
    Weights,
    best_parents,
    error,
    error_with,
    fit,
    likeness,
    node_score,
    trait_errors,
)

NODES, TRAITS = 4, 3
RIDGE = 0.05


class Data(NamedTuple):
    """Rows (frames, 3 nodes) of known and left-out takes and their traits, fold by fold."""

    known: list[Floats]
    left: list[Floats]
    traits: list[Floats]  # (takes, traits, nodes)
    left_traits: list[Floats]

    @property
    def moments(self) -> Moments:
        return Moments(*(np.stack([x.T @ x / len(x) for x in rows]) for rows in (self.known, self.left)))

    @property
    def folds(self) -> TraitFolds:
        """Padded with takes of zeros, as learning does."""
        most, left = max(map(len, self.traits)), max(map(len, self.left_traits))
        known = np.stack([np.concatenate([x, np.zeros((most - len(x), *x.shape[1:]))]) for x in self.traits])
        away = np.stack([np.concatenate([x, np.zeros((left - len(x), *x.shape[1:]))]) for x in self.left_traits])
        counts = np.array([float(len(x)) for x in self.left_traits])
        return TraitFolds(known, away, counts, 0.1 * np.arange(1.0, 1.0 + len(counts)))


def data(seed: int, folds: int = 3) -> Data:
    rng = np.random.default_rng(seed)
    mixing = np.eye(3 * NODES) + 0.4 * rng.normal(size=(3 * NODES, 3 * NODES))
    tied = np.eye(NODES) + 0.5 * rng.normal(size=(NODES, NODES))
    return Data(
        [rng.normal(size=(40, 3 * NODES)) @ mixing for _ in range(folds)],
        [rng.normal(size=(15, 3 * NODES)) @ mixing for _ in range(folds)],
        [rng.normal(size=(5 + k % 2, TRAITS, NODES)) @ tied for k in range(folds)],
        [rng.normal(size=(1 + k % 2, TRAITS, NODES)) @ tied for k in range(folds)],
    )


def slow_slopes(rows: Floats, target: int, parents: list[int]) -> Floats:
    """Ridge regression on the rows: least squares with one more row per parent."""
    x = np.concatenate([rows[:, parents], np.sqrt(RIDGE * len(rows)) * np.eye(len(parents))])
    y = np.concatenate([rows[:, target], np.zeros(len(parents))])
    return np.linalg.lstsq(x, y, rcond=None)[0]


def slow_errors(own: Data, target: int, parents: list[int]) -> Floats:
    """Mean squared errors of left-out rows, fold by fold."""
    return np.array([
        ((left[:, target] - left[:, parents] @ slow_slopes(known, target, parents)) ** 2).mean()
        for known, left in zip(own.known, own.left, strict=True)
    ])  # fmt: skip


def slow_trait_errors(own: Data, target: int, parents: list[int]) -> Floats:
    """(traits,): squared errors of left-out traits by those of the parents that are of the same frame, all folds."""
    inside = [p for p in parents if p < NODES]
    out = np.zeros(TRAITS)
    for known, left, ridge in zip(own.traits, own.left_traits, own.folds.ridge, strict=True):
        for q in range(TRAITS):
            x = np.concatenate([known[:, q, inside], np.sqrt(ridge) * np.eye(len(inside))])
            y = np.concatenate([known[:, q, target], np.zeros(len(inside))])
            slopes = np.linalg.lstsq(x, y, rcond=None)[0]
            out[q] += ((left[:, q, target] - left[:, q, inside] @ slopes) ** 2).mean()
    return out


def slow_score(own: Data, target: int, parents: list[int], weights: Weights) -> float:
    of_traits = weights.trait * np.log(slow_trait_errors(own, target, parents) + TRAIT_FLOOR).sum()
    return float(-0.5 * (weights.rest * np.log(slow_errors(own, target, parents).sum()) + of_traits))


def slow_search(
    own: Data, target: int, start: list[int], candidates: list[int], most: int, gain: float, weights: Weights
) -> list[int]:
    """All additions tried, the best one taken, until none is worth `gain`."""
    parents = list(start)
    while len(parents) < most:
        scores = {c: slow_score(own, target, [*parents, c], weights) for c in candidates if c not in parents}
        best = max(scores, key=scores.__getitem__, default=-1)
        if best < 0 or scores[best] - slow_score(own, target, parents, weights) < gain:
            break
        parents.append(best)
    return parents


def numbers(parents: list[int]) -> np.ndarray:
    return np.array(parents, dtype=np.intp)


@pytest.mark.parametrize("parents", [[], [5], [5, 9, 0, 7]])
def test_slopes_and_errors_are_those_of_the_data(parents: list[int]) -> None:
    own = data(1)
    inverse, slopes = np.zeros((6, 6)), np.zeros(6)
    for f in range(3):
        fit(own.moments.known[f], 1, numbers(parents), RIDGE, inverse, slopes)
        np.testing.assert_allclose(slopes[: len(parents)], slow_slopes(own.known[f], 1, parents), atol=1e-10)
        found = error(own.moments.left[f], 1, numbers(parents), slopes)
        assert found == pytest.approx(slow_errors(own, 1, parents)[f], rel=1e-10)


@pytest.mark.parametrize("parents", [[], [5], [5, 9, 0]])
def test_one_parent_more_costs_no_new_fit(parents: list[int]) -> None:
    own = data(2)
    inverse, slopes, room = np.zeros((6, 6)), np.zeros(6), np.empty(6)
    for candidate in (2, 3, 6, 11):
        for f in range(3):
            known, left = own.moments.known[f], own.moments.left[f]
            fit(known, 1, numbers(parents), RIDGE, inverse, slopes)
            before = error(left, 1, numbers(parents), slopes)
            fold = FoldFit(known, left, inverse, slopes, before)
            found = error_with(fold, 1, numbers(parents), RIDGE, candidate, room)
            assert found == pytest.approx(slow_errors(own, 1, [*parents, candidate])[f], rel=1e-9)


@pytest.mark.parametrize("parents", [[], [0], [0, 2]])
def test_traits_are_predicted_by_the_same_trait_of_the_parents(parents: list[int]) -> None:
    own = data(3)
    folds = own.folds
    takes, left = folds.known.shape[1], folds.left.shape[1]
    inner, across = np.zeros((3, TRAITS, takes, takes)), np.zeros((3, TRAITS, left, takes))
    for parent in parents:
        for f in range(3):
            likeness(folds.known[f], folds.known[f], parent, inner[f])
            likeness(folds.left[f], folds.known[f], parent, across[f])
    out = np.empty(TRAITS)
    trait_errors(folds, 1, inner, across, -1, out)
    np.testing.assert_allclose(out, slow_trait_errors(own, 1, parents), rtol=1e-9)
    trait_errors(folds, 1, inner, across, 3, out)
    np.testing.assert_allclose(out, slow_trait_errors(own, 1, [*parents, 3]), rtol=1e-9)


@pytest.mark.parametrize("trait", [0.0, 5.0])
@pytest.mark.parametrize("parents", [[], [5, 9], [5, 9, 0, 2, 7]])
def test_the_score_of_a_node(parents: list[int], trait: float) -> None:
    own, weights = data(4), Weights(30.0, trait)
    found = node_score(own.moments, own.folds, 1, numbers(parents), RIDGE, weights)
    assert found == pytest.approx(slow_score(own, 1, parents, weights), rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("trait", [0.0, 5.0])
def test_the_greedy_search_is_that_of_all_additions(seed: int, trait: float) -> None:
    own, weights = data(10 + seed), Weights(30.0, trait)
    target = 3
    start, candidates = [NODES + target, 2 * NODES + target], [0, 1, 2, 4, 5, 6]
    for most, gain in ((7, 0.3), (7, 3.0), (3, 0.3), (8, -np.inf)):
        limits = Limits(most, gain, RIDGE)
        found = best_parents(own.moments, own.folds, target, numbers(start), numbers(candidates), limits, weights)
        assert found.tolist() == slow_search(own, target, start, candidates, most, gain, weights)
