"""All nodes of the transition network, frame after frame (Lau 2009, fig. 3): one kernel for scores and synthesis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.variation.network.instances import TransitionInstances
from freshtake.variation.network.networks import Edges, TransitionNetwork, topological_order
from freshtake.variation.network.regression import (
    FLOOR,
    Regression,
    kth_smallest,
    weighted_gaussian,
    weighted_mean,
)


class Pool(NamedTuple):
    """The instances that are learned from, laid out so that every loop over them is contiguous."""

    known: Floats  # (slices * DOFs, instances): weighted values, oldest slice first, the last one is predicted
    moving: Floats  # (DOFs, instances): weighted velocity of the newest known frame
    targets: Floats  # (DOFs, instances): what is predicted, the change or the value
    absolute: Floats  # (DOFs, instances): the value that follows
    last: Ints  # (instances,): 1 where that value is the last of its example


class PackedParents(NamedTuple):
    """A transition network as kernels take it."""

    starts: Ints  # (DOFs + 1,): where each node's parents begin
    parents: Ints  # node numbers, slice * DOFs + i
    sequence: Ints  # DOFs in the order of prediction
    used: Ints  # node numbers of known slices that are anybody's parent
    order: int


class PredictionMode(NamedTuple):
    """How predictions go on."""

    delta: bool  # the change from the newest frame is predicted, not the value
    propagated: bool  # predictions are fed back (Lau 2009, eq. 4: the hat on Pa), else the data is seen
    pull: float  # towards the predicted value itself, 0 in the paper
    ends: bool  # stop where the examples end


class Predictor(NamedTuple):
    """All that the Gaussians of the next frame are made from."""

    packed: PackedParents
    pool: Pool
    weights: Floats  # (DOFs,)
    rule: Regression
    mode: PredictionMode
    floors: Floats  # (DOFs,): least variances


class PredictedFrames(NamedTuple):
    """Frames to begin with, and room for those that follow."""

    clip: Floats  # (order + frames, DOFs): the first `order` rows are given; the rest is read unless propagated
    noise: Floats  # (frames, DOFs): how many standard deviations are added, or (0, 0)
    means: Floats  # out (frames, DOFs)
    variances: Floats  # out (frames, DOFs)
    values: Floats  # out (order + frames, DOFs): what was fed back


def predicted_frames(clip: Floats, noise: Floats, order: int) -> PredictedFrames:
    """Room for as many frames as there is noise, or, without any, as the clip goes on."""
    frames, dofs = (len(noise) or len(clip) - order), clip.shape[1]
    return PredictedFrames(
        clip, noise, np.empty((frames, dofs)), np.empty((frames, dofs)), np.empty((order + frames, dofs))
    )


def pool_of(known: TransitionInstances, weights: Floats, members: Ints, *, delta: bool) -> Pool:
    """The instances with these numbers."""
    queries, order = known.queries[members], known.order
    slices = [known.rows[queries - (order - 1) + s] * weights for s in range(order + 1)]
    velocity = slices[order - 1] - slices[order - 2] if order > 1 else np.zeros_like(slices[0])
    absolute = known.rows[queries + 1]
    targets = absolute - known.rows[queries] if delta else absolute
    last = np.isin(queries + 2, known.firsts + known.lengths).astype(np.intp)
    contiguous = np.ascontiguousarray
    return Pool(
        contiguous(np.concatenate(slices, axis=1).T), contiguous(velocity.T), contiguous(targets.T),
        contiguous(absolute.T), last,
    )  # fmt: skip


def pack_parents(edges: Edges, order: int) -> PackedParents:
    """Edges as flat arrays."""
    count = len(edges)
    starts = np.concatenate([[0], np.cumsum([len(node_parents) for node_parents in edges])]).astype(np.intp)
    parents = np.array([p for node_parents in edges for p in node_parents], dtype=np.intp)
    first = order * count
    inside = [[p - first for p in node_parents if p >= first] for node_parents in edges]
    used = np.unique(parents[parents < first])
    return PackedParents(starts, parents, np.array(topological_order(inside), dtype=np.intp), used, order)


def packed_parents(network: TransitionNetwork) -> PackedParents:
    """A network's edges as flat arrays."""
    return pack_parents(network.edges, network.order)


