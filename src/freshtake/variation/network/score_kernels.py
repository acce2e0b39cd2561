"""Cross-validated scores of single nodes (Lau 2009, §5.1, eq. 3-4); the network's score is their sum."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.variation.network.regression import (
    Regression,
    kth_smallest,
    log_density,
    weigh,
    weighted_gaussian,
    weighted_mean,
    weighted_variance,
)

SLACK = 1.0 + 1e-9  # so that rounding never gives up what is as good


class HeldOutTakes(NamedTuple):
    """What is predicted, and from what: rows of all examples, and for every one the instances of the others."""

    columns: Floats  # (DOFs, rows)
    weights: Floats  # (DOFs,)
    queries: Ints  # (n,): row of the newest known frame, example after example
    clips: Ints  # (n,): which example
    fresh: Ints  # (n,): 1 where an example begins
    pools: Ints  # (examples, instances), padded with -1
    sizes: Ints  # (examples,): instances in each pool
    order: int


class NodeEdits(NamedTuple):
    """A node, its parents, and the candidates to be scored beside them one by one; sets of node numbers."""

    node: int
    parents: Ints
    candidates: Ints  # (candidates, nodes), padded with -1
    keep: int  # instances that are looked at first, 0: all of them
    above: float  # calibrated scores that are not above it may be given as -infinity


class Way(NamedTuple):
    """How a node is predicted and scored."""

    rule: Regression
    floor: float  # least variance
    delta: bool  # the change from the newest frame, not the value
    propagated: bool  # predictions are fed back (Lau 2009, eq. 4: the hat on Pa)
    calibrated: bool  # see `recalibrated`


@compiled
def prior_scores(
    parents: Ints,
    distances: Floats,
    values: Floats,
    others: Ints,
    rule: Regression,
    floor: float,
    out: Floats,
) -> None:
    """Sum over instances of log P(X_i | parents), each instance's own group left out (Lau 2009, eq. 3).

    A row of `parents` is one set, padded with -1; `distances` (nodes, instances, instances) are the squared
    distances of every node; `others` (instances, most) those that an instance may learn from. With no parents the
    mean and variance of the others are used. The paper leaves out the instance alone; the default leaves out its
    clip, because neighbouring frames of one clip leak information about each other.
    """
    count, most = others.shape
    row, targets, w = np.empty(most), np.empty(most), np.empty(most)
    for s in range(parents.shape[0]):
        score, limit = 0.0, 1.0
        for j in range(count):
            used = 0
            while used < most and others[j, used] >= 0:
                targets[used] = values[others[j, used]]
                row[used] = 0.0
                used += 1
            alone = True
            for k in range(parents.shape[1]):
                if parents[s, k] >= 0:
                    alone = False
                    parent_distances = distances[parents[s, k], j]
                    for c in range(used):
                        row[c] += parent_distances[others[j, c]]
            if alone:
                w[:used] = 1.0
                mean = weighted_mean(w, targets, used)
                variance = weighted_variance(w, targets, used, mean, used, floor)
            else:
                limit = kth_smallest(row, used, rule.neighbors, limit)
                mean, variance = weighted_gaussian(row, targets, used, limit, rule, floor, w)
            score += log_density(values[j], mean, variance)
        out[s] = score


@compiled
def distances(held: HeldOutTakes, nodes: Ints, out: Floats) -> None:
    """Squared distances (queries, instances) of parents, given as node numbers slice * DOFs + i."""
    dofs, most = held.columns.shape[0], held.pools.shape[1]
    gathered = np.empty((nodes.shape[0], most))
    clip, count = -1, 0
    for q in range(held.queries.shape[0]):
        if held.clips[q] != clip:
            clip = held.clips[q]
            count = held.sizes[clip]
            for m in range(nodes.shape[0]):
                shift = held.order - 1 - nodes[m] // dofs
                for c in range(count):
                    gathered[m, c] = held.columns[nodes[m] % dofs, held.pools[clip, c] - shift]
        row = out[q]
        row[:] = 0.0
        for m in range(nodes.shape[0]):
            dof = nodes[m] % dofs
            x = held.columns[dof, held.queries[q] - (held.order - 1 - nodes[m] // dofs)]
            w, known = held.weights[dof] * held.weights[dof], gathered[m]
            for c in range(count):
                difference = x - known[c]
                row[c] += w * difference * difference


@compiled
def describe(held: HeldOutTakes, node: int, delta: bool, rows: Ints, count: int, out: Floats) -> None:
    """The node's own known frames, oldest first, and its target, (order + 1, instances), at some rows."""
    column = held.columns[node]
    for s in range(held.order):
        for c in range(count):
            out[s, c] = column[rows[c] - (held.order - 1) + s]
    for c in range(count):
        out[held.order, c] = column[rows[c] + 1] - (column[rows[c]] if delta else 0.0)


