"""Single nodes scored by fitted functions, for the structure search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.variation.network.instances import PriorInstances
from freshtake.variation.network.node_scores import other_groups
from freshtake.variation.network.parametric import CENTERS, FAR, KINDS, LINEAR, RADIAL, Fit, basis, fit
from freshtake.variation.network.propagation import Pool
from freshtake.variation.network.regression import FLOOR, log_density
from freshtake.variation.network.score_kernels import recalibrated
from freshtake.variation.settings import Settings


class FittedWay(NamedTuple):
    """How a node is predicted by a fitted function, and scored."""

    kind: int
    velocity_weight: float
    order: int
    delta: bool  # the change from the newest frame, not the value
    propagated: bool  # predictions are fed back (Lau 2009, eq. 4: the hat on Pa)
    calibrated: bool  # see `recalibrated`
    floor: float = 0.0  # least variance


def fitted_way(regression: str, velocity_weight: float, order: int, settings: Settings) -> FittedWay:
    """As the settings say."""
    how = settings.deltas, settings.propagate, settings.calibrated
    return FittedWay(KINDS[regression], velocity_weight, order, *how)


@compiled
def fitted_node(
    way: FittedWay,
    node: int,
    nodes: Ints,  # all parents, own ones included
    pool: Pool,
    weights: Floats,
    seen: Floats,  # (frames, DOFs): the others along the example
    truth: Floats,  # (frames,): the node itself
) -> tuple[float, float]:
    """One DOF along one held-out example, fed with its own predictions: squared errors, and log density (eq. 4)."""
    kind, velocity_weight, order, delta, propagated, _, floor = way
    dofs, count = pool.targets.shape
    moving = kind == RADIAL and order > 1 and velocity_weight > 0.0
    size = len(nodes)
    inputs = np.empty((count, size + moving))
    for e in range(size):
        inputs[:, e] = pool.known[nodes[e]]
    if moving:
        inputs[:, size] = np.sqrt(velocity_weight) * pool.moving[node]
    node_fit = fit(kind, inputs, pool.targets[node], floor)
    row, x, past = np.empty(1 + max(CENTERS, size + 1)), np.empty(size + moving), truth[:order].copy()
    many, error, score = len(node_fit.coefficients), 0.0, 0.0
    middle, limit = pool.absolute[node].mean(), FAR * max(pool.absolute[node].std(), 1e-12)
    for f in range(len(truth) - order):
        if not propagated:
            past[:] = truth[f : f + order]
        for e in range(size):
            dof, step = nodes[e] % dofs, nodes[e] // dofs
            x[e] = weights[dof] * (past[step] if dof == node and step < order else seen[f + step, dof])
        if moving:
            x[size] = np.sqrt(velocity_weight) * weights[node] * (past[order - 1] - past[order - 2])
        basis(kind, x, node_fit.centers, node_fit.width, row)
        mean = (row[:many] * node_fit.coefficients).sum() + (past[order - 1] if delta else 0.0)
        mean = middle + min(max(mean - middle, -limit), limit)
        gap = truth[f + order] - mean
        error += gap * gap
        score += log_density(truth[f + order], mean, node_fit.variance)
        past[: order - 1] = past[1:]
        past[order - 1] = mean
    return error, score


@compiled
def left_out_scores(
    kind: int, sets: Ints, columns: Floats, values: Floats, others: Ints, floor: float, out: Floats
) -> None:
    """As `prior_scores`, by a fitted rule: sets of parents, padded with -1; columns (nodes, instances) are weighted."""
    count, most = others.shape
    row = np.empty(1 + max(CENTERS, sets.shape[1]))
    for s in range(sets.shape[0]):
        parents = sets[s][sets[s] >= 0]
        total, previous = 0.0, -1
        node_fit = Fit(np.empty((0, 0)), 1.0, np.empty(0), 1.0)
        for j in range(count):
            if previous < 0 or not np.array_equal(others[j], others[previous]):
                members = others[j][others[j] >= 0]
                inputs = np.empty((len(members), len(parents)))
                for p in range(len(parents)):
                    inputs[:, p] = columns[parents[p]][members]
                node_fit = fit(kind if len(parents) > 0 else LINEAR, inputs, values[members], floor)
                previous = j
            basis(kind if len(parents) > 0 else LINEAR, columns[:, j][parents], node_fit.centers, node_fit.width, row)
            many = len(node_fit.coefficients)
            total += log_density(values[j], (row[:many] * node_fit.coefficients).sum(), node_fit.variance)
        out[s] = total


class FittedPriorNode:
    """As `PriorNode`, with a fitted function instead of a kernel."""

    def __init__(self, node: int, instances: PriorInstances, weights: Floats, groups: Ints, regression: str) -> None:
        self.kind = KINDS[regression]
        self.values = np.ascontiguousarray(instances.values[:, node])
        self.columns = np.ascontiguousarray((instances.values * np.concatenate([weights, weights])).T)
        self.others = other_groups(groups)
        self.floor = FLOOR * max(float(self.values.var()), 1e-30)
        self._known: dict[frozenset[int], float] = {}

    def score(self, parents: frozenset[int], above: float = -np.inf) -> float:
        """Sum of log densities, the instance's group left out."""
        return float(self.additions(parents, [-1])[0])

    def additions(self, parents: frozenset[int], candidates: Sequence[int], above: float = -np.inf) -> Floats:
        """The same with one parent more; -1 adds none."""
        sets = [parents | {c} if c >= 0 else parents for c in candidates]
        fresh = [parent_set for parent_set in sets if parent_set not in self._known]
        if fresh:
            padded = np.full((len(fresh), max(1, len(parents) + 1)), -1, dtype=np.intp)
            for row, parent_set in zip(padded, fresh, strict=True):
                row[: len(parent_set)] = sorted(parent_set)
            out = np.empty(len(fresh))
            left_out_scores(self.kind, padded, self.columns, self.values, self.others, self.floor, out)
            self._known.update(zip(fresh, out.tolist(), strict=True))
        return np.array([self._known[parent_set] for parent_set in sets])

    def glance(self, parents: frozenset[int], candidates: Sequence[int]) -> Floats:
        """As `additions`."""
        return self.additions(parents, candidates)


