"""Which nodes predict a node's deviation best: greedy additions of parents, scored on takes left out.

Lau 2009, §5.1: a score that is a sum over nodes, from examples left out, and greedy search over edges. Nodes have a
fixed order (those that move the body most come first), and a parent within the frame comes before its child, so no
edge can close a cycle (Cooper and Herskovits 1992 search in this way).

All that the search needs to know of the examples are second moments: of the takes that are known and of those left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled

RIDGE = 0.03  # of coefficients, against deviations of variance 1: takes are few
OWN_RIDGE = 0.003  # of a node's own past, for which every frame of every take is evidence
TINY = 1e-9
TRAIT_FLOOR = 1e-2  # of a trait's held-out error: of four takes one may be hit by chance


class Moments(NamedTuple):
    """Second moments of standardized deviations; columns are slice * nodes + node, slice 0 the newest, then older."""

    known: Floats  # (folds, 3 nodes, 3 nodes): of the takes that are known
    left: Floats  # (folds, 3 nodes, 3 nodes): of those left out, from the mean of the others


class TraitFolds(NamedTuple):
    """Traits of the takes that are known and of those left out, all from the mean of the known, fold by fold.

    Folds are padded with takes of zeros to one size: these change nothing.
    """

    known: Floats  # (folds, takes, traits, nodes)
    left: Floats  # (folds, takes left out, traits, nodes)
    sizes: Floats  # (folds,): how many takes left out there are
    ridge: Floats  # (folds,)


class Weights(NamedTuple):
    """How many independent observations the rest of the deviations and each trait are worth."""

    rest: float
    trait: float  # 0: not counted


class Limits(NamedTuple):
    """When the search for parents ends."""

    most: int  # parents, own ones included
    gain: float  # of the score, that a parent is worth at least
    ridge: float


class FoldFit(NamedTuple):
    """A regression on the parents so far: second moments of one fold, and what `fit` and `error` say of it."""

    known: Floats  # (3 nodes, 3 nodes)
    left: Floats  # (3 nodes, 3 nodes)
    inverse: Floats
    slopes: Floats
    error: float


@compiled
def fit(moments: Floats, target: int, parents: Ints, ridge: float, inverse: Floats, slopes: Floats) -> None:
    """Ridge regression of `target` on the parents from second moments: slopes (parents,), and the inverse used."""
    count = parents.shape[0]
    if count == 0:
        return
    matrix = np.empty((count, count))
    for a in range(count):
        for b in range(count):
            matrix[a, b] = moments[parents[a], parents[b]]
        matrix[a, a] += ridge
    inverse[:count, :count] = np.linalg.inv(matrix)
    for a in range(count):
        slopes[a] = 0.0
        for b in range(count):
            slopes[a] += inverse[a, b] * moments[parents[b], target]


@compiled
def error(moments: Floats, target: int, parents: Ints, slopes: Floats) -> float:
    """Mean squared error of a prediction with these slopes where the data has these second moments."""
    out = moments[target, target]
    for a in range(parents.shape[0]):
        out -= 2.0 * slopes[a] * moments[parents[a], target]
        for b in range(parents.shape[0]):
            out += slopes[a] * slopes[b] * moments[parents[a], parents[b]]
    return float(out)


@compiled
def error_with(fold: FoldFit, target: int, parents: Ints, ridge: float, candidate: int, around: Floats) -> float:
    """The held-out error with one parent more, from the fit without it (a bordered system).

    The candidate less its own prediction by the parents is u = x_c - around . x_p; the target's residual r becomes
    r - slope u, and the error E[r^2] - 2 slope E[r u] + slope^2 E[u^2].
    """
    known, left, inverse, slopes, before = fold
    count = parents.shape[0]
    scale, slope = known[candidate, candidate] + ridge, known[candidate, target]
    for a in range(count):
        around[a] = 0.0
        for b in range(count):
            around[a] += inverse[a, b] * known[parents[b], candidate]
        slope -= slopes[a] * known[parents[a], candidate]
    for a in range(count):
        scale -= around[a] * known[parents[a], candidate]
    slope /= max(scale, TINY)
    cross, square = left[target, candidate], left[candidate, candidate]
    for a in range(count):
        p = parents[a]
        cross -= slopes[a] * left[p, candidate] + around[a] * left[p, target]
        square -= 2.0 * around[a] * left[p, candidate]
        for b in range(count):
            cross += around[a] * left[p, parents[b]] * slopes[b]
            square += around[a] * left[p, parents[b]] * around[b]
    return float(before - 2.0 * slope * cross + slope * slope * square)


@compiled
def likeness(some: Floats, others: Floats, node: int, out: Floats) -> None:
    """Add to `out` (traits, some, others) the products of two groups of takes' traits of one node."""
    for q in range(some.shape[1]):
        for a in range(some.shape[0]):
            for b in range(others.shape[0]):
                out[q, a, b] += some[a, q, node] * others[b, q, node]