class Listed(NamedTuple):
    """Lists of instances with the squared distances of the parents and what `describe` says of them."""

    rows: Ints  # (lists, most)
    base: Floats  # (lists, most)
    own: Floats  # (lists, order + 1, most)
    counts: Ints  # (lists,)
    beyond: Floats  # (lists,): all instances that are not listed are farther than this


class Lists(NamedTuple):
    """Instances to look at."""

    pools: Listed  # a list per example, but squared distances per query: those of the parents at the data
    short: Listed  # a list per query, may be empty


@compiled
def nothing_listed(held: HeldOutTakes) -> Listed:
    """No list for any query."""
    n = held.queries.shape[0]
    return Listed(
        np.empty((n, 0), dtype=np.intp), np.empty((n, 0)), np.empty((n, held.order + 1, 0)),
        np.zeros(n, dtype=np.intp), np.full(n, -np.inf),
    )  # fmt: skip


@compiled
def shortlisted(held: HeldOutTakes, node: int, delta: bool, base: Floats, keep: int) -> Listed:
    """Per query the `keep` instances that are nearest by the parents alone: one more parent only adds to distances."""
    n, most = base.shape
    counts, beyond = np.zeros(n, dtype=np.intp), np.full(n, base[0, : held.sizes[held.clips[0]]].mean())
    for q in range(n):
        count = held.sizes[held.clips[q]]
        beyond[q] = kth_smallest(base[q], count, keep, beyond[max(q - 1, 0)])
        for c in range(count):
            counts[q] += base[q, c] <= beyond[q]
    width = counts.max()
    rows, near = np.empty((n, width), dtype=np.intp), np.empty((n, width))
    own = np.empty((n, held.order + 1, width))
    for q in range(n):
        pool, used = held.pools[held.clips[q]], 0
        for c in range(held.sizes[held.clips[q]]):
            if base[q, c] <= beyond[q]:
                rows[q, used] = pool[c]
                near[q, used] = base[q, c]
                used += 1
        describe(held, node, delta, rows[q], used, own[q])
        if used == held.sizes[held.clips[q]]:
            beyond[q] = np.inf
    return Listed(rows, near, own, counts, beyond)


@compiled
def add_candidate(held: HeldOutTakes, nodes: Ints, query: int, rows: Ints, count: int, squared: Floats) -> None:
    """Add what the nodes of one candidate parent say of the instances at some rows."""
    dofs = held.columns.shape[0]
    for m in range(nodes.shape[0]):
        if nodes[m] >= 0:
            dof, shift = nodes[m] % dofs, held.order - 1 - nodes[m] // dofs
            column, w = held.columns[dof], held.weights[dof] * held.weights[dof]
            x = column[query - shift]
            for c in range(count):
                difference = x - column[rows[c] - shift]
                squared[c] += w * difference * difference


@compiled
def add_own(past: Floats, own: Floats, w: float, v: float, count: int, squared: Floats) -> None:
    """Add what the node's own parents and its velocity say; `past` may be predictions."""
    order = past.shape[0]
    for s in range(order):
        x, known = past[s], own[s]
        for c in range(count):
            difference = x - known[c]
            squared[c] += w * difference * difference
    if order > 1:
        moving, newer, older = past[order - 1] - past[order - 2], own[order - 1], own[order - 2]
        for c in range(count):
            difference = moving - (newer[c] - older[c])
            squared[c] += v * w * difference * difference


@compiled
def nearest(
    squared: Floats, targets: Floats, count: int, neighbors: int, guess: float, near: Floats, near_targets: Floats
) -> int:
    """Keep those not farther than the k-th, whose distance follows the last one that is kept."""
    limit = kth_smallest(squared, count, neighbors, guess)
    nearby = 0
    for c in range(count):
        near[nearby] = squared[c]
        near_targets[nearby] = targets[c]
        nearby += squared[c] <= limit
    near[nearby] = limit
    return nearby