class FittedNode:
    """As `TransitionNode`, with a fitted function; candidates are node numbers."""

    def __init__(
        self,
        node: int,
        pools: Sequence[Pool],
        clips: Sequence[Floats],
        seen: Sequence[Floats],  # the others along each example: its own rows, or predictions
        weights: Floats,
        way: FittedWay,
    ) -> None:
        self.node, self.pools, self.clips, self.seen, self.weights = node, pools, clips, seen, weights
        floor = FLOOR * max(float(np.concatenate([x[:, node] for x in clips]).var()), 1e-30)
        self.way = way._replace(floor=floor)

    def _score(self, parents: frozenset[int], clips: Sequence[int]) -> float:
        order, dofs = self.way.order, len(self.weights)
        own_nodes = [self.node + s * dofs for s in range(order)]
        nodes = np.array(sorted({*own_nodes, *parents}), dtype=np.intp)
        error, score, frames = 0.0, 0.0, 0
        for k in clips:
            truth = np.ascontiguousarray(self.clips[k][:, self.node])
            result = fitted_node(self.way, self.node, nodes, self.pools[k], self.weights, self.seen[k], truth)
            error, score, frames = error + result[0], score + result[1], frames + len(truth) - order
        if self.way.calibrated:
            return float(recalibrated(error, frames, self.way.floor))
        return score

    def score(self, parents: frozenset[int], above: float = -np.inf) -> float:
        """The score with these parents beside the node's own."""
        return self._score(parents, range(len(self.clips)))

    def additions(self, parents: frozenset[int], candidates: Sequence[int], above: float = -np.inf) -> Floats:
        """The same with one candidate more."""
        return np.array([self.score(parents | {c}) for c in candidates])

    def glance(self, parents: frozenset[int], candidates: Sequence[int]) -> Floats:
        """The score on a single held-out example: that of number node % examples."""
        return np.array([self._score(parents | {c}, [self.node % len(self.clips)]) for c in candidates])