@compiled
def trait_errors(
    folds: TraitFolds, target: int, inner: Floats, across: Floats, candidate: int, out: Floats
) -> None:  # fmt: skip
    """Held-out squared errors (traits,) of a node's traits given those of its parents and of one candidate more.

    Ridge regression in its dual form: y = across (inner + ridge I)^-1 Y, where `inner` (folds, traits, takes, takes)
    and `across` (folds, traits, left out, takes) are products of the parents' traits. A candidate of -1 adds no parent.
    """
    known, traits = folds.known.shape[1], folds.known.shape[2]
    out[:] = 0.0
    matrix, cross, wanted = np.empty(inner.shape[1:]), np.empty(across.shape[1:]), np.empty(known)
    for f in range(folds.known.shape[0]):
        matrix[:] = inner[f]
        cross[:] = across[f]
        if candidate >= 0:
            likeness(folds.known[f], folds.known[f], candidate, matrix)
            likeness(folds.left[f], folds.known[f], candidate, cross)
        for q in range(traits):
            for a in range(known):
                matrix[q, a, a] += folds.ridge[f]
                wanted[a] = folds.known[f, a, q, target]
            slopes = np.linalg.solve(matrix[q], wanted)
            for a in range(folds.left.shape[1]):
                gap = folds.left[f, a, q, target]
                for b in range(known):
                    gap -= cross[q, a, b] * slopes[b]
                out[q] += gap * gap / folds.sizes[f]


@compiled
def node_score(
    moments: Moments, folds: TraitFolds, target: int, parents: Ints, ridge: float, weights: Weights
) -> float:  # fmt: skip
    """The score of one node with exactly these parents, see `best_parents`."""
    nodes, size, squares = moments.known.shape[1] // 3, parents.shape[0], np.empty(folds.known.shape[2])
    inverse, slopes, total = np.zeros((size, size)), np.zeros(size), 0.0
    for f in range(moments.known.shape[0]):
        fit(moments.known[f], target, parents, ridge, inverse, slopes)
        total += error(moments.left[f], target, parents, slopes)
    inner = np.zeros((folds.known.shape[0], folds.known.shape[2], folds.known.shape[1], folds.known.shape[1]))
    across = np.zeros((folds.known.shape[0], folds.known.shape[2], folds.left.shape[1], folds.known.shape[1]))
    for parent in parents:
        if parent < nodes:
            for f in range(folds.known.shape[0]):
                likeness(folds.known[f], folds.known[f], parent, inner[f])
                likeness(folds.left[f], folds.known[f], parent, across[f])
    trait_errors(folds, target, inner, across, -1, squares)
    of_traits = -0.5 * weights.trait * np.log(squares + TRAIT_FLOOR).sum()
    return float(of_traits - 0.5 * weights.rest * np.log(max(total, TINY)))


@compiled
def best_parents(
    moments: Moments, folds: TraitFolds, target: int, own: Ints, candidates: Ints, limits: Limits, weights: Weights
) -> Ints:
    """Own parents, and those candidates that add most to the score until none adds as much as the least gain.

    score = -1/2 (w log held-out error of the rest + w' sum_q log held-out error of trait q)

    A trait of a node is predicted by the same trait of those parents that are of the same frame.
    """
    most, gain, ridge = limits
    count, nodes, traits = moments.known.shape[0], moments.known.shape[1] // 3, folds.known.shape[2]
    parents, size = np.empty(most, np.intp), 0
    for parent in own:
        parents[size] = parent
        size += 1
    taken = np.zeros(moments.known.shape[1], np.bool_)
    inverse, slopes, around = np.zeros((count, most, most)), np.zeros((count, most)), np.empty(most)
    errors, squares, trial = np.empty(count), np.empty(traits), np.empty(traits)
    inner = np.zeros((folds.known.shape[0], traits, folds.known.shape[1], folds.known.shape[1]))
    across = np.zeros((folds.known.shape[0], traits, folds.left.shape[1], folds.known.shape[1]))
    while size < most:
        now = parents[:size]
        for f in range(count):
            fit(moments.known[f], target, now, ridge, inverse[f], slopes[f])
            errors[f] = error(moments.left[f], target, now, slopes[f])
        trait_errors(folds, target, inner, across, -1, squares)
        of_traits = -0.5 * weights.trait * np.log(squares + TRAIT_FLOOR).sum()
        score = of_traits - 0.5 * weights.rest * np.log(max(errors.sum(), TINY))
        best, chosen = -np.inf, -1
        for candidate in candidates:
            if taken[candidate]:
                continue
            total = 0.0
            for f in range(count):
                fold = FoldFit(moments.known[f], moments.left[f], inverse[f], slopes[f], errors[f])
                total += error_with(fold, target, now, ridge, candidate, around)
            value = of_traits
            if candidate < nodes and weights.trait > 0.0:
                trait_errors(folds, target, inner, across, candidate, trial)
                value = -0.5 * weights.trait * np.log(trial + TRAIT_FLOOR).sum()
            value -= 0.5 * weights.rest * np.log(max(total, TINY))
            if value > best:
                best, chosen = value, candidate
        if chosen < 0 or best - score < gain:
            break
        parents[size] = chosen
        size += 1
        taken[chosen] = True
        if chosen < nodes:
            for f in range(folds.known.shape[0]):
                likeness(folds.known[f], folds.known[f], chosen, inner[f])
                likeness(folds.left[f], folds.known[f], chosen, across[f])
    return parents[:size].copy()