@compiled
def predict_node(
    held: HeldOutTakes,
    node: int,
    candidate: Ints,  # (nodes,): one more parent, padded with -1
    lists: Lists,
    way: Way,
    worst: float,
    gaussians: Floats,
) -> float:
    """Predict one DOF along held-out examples, the node fed with its own predictions.

    `gaussians` (2, queries) are means and, unless calibrated, variances of the next frame.
    Returns the sum of squared errors, or infinity as soon as it passes `worst`.
    Exact: a shortlist is left for the whole pool wherever an instance outside it could be among the nearest.
    """
    rule, pools, short = way.rule, lists.pools, lists.short
    order, most = held.order, pools.rows.shape[1]
    squared, near, near_targets, w = np.empty(most), np.empty(most + 1), np.empty(most + 1), np.empty(most)
    past, weight = np.empty(order), held.weights[node] * held.weights[node]
    guess, error = 1.0, 0.0
    for q in range(held.queries.shape[0]):
        query, clip = held.queries[q], held.clips[q]
        if held.fresh[q] == 1 or not way.propagated:
            past[:] = held.columns[node, query - order + 1 : query + 1]
        nearby, count = 0, short.counts[q]
        if count > 0:
            squared[:count] = short.base[q, :count]
            add_candidate(held, candidate, query, short.rows[q], count, squared)
            add_own(past, short.own[q], weight, rule.velocity_weight, count, squared)
            nearby = nearest(squared, short.own[q, order], count, rule.neighbors, guess, near, near_targets)
            guess = near[nearby]
        if nearby == 0 or guess > short.beyond[q]:
            count = pools.counts[clip]
            squared[:count] = pools.base[q, :count]
            add_candidate(held, candidate, query, pools.rows[clip], count, squared)
            add_own(past, pools.own[clip], weight, rule.velocity_weight, count, squared)
            nearby = nearest(squared, pools.own[clip, order], count, rule.neighbors, guess, near, near_targets)
        guess = near[nearby]
        positive = weigh(near, nearby, guess, rule.width, rule.adaptive, w)
        mean = weighted_mean(w, near_targets, nearby)
        if not way.calibrated:  # the variance costs a tenth of the search and is not used there
            gaussians[1, q] = weighted_variance(w, near_targets, nearby, mean, positive, way.floor)
        if way.delta:
            mean += past[order - 1]
        gaussians[0, q] = mean
        past[: order - 1] = past[1:]
        past[order - 1] = mean
        difference = held.columns[node, query + 1] - mean
        error += difference * difference
        if error > worst:
            return np.inf
    return error


@compiled
def likelihood(truth: Floats, gaussians: Floats) -> float:
    """Sum of log densities: the score as printed; `gaussians` (2, queries) are means and variances."""
    total = 0.0
    for q in range(truth.shape[0]):
        total += log_density(truth[q], gaussians[0, q], gaussians[1, q])
    return total


@compiled
def recalibrated(error: float, count: int, floor: float) -> float:
    """The same with one variance for all frames, that of the errors themselves, from the sum of their squares.

    Departs from the paper: once errors have propagated, the variances of eq. 6 are far too small, and the printed
    score measures little but the drift in phase.
    """
    return -0.5 * count * (np.log(2.0 * np.pi * max(error / count, floor)) + 1.0)


@compiled
def error_of(score: float, count: int) -> float:
    """The sum of squared errors with which `recalibrated` gives this score."""
    return count * np.exp(-2.0 * score / count - 1.0) / (2.0 * np.pi)


@compiled
def transition_scores(held: HeldOutTakes, edits: NodeEdits, way: Way, base: Floats, out: Floats) -> None:
    """Scores of one node with each of the candidates beside the parents: its summand of Lau 2009, eq. 4.

    `base` (queries, instances) is room to work in. Calibrated scores that an earlier candidate surpasses may be given
    as -infinity.
    """
    node, parents, candidates, keep, above = edits
    n, clips, most = held.queries.shape[0], held.pools.shape[0], held.pools.shape[1]
    distances(held, parents, base)
    own = np.empty((clips, held.order + 1, most))
    for clip in range(clips):
        describe(held, node, way.delta, held.pools[clip], held.sizes[clip], own[clip])
    pools = Listed(held.pools, base, own, held.sizes, np.empty(0))
    short = shortlisted(held, node, way.delta, base, keep) if keep > 0 else nothing_listed(held)
    lists, truth, gaussians = Lists(pools, short), np.empty(n), np.empty((2, n))
    for q in range(n):
        truth[q] = held.columns[node, held.queries[q] + 1]
    for c in range(candidates.shape[0]):
        worst = SLACK * error_of(above, n) if way.calibrated else np.inf
        error = predict_node(held, node, candidates[c], lists, way, worst, gaussians)
        out[c] = recalibrated(error, n, way.floor) if way.calibrated else likelihood(truth, gaussians)
        if above > -np.inf:
            above = max(above, out[c])
