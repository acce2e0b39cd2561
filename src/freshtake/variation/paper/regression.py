"""Kernel regression of a node on its parents (Lau 2009, §5.2, eq. 5-6), and the transition network unrolled with it.

Frames are predicted one by one (§6, figure 3), both for synthesis and for the score.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.variation.examples import HORIZON
from freshtake.variation.paper.networks import Edges, TransitionNetwork

FLOOR = 1e-6  # the smallest variance, as a fraction of the node's variance over all instances


class Rule(NamedTuple):
    """The parameters of the regression: k, K_W and the weight of the velocity term."""

    neighbors: int
    width: float
    velocity_weight: float


@compiled
def kth_smallest(values: Floats, k: int, guess: float) -> float:
    """Return the k-th smallest (from 1) of values that are not negative.

    A threshold is moved until k values are below it: each count is one pass without
    branches. A good guess needs about four passes; a bad one costs time but not accuracy.
    """
    count = len(values)
    if k >= count:
        return float(values.max())
    low, high, fewer, more, threshold = 0.0, np.inf, 0, count, guess
    # A threshold that has not settled after 20 passes is among equal values.
    for turn in range(20):
        below = 0
        for j in range(count):
            below += values[j] <= threshold
        if below == k:
            out = -np.inf
            for j in range(count):
                out = max(out, values[j] if values[j] <= threshold else -np.inf)
            return out
        if below < k:
            low, fewer = threshold, below
        else:
            high, more = threshold, below
        if high == np.inf:
            threshold = low * min(2.0, (k + 0.5) / max(below, 1))
        elif turn % 3 == 2:
            threshold = 0.5 * (low + high)
        else:
            threshold = low + (high - low) * (k + 0.5 - fewer) / (more - fewer + 1.0)
        if not low < threshold < high:
            break
    # If values are equal or the threshold no longer moves, sort.
    return float(np.sort(values)[k - 1])


@compiled
def nearest_of(values: Floats) -> int:
    """Return the index of the least value: argmin with four running minima, which the processor handles in parallel."""
    a, b, c, d = np.inf, np.inf, np.inf, np.inf
    whole = len(values) - len(values) % 4
    for j in range(0, whole, 4):
        a, b = min(a, values[j]), min(b, values[j + 1])
        c, d = min(c, values[j + 2]), min(d, values[j + 3])
    for j in range(whole, len(values)):
        a = min(a, values[j])
    least = min(min(a, b), min(c, d))
    for j in range(len(values)):
        if values[j] == least:
            return j
    return 0


@compiled
def gaussian(squared: Floats, targets: Floats, rule: Rule, floor: float, weights: Floats) -> tuple[float, float, int]:
    """Return mean and variance of a node, and its nearest instance, from squared parent distances and targets.

    w_k = exp(-D_k^2 / K_W^2)                                     (Lau 2009, eq. 5)
    mu = sum w x / sum w                                          (Lau 2009, eq. 6)
    var = n_k / (n_k - 1) * sum w (x - mu)^2 / sum w

    over the k nearest instances, n_k of them with a weight above 0. Weights are relative to the nearest instance:
    only their ratios count, and far from all instances nothing underflows. The variance has a floor, because
    instances that agree exactly would make likelihoods infinite. `weights` is filled.
    """
    nearest = nearest_of(squared)
    least = squared[nearest]
    scale = max(rule.width * rule.width, 1e-300)
    # exp(-40) changes no sum in double precision, exp(-745) is 0.
    near, countable, positive = least + 40.0 * scale, least + 745.0 * scale, 0
    significant = 0
    for j in range(len(squared)):
        significant += squared[j] <= near
        positive += squared[j] <= countable
    # The k-th distance is needed only where more than k instances have weights that change a sum.
    limit = near
    if significant > rule.neighbors:
        limit = kth_smallest(squared, rule.neighbors, near)
    positive = min(positive, rule.neighbors)
    total, mean = 0.0, 0.0
    for j in range(len(squared)):
        weights[j] = 0.0
        if squared[j] <= limit:
            weights[j] = np.exp((least - squared[j]) / scale)
            total += weights[j]
            mean += weights[j] * targets[j]
    mean /= total
    variance = 0.0
    for j in range(len(squared)):
        if weights[j] > 0.0:
            variance += weights[j] * (targets[j] - mean) * (targets[j] - mean)
    variance = variance / total * (positive / (positive - 1.0) if positive > 1 else 1.0)
    return mean, max(variance, floor), nearest


@compiled
def log_density(x: float, mean: float, variance: float) -> float:
    """Return the logarithm of the normal density."""
    return float(-0.5 * (np.log(2.0 * np.pi * variance) + (x - mean) * (x - mean) / variance))


class Pool(NamedTuple):
    """All training instances of the transition network (§5), one column each.

    `past` (order * n, instances) are the older slices and `now` (n, instances) the predicted one, both times the DOFs'
    weights; `velocities` (n, instances) too, in seconds; `deltas` (n, instances) are the predicted quantities, x[t+2] -
    x[t+1]; `remaining` is the distance of each instance's pose from the last pose of its take, and `shares` the
    fraction of its take before each instance.
    """

    past: Floats
    now: Floats
    velocities: Floats
    deltas: Floats
    remaining: Floats
    shares: Floats


class Wiring(NamedTuple):
    """The edges as arrays: the parents shared by all nodes, and the others of node i, starts[i] to starts[i + 1]."""

    shared: Ints
    starts: Ints
    parents: Ints
    order: Ints  # the nodes in order of prediction


class Unrolled(NamedTuple):
    """Unrolled frames: values (frames, n), beginning with the known frames, and means and variances of the deltas."""

    values: Floats
    means: Floats
    variances: Floats
    ended: bool


def pool_of(examples: Sequence[Floats], weights: Floats, order: int, frame_time: float) -> Pool:
    """Collect n_trans = sum_l (n_l - order) instances."""
    short = [k for k, x in enumerate(examples) if len(x) <= order]
    if short:
        frames = len(examples[short[0]])
        raise UsageError(f"example {short[0] + 1} has {frames} frames: order {order} needs at least {order + 1}")
    slices = [np.concatenate([x[s : len(x) - order + s] for x in examples]).T for s in range(order + 1)]
    newest = slices[order - 1]
    steps = newest - slices[order - 2] if order > 1 else np.zeros_like(newest)
    counts = [len(x) - order for x in examples]
    return Pool(
        np.ascontiguousarray(np.concatenate([x * weights[:, None] for x in slices[:order]])),
        np.ascontiguousarray(slices[order] * weights[:, None]),
        np.ascontiguousarray(steps * weights[:, None] * (HORIZON / frame_time)),
        np.ascontiguousarray(slices[order] - newest),
        np.concatenate([_remaining(x[order - 1 : -1] * weights) for x in examples]),
        np.concatenate([np.arange(1, n + 1) / n for n in counts]),
    )


def _remaining(poses: Floats) -> Floats:
    """Return for each pose the largest distance that it or any later pose has from the last pose."""
    gaps = np.sqrt(((poses - poses[-1]) ** 2).sum(axis=1))
    return np.asarray(np.maximum.accumulate(gaps[::-1])[::-1])


def wiring_of(edges: Edges, order: int) -> Wiring:
    """Split the edges into shared parents and the rest."""
    dofs = len(edges)
    network = TransitionNetwork(tuple(map(str, range(dofs))), order, edges)
    shared = set.intersection(*[{p for p in parents if p < order * dofs} for parents in edges])
    extra = [[p for p in parents if p not in shared] for parents in edges]
    return Wiring(
        np.array(sorted(shared), dtype=np.intp),
        np.cumsum([0, *map(len, extra)]),
        np.array([p for parents in extra for p in parents], dtype=np.intp),
        np.array(network.prediction_order, dtype=np.intp),
    )


def floors_of(pool: Pool) -> Floats:
    """Return the smallest variance allowed for each node."""
    return np.asarray(FLOOR * np.maximum(pool.deltas.var(axis=1), 1e-30))


def unroll(
    wiring: Wiring,
    pool: Pool,
    weights: Floats,
    frame_time: float,
    rule: Rule,
    start: Floats,
    noise: Floats,
    *,
    earliest_end: int,
    cyclic: bool,
    known: Floats | None = None,
    observed: Floats | None = None,
) -> Unrolled:
    """Predict up to len(noise) frames after `start` (order, n), using all instances.

    x_i[t+2] = x_i[t+1] + mu_i + sigma_i e                                              (§6)

    with e from `noise` (frames, n). The motion ends after the frame at which, for more than half of the nodes, the
    nearest instance is the last of its take, or one after which the take stays within K_W of its end, at rest; if
    `cyclic`, also when the nearest instances have passed from the ends of takes to their beginnings. It does not end
    before frame `earliest_end`. The paper leaves the end open.
    With `known` frames (start included), only the nodes in `wiring.order` are predicted, and the others are taken from
    them until they end. With `observed` frames, parents within the predicted frame have the values given there.
    """
    order, frames = len(start), len(noise)
    if known is not None:
        frames, earliest_end = len(known) - order, len(known) + 1
        noise = noise[:frames]
    values = np.empty((order + frames, start.shape[1])) if known is None else known.copy()
    values[:order] = start
    means, variances = np.empty_like(noise), np.empty_like(noise)
    count, ended = _unroll(
        wiring, pool, weights, HORIZON / frame_time, rule, floors_of(pool), noise,
        np.array([earliest_end, int(cyclic)]), values, values if observed is None else observed,
        means, variances,
    )  # fmt: skip
    return Unrolled(values[: order + count], means[:count], variances[:count], ended)


@compiled
def _unroll(
    wiring: Wiring,
    pool: Pool,
    weights: Floats,
    horizon: float,
    rule: Rule,
    floors: Floats,
    noise: Floats,
    ending: Ints,  # earliest end, cyclic
    values: Floats,
    parents_now: Floats,  # (frames, n): where parents within the predicted frame are read
    means: Floats,
    variances: Floats,
) -> tuple[int, bool]:
    frames, n = noise.shape
    order, count = len(values) - frames, pool.past.shape[1]
    common, squared, scratch = np.empty(count), np.empty(count), np.empty(count)
    share_before = 0.0
    for t in range(frames):
        known, new = values[t : t + order], values[t + order]
        # Distances to the shared parents are the same for every node.
        common[:] = 0.0
        for e in range(len(wiring.shared)):
            p = wiring.shared[e]
            query = known[p // n, p % n] * weights[p % n]
            for j in range(count):
                difference = pool.past[p, j] - query
                common[j] += difference * difference
        at_end, share = 0, 0.0
        for i in wiring.order:
            squared[:] = common
            for e in range(wiring.starts[i], wiring.starts[i + 1]):
                p = wiring.parents[e]
                step, dof = p // n, p % n
                query = (known[step, dof] if step < order else parents_now[t + order, dof]) * weights[dof]
                column = pool.past[p] if step < order else pool.now[dof]
                for j in range(count):
                    difference = column[j] - query
                    squared[j] += difference * difference
            if order > 1 and rule.velocity_weight > 0.0:
                query = (known[order - 1, i] - known[order - 2, i]) * weights[i] * horizon
                for j in range(count):
                    difference = pool.velocities[i, j] - query
                    squared[j] += rule.velocity_weight * difference * difference
            mean, variance, nearest = gaussian(squared, pool.deltas[i], rule, floors[i], scratch)
            means[t, i], variances[t, i] = mean, variance
            new[i] = known[order - 1, i] + mean + np.sqrt(variance) * noise[t, i]
            at_end += pool.remaining[nearest] <= rule.width
            share += pool.shares[nearest] / n
        late = t + 1 + order >= ending[0]
        if late and (2 * at_end > n or (ending[1] == 1 and share_before > 0.75 and share < 0.5)):
            return t + 1, True
        share_before = share
    return frames, False
