"""The prior network: its instances, score and samples (Lau 2009, §5.1, eq. 3, and §6)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.variation.paper.networks import Edges, PriorNetwork
from freshtake.variation.paper.regression import FLOOR, Rule, gaussian, log_density


class PriorInstances(NamedTuple):
    """The first frame pairs of every take: values (instances, 2n), and the weights of these nodes.

    The second frame is coded as its change from the first, as in the transition network: if values were drawn, first
    steps would be two to three times too fast.
    """

    values: Floats
    weights: Floats


def prior_instances(examples: Sequence[Floats], pairs: int, weights: Floats) -> PriorInstances:
    """Collect the first `pairs` frame pairs of every take (§5)."""
    counts = [min(pairs, len(x) - 1) for x in examples]
    first = np.concatenate([x[:count] for x, count in zip(examples, counts, strict=True)])
    second = np.concatenate([x[1 : count + 1] for x, count in zip(examples, counts, strict=True)])
    return PriorInstances(np.concatenate([first, second - first], axis=1), np.concatenate([weights, weights]))


class PriorScores:
    """The score of eq. 3 node by node: each instance is predicted by all others."""

    def __init__(self, instances: PriorInstances, rule: Rule) -> None:
        self.columns = np.ascontiguousarray(instances.values.T)
        self.scaled = self.columns * instances.weights[:, None]
        self.rule = rule

    def node(self, node: int, parents: frozenset[int]) -> float:
        """Return the term of one node in the score."""
        listed = np.array(sorted(parents), dtype=np.intp)
        return prior_score(node, listed, self.columns, self.scaled, self.rule)

    def total(self, edges: Edges) -> float:
        """Return the score of a network: the sum of its nodes' terms."""
        return sum(self.node(k, frozenset(parents)) for k, parents in enumerate(edges))


@compiled
def prior_score(node: int, parents: Ints, columns: Floats, scaled: Floats, rule: Rule) -> float:
    """Return sum_j log P(X_i^(j) | Pa(X_i^(j))), instance j left out of the regression (Lau 2009, eq. 3)."""
    count = columns.shape[1]
    squared, targets, scratch = np.empty(count - 1), np.empty(count - 1), np.empty(count - 1)
    floor = FLOOR * max(columns[node].var(), 1e-30)
    out = 0.0
    for j in range(count):
        others = 0
        for k in range(count):
            if k == j:
                continue
            distance = 0.0
            for p in parents:
                distance += (scaled[p, k] - scaled[p, j]) ** 2
            squared[others], targets[others] = distance, columns[node, k]
            others += 1
        mean, variance = _conditional(len(parents), squared, targets, rule, floor, scratch)
        out += log_density(columns[node, j], mean, variance)
    return out


@compiled
def _conditional(
    parents: int, squared: Floats, targets: Floats, rule: Rule, floor: float, scratch: Floats
) -> tuple[float, float]:
    """Return mean and variance of a node; without parents, of all instances (§5.2)."""
    if parents > 0:
        mean, variance, _ = gaussian(squared, targets, rule, floor, scratch)
        return mean, variance
    mean = targets.mean()
    return mean, max(((targets - mean) ** 2).sum() / max(len(targets) - 1.0, 1.0), floor)


def sample_prior(network: PriorNetwork, instances: PriorInstances, rule: Rule, noise: Floats) -> Floats:
    """Draw the first two frames (2, n): each node given its parents, using all instances (§6).

    `noise` (2n,) is in standard deviations from the means, node by node in the network's order.
    """
    values = np.zeros(len(noise))
    draw_nodes(_packed(network), instances.weights, np.ascontiguousarray(instances.values.T), rule, noise, values, True)
    first, step = values.reshape(2, -1)
    return np.stack([first, first + step])


def prior_density(network: PriorNetwork, instances: PriorInstances, rule: Rule, values: Floats) -> float:
    """Return the logarithm of the density of a first frame and its change (2n,) under the network."""
    columns = np.ascontiguousarray(instances.values.T)
    return draw_nodes(_packed(network), instances.weights, columns, rule, np.zeros(len(values)), values.copy(), False)


class _Packed(NamedTuple):
    order: Ints
    starts: Ints
    parents: Ints


def _packed(network: PriorNetwork) -> _Packed:
    return _Packed(
        np.array(network.order, dtype=np.intp),
        np.cumsum([0, *map(len, network.edges)]),
        np.array([p for listed in network.edges for p in listed], dtype=np.intp),
    )


@compiled
def draw_nodes(
    edges: _Packed, weights: Floats, columns: Floats, rule: Rule, noise: Floats, values: Floats, draw: bool
) -> float:
    """Draw values from the product over nodes given their parents (Lau 2009, eq. 1), or keep them; return its log."""
    nodes, count = columns.shape
    squared, scratch = np.empty(count), np.empty(count)
    density = 0.0
    for k in range(nodes):
        node = edges.order[k]
        first, last = edges.starts[node], edges.starts[node + 1]
        squared[:] = 0.0
        for e in range(first, last):
            p = edges.parents[e]
            for j in range(count):
                difference = weights[p] * (columns[p, j] - values[p])
                squared[j] += difference * difference
        floor = FLOOR * max(columns[node].var(), 1e-30)
        mean, variance = _conditional(last - first, squared, columns[node], rule, floor, scratch)
        if draw:
            values[node] = mean + np.sqrt(variance) * noise[k]
        density += log_density(values[node], mean, variance)
    return density
