"""The first two frames: a sample from the prior network, node after node (Lau 2009, §6)."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.variation.network.instances import PriorInstances
from freshtake.variation.network.networks import PriorNetwork
from freshtake.variation.network.regression import FLOOR, Regression, gaussian


def sample_prior(
    network: PriorNetwork,
    instances: PriorInstances,
    weights: Floats,
    rule: Regression,
    noise: Floats,
    *,
    delta: bool,
    regression: str = "kernel",
) -> tuple[Floats, Floats]:
    """X[0] and X[1], each (DOFs,): every node drawn from its Gaussian given the parents drawn before it.

    `noise` (2 DOFs,) are the standard deviations from the means, node after node; 0 gives the mean start.
    """
    count = len(network.dofs)
    order = np.array(network.order(), dtype=np.intp)
    starts = np.cumsum([0, *[len(node_parents) for node_parents in network.edges]])
    parents = np.array([p for node_parents in network.edges for p in node_parents], dtype=np.intp)
    columns = np.ascontiguousarray(instances.values.T)
    both = np.concatenate([weights, weights])
    if regression == "kernel":
        values = draw_nodes(columns, both, order, starts, parents, rule, noise)
    else:
        from freshtake.variation.network.parametric import KINDS, draw_fitted

        values = draw_fitted(KINDS[regression], columns, both, order, starts, parents, noise)
    first, second = values[:count], values[count:]
    return first, first + second if delta else second


@compiled
def draw_nodes(
    columns: Floats,  # (nodes, instances)
    weights: Floats,  # (nodes,)
    order: Ints,  # nodes, parents before children
    starts: Ints,  # (nodes + 1,)
    parents: Ints,
    rule: Regression,
    noise: Floats,  # (nodes,), in this order
) -> Floats:
    """A draw from the product over nodes given their parents (Lau 2009, eq. 1): mu + sigma * noise of each in turn.

    Mean and variance of a node without parents are those of all instances.
    """
    nodes, count = columns.shape
    values, squared, scratch = np.zeros(nodes), np.empty(count), np.empty(count)
    for k in range(nodes):
        node = order[k]
        targets = columns[node]
        mean = targets.mean()
        spread = ((targets - mean) ** 2).sum()
        floor = FLOOR * max(spread / count, 1e-30)
        variance = max(spread / max(count - 1.0, 1.0), floor)
        if starts[node + 1] > starts[node]:
            squared[:] = 0.0
            for e in range(starts[node], starts[node + 1]):
                p = parents[e]
                for j in range(count):
                    difference = weights[p] * (columns[p, j] - values[p])
                    squared[j] += difference * difference
            mean, variance = gaussian(squared, targets, count, rule, floor, scratch)
        values[node] = mean + np.sqrt(variance) * noise[k]
    return values
