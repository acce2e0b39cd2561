"""Synthesis as the paper has it (Lau 2009, §6): one kernel regression per node and frame, white Gaussian noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import kernel
from freshtake.variation.instances import transition_instances
from freshtake.variation.network import TransitionNetwork
from freshtake.variation.regression import FLOOR, Regression, gaussian

BLOCK = 32  # frames
LONGEST = 4  # an acyclic variant that does not end by itself is cut at this many lengths of an example


@kernel
def paper_block(
    rows: Floats,  # out (frames, dofs)
    past: Floats,  # in and out (order, dofs): the frames before, oldest first
    noise: Floats,  # (frames, dofs): standard normal, already times the amount
    data: Floats,  # (rows of all examples, dofs)
    instances: Ints,  # (n,): rows of the newest known frame
    last: Ints,  # (n,): 1 where the frame after is the end of an example
    weights: Floats,
    velocity_weight: float,
    sequence: Ints,  # DOFs in the order of prediction
    starts: Ints,
    parents: Ints,
    neighbors: int,
    width: float,
    adaptive: bool,
    floors: Floats,
    delta: bool,
    ends: bool,
) -> int:
    """Unroll the transition network (Lau 2009, fig. 3); returns how many frames there are.

    With `ends` a motion stops when instances at the end of an example hold more than half of the kernel mass of
    the nodes together; the paper does not say how its variants end.
    """
    order, dofs = past.shape
    count = instances.shape[0]
    squared, targets, scratch = np.empty(count), np.empty(count), np.empty(count)
    for f in range(rows.shape[0]):
        ending = 0.0
        for k in range(dofs):
            i = sequence[k]
            squared[:] = 0.0
            for e in range(starts[i], starts[i + 1]):
                step, p = parents[e] // dofs, parents[e] % dofs
                x = past[step, p] if step < order else rows[f, p]
                w = weights[p] * weights[p]
                shift = order - 1 - step
                for j in range(count):
                    difference = x - data[instances[j] - shift, p]
                    squared[j] += w * difference * difference
            if order > 1:
                w = velocity_weight * weights[i] * weights[i]
                moving = past[order - 1, i] - past[order - 2, i]
                for j in range(count):
                    difference = moving - (data[instances[j], i] - data[instances[j] - 1, i])
                    squared[j] += w * difference * difference
            nearest, best = 0, np.inf
            for j in range(count):
                targets[j] = data[instances[j] + 1, i]
                if delta:
                    targets[j] -= data[instances[j], i]
                if squared[j] < best:
                    best, nearest = squared[j], j
            mean, variance = gaussian(squared, targets, count, neighbors, width, adaptive, floors[i], scratch)
            rows[f, i] = mean + np.sqrt(variance) * noise[f, i] + (past[order - 1, i] if delta else 0.0)
            ending += last[nearest]
        for s in range(order - 1):
            past[s] = past[s + 1]
        past[order - 1] = rows[f]
        if ends and ending > 0.5 * dofs:
            return f + 1
    return rows.shape[0]


def paper_blocks(
    examples: Sequence[Floats],
    weights: Floats,
    network: TransitionNetwork,
    rule: Regression,
    start: Floats,  # (order, DOFs): the first frames, from the prior network
    rng: np.random.Generator,
    *,
    amount: float,
    deltas: bool,
    cyclic: bool,
) -> Iterator[Floats]:
    """Rows (frames, DOFs), block after block: no pull, no smoothing, white noise of eq. 6's variance per node."""
    instances = transition_instances(examples, network.order)
    ends = np.isin(instances.queries + 2, instances.firsts + instances.lengths).astype(np.intp)
    floors = FLOOR * np.maximum(instances.rows.var(axis=0), 1e-30)
    starts = np.concatenate([[0], np.cumsum([len(p) for p in network.edges])]).astype(np.intp)
    parents = np.array([p for own in network.edges for p in own], dtype=np.intp)
    sequence = np.array(network.prediction_order(), dtype=np.intp)
    past, made = start.copy(), 0
    yield start
    while cyclic or made < LONGEST * int(instances.lengths.max()):
        rows = np.empty((BLOCK, len(network.dofs)))
        noise = amount * rng.standard_normal(rows.shape)
        count = paper_block(
            rows, past, noise, instances.rows, instances.queries, ends, weights, rule.velocity_weight, sequence, starts,
            parents, rule.neighbors, rule.width, rule.adaptive, floors, deltas, not cyclic,
        )  # fmt: skip
        made += count
        yield rows[:count]
        if count < BLOCK:
            return