def floors_of(rows: Floats) -> Floats:
    """The least variances that nodes may have."""
    out: Floats = FLOOR * np.maximum(rows.var(axis=0), 1e-30)
    return out


@compiled
def squared_distances(x: float, known: Floats, out: Floats) -> None:
    """Squared distances of one value to those of the instances."""
    for c in range(known.shape[0]):
        difference = x - known[c]
        out[c] = difference * difference


@compiled
def propagate(predictor: Predictor, out: PredictedFrames) -> int:
    """Mean and variance of every node at every frame given its parents; how many frames it went.

    x[t+2] = x[t+1] + (1 - pull) mu_delta + pull (mu_absolute - x[t+1]) + sigma * noise

    With `ends` the course stops after the frame at which, for more than half of the nodes, the nearest instance is
    the last one of its example; the paper does not say how its variants end.
    """
    packed, pool, weights, rule, mode, floors = predictor
    clip, noise, means, variances, values = out
    order, frames = packed.order, means.shape[0]
    dofs, count = pool.targets.shape
    gaps = np.empty(((order + 1) * dofs, count))
    squared, near = np.empty(count), np.empty(count + 1)
    picked, w = np.empty(count, dtype=np.intp), np.empty(count + 1)
    near_targets = np.empty(count + 1)
    guesses = np.ones(dofs)
    values[:order] = clip[:order]
    for f in range(frames):
        past = values[f : f + order] if mode.propagated else clip[f : f + order]
        for m in range(packed.used.shape[0]):
            node = packed.used[m]
            dof = node % dofs
            squared_distances(weights[dof] * past[node // dofs, dof], pool.known[node], gaps[node])
        ending = 0
        for k in range(dofs):
            i = packed.sequence[k]
            squared[:] = 0.0
            for e in range(packed.starts[i], packed.starts[i + 1]):
                gap = gaps[packed.parents[e]]
                for c in range(count):
                    squared[c] += gap[c]
            if order > 1 and rule.velocity_weight > 0.0:
                moving, speeds = weights[i] * (past[order - 1, i] - past[order - 2, i]), pool.moving[i]
                for c in range(count):
                    difference = moving - speeds[c]
                    squared[c] += rule.velocity_weight * difference * difference
            limit = kth_smallest(squared, count, rule.neighbors, guesses[i])
            guesses[i] = limit
            nearby = 0
            for c in range(count):
                near[nearby] = squared[c]
                picked[nearby] = c
                nearby += squared[c] <= limit
                if nearby == count:
                    break
            best = 0
            for c in range(nearby):
                near_targets[c] = pool.targets[i, picked[c]]
                if near[c] < near[best]:
                    best = c
            ending += pool.last[picked[best]]
            mean, variances[f, i] = weighted_gaussian(near, near_targets, nearby, limit, rule, floors[i], w)
            newest = past[order - 1, i]
            if mode.delta:
                mean += newest
            if mode.pull > 0.0:
                for c in range(nearby):
                    near_targets[c] = pool.absolute[i, picked[c]]
                mean += mode.pull * (weighted_mean(w, near_targets, nearby) - mean)
            means[f, i] = mean
            x = mean + np.sqrt(variances[f, i]) * noise[f, i] if noise.shape[0] > 0 else mean
            values[order + f, i] = x
            inside = order * dofs + i
            seen = x if mode.propagated else clip[order + f, i]
            squared_distances(weights[i] * seen, pool.known[inside], gaps[inside])
        if mode.ends and 2 * ending > dofs:
            return f + 1
    return frames
