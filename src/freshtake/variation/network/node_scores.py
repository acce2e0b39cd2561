"""Scores of nodes as the structure search sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.network.instances import PriorInstances, TransitionInstances
from freshtake.variation.network.regression import FLOOR, Regression
from freshtake.variation.network.score_kernels import HeldOutTakes, NodeEdits, Way, prior_scores, transition_scores

KEEP = 4  # times k: instances that are looked at first


def other_groups(groups: Ints) -> Ints:
    """For every instance those of other groups, padded with -1."""
    listed = [np.flatnonzero(groups != group) for group in groups]
    out = np.full((len(groups), max(len(x) for x in listed)), -1, dtype=np.intp)
    for row, x in zip(out, listed, strict=True):
        row[: len(x)] = x
    return out


class PriorNode:
    """One node of the prior network.

    All nodes share `distances` (nodes, instances, instances) and `others`, those that each instance may learn from.

    Scores are cached, because several searches need the same ones. They depend only on the set of parents, so searches
    may run in parallel.
    """

    def __init__(self, node: int, instances: PriorInstances, distances: Floats, others: Ints, rule: Regression) -> None:
        self.values = np.ascontiguousarray(instances.values[:, node])
        self.distances, self.others, self.rule = distances, others, rule
        self.floor = FLOOR * max(float(self.values.var()), 1e-30)
        self._known: dict[frozenset[int], float] = {}

    def _scores(self, sets: Sequence[frozenset[int]]) -> list[float]:
        known = self._known
        fresh = [parent_set for parent_set in sets if parent_set not in known]
        if fresh:
            out = np.empty(len(fresh))
            width = max(1, max(len(parent_set) for parent_set in fresh))
            parents = np.full((len(fresh), width), -1, dtype=np.intp)
            for row, parent_set in zip(parents, fresh, strict=True):
                row[: len(parent_set)] = sorted(parent_set)
            prior_scores(parents, self.distances, self.values, self.others, self.rule, self.floor, out)
            known.update(zip(fresh, out.tolist(), strict=True))
        return [known[parent_set] for parent_set in sets]

    def score(self, parents: frozenset[int], above: float = -np.inf) -> float:
        """Sum of log densities, the instance's group left out."""
        return self._scores([parents])[0]

    def additions(self, parents: frozenset[int], candidates: Sequence[int], above: float = -np.inf) -> Floats:
        """The same with one parent more."""
        return np.array(self._scores([parents | {c} for c in candidates]))

    def glance(self, parents: frozenset[int], candidates: Sequence[int]) -> Floats:
        """As `additions`: prior scores are cheap."""
        return self.additions(parents, candidates)


class TransitionData(NamedTuple):
    """What all transition nodes share: instances, which of them each may learn from, and weights of the DOFs."""

    instances: TransitionInstances
    columns: Floats  # (DOFs, rows)
    pools: Ints
    weights: Floats
    members: Ints  # (candidate parents, nodes): node numbers that come together, padded with -1

    def held(self, part: slice = slice(None)) -> HeldOutTakes:
        """As the kernels take it; a part of the queries only."""
        known = self.instances
        sizes = (self.pools >= 0).sum(axis=1).astype(np.intp)
        return HeldOutTakes(
            self.columns, self.weights, known.queries[part], known.clips[part], known.fresh[part], self.pools, sizes,
            known.order,
        )  # fmt: skip


class TransitionNode:
    """One node of the transition network; a candidate parent is a row of `data.members`, own parents are kept."""

    def __init__(
        self, node: int, data: TransitionData, rule: Regression, *, deltas: bool, propagate: bool, calibrated: bool
    ) -> None:
        self.node, self.data, self.rule = node, data, rule
        floor = FLOOR * max(float(data.columns[node].var()), 1e-30)
        self.way = Way(rule, floor, deltas, propagate, calibrated)
        self._room = np.empty((len(data.instances.queries), data.pools.shape[1]))

    def _scores(
        self, parents: frozenset[int], members: Ints, part: slice = slice(None), above: float = -np.inf
    ) -> Floats:
        nodes = self.data.members[sorted(parents)].ravel()
        out = np.empty(len(members))
        keep = KEEP * self.rule.neighbors if len(members) > 1 and parents else 0
        edits = NodeEdits(self.node, nodes[nodes >= 0], members, keep, above)
        transition_scores(self.data.held(part), edits, self.way, self._room[part], out)
        return out

    def score(self, parents: frozenset[int], above: float = -np.inf) -> float:
        """The score with these candidate parents beside the node's own."""
        nothing = np.full((1, self.data.members.shape[1]), -1, dtype=np.intp)
        return float(self._scores(parents, nothing, above=above)[0])

    def additions(self, parents: frozenset[int], candidates: Sequence[int], above: float = -np.inf) -> Floats:
        """The same with one candidate more."""
        return self._scores(parents, self.data.members[list(candidates)], above=above)

    def glance(self, parents: frozenset[int], candidates: Sequence[int]) -> Floats:
        """The score on a single held-out example: that of number node % examples."""
        clips = self.data.instances.clips
        first, last = np.searchsorted(clips, [self.node % (clips[-1] + 1), self.node % (clips[-1] + 1) + 1])
        return self._scores(parents, self.data.members[list(candidates)], slice(int(first), int(last)))
