"""Learning the prior network: greedy searches from several starts (Lau 2009, §5.1, eq. 3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.methods.progress import Progress, Report
from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.network.instances import PriorInstances
from freshtake.variation.network.joint_scores import Mapper
from freshtake.variation.network.networks import PriorNetwork
from freshtake.variation.network.node_scores import PriorNode, other_groups
from freshtake.variation.network.regression import Regression
from freshtake.variation.network.structure_search import NodeScores, SearchResult, search_network
from freshtake.variation.settings import Settings

SCREENING = 0.1
THOROUGH_STARTS = 4  # times as many
WIDTH = 0.3  # K_W^2 as a share of the k-th squared distance
NEIGHBORS = 15


def learn_prior(
    names: Sequence[str],
    instances: PriorInstances,
    weights: Floats,
    settings: Settings,
    rng: np.random.Generator,
    report: Report,
    mapper: Mapper,
) -> tuple[PriorNetwork, Regression]:
    """The best total of several searches, the first one from no edges."""
    count = instances.values.shape[1]
    rule = prior_rule(instances, weights, settings)
    nodes = _nodes(instances, weights, settings, rule)
    share = 1.0 if settings.thorough else SCREENING
    listed = list(mapper(lambda k: _shortlist(nodes[k], k, count, share), range(count)))
    number_of_starts = settings.prior_starts * (THOROUGH_STARTS if settings.thorough else 1)
    starts = [[frozenset[int]()] * count]
    starts += [_random_start(listed, rng) for _ in range(number_of_starts - 1)]
    cap = settings.prior_max_parents
    best: list[SearchResult] | None = None
    runs = mapper(lambda start: search_network(nodes, start, cap=cap, shortlists=listed), starts)
    for number, result in enumerate(runs):
        if best is None or sum(f.score for f in result) > sum(f.score for f in best):
            best = result
        report(
            Progress(0.8 + 0.15 * (number + 1) / len(starts), f"what first poses have in common: start {number + 1}")
        )
    assert best is not None
    return PriorNetwork(tuple(names), tuple(tuple(sorted(f.parents)) for f in best)), rule


def prior_rule(instances: PriorInstances, weights: Floats, settings: Settings) -> Regression:
    """k as for the transitions but at most half of the instances; K_W adaptive or one fixed length."""
    count = len(instances.values)
    k = min(settings.neighbors or NEIGHBORS, max(2, count // 2))
    if settings.chosen("adaptive"):
        return Regression(k, settings.kernel_width or WIDTH, True, 0.0)
    scaled = instances.values * np.concatenate([weights, weights])
    usual = float(np.median(np.abs(scaled[:, None] - scaled[None]).max(axis=2)))
    return Regression(k, settings.kernel_width or max(0.5 * usual, 1e-12), False, 0.0)


def _nodes(instances: PriorInstances, weights: Floats, settings: Settings, rule: Regression) -> list[NodeScores]:
    """One instance at a time is left out, as in the paper, or its whole take, whose frames are much alike."""
    count = instances.values.shape[1]
    alone: Ints = np.arange(len(instances.values))
    whole_takes = settings.chosen("prior_whole_takes") and len(np.unique(instances.clips)) > 1
    groups = instances.clips if whole_takes else alone
    if settings.regression != "kernel":
        from freshtake.variation.network.parametric_nodes import FittedPriorNode

        return [FittedPriorNode(k, instances, weights, groups, settings.regression) for k in range(count)]
    scaled = instances.values * np.concatenate([weights, weights])
    distances = (scaled.T[:, :, None] - scaled.T[:, None, :]) ** 2
    others = other_groups(groups)
    return [PriorNode(k, instances, distances, others, rule) for k in range(count)]


def _shortlist(node: NodeScores, index: int, count: int, share: float) -> list[int]:
    others = [c for c in range(count) if c != index]
    scores = node.glance(frozenset(), others)
    keep = max(2, int(np.ceil(share * len(others))))
    return sorted(others[k] for k in np.argsort(-scores, kind="stable")[:keep])


def _random_start(listed: Sequence[Sequence[int]], rng: np.random.Generator) -> list[frozenset[int]]:
    """One random parent per node where that closes no cycle: only nodes earlier in a random order may be parents."""
    rank = rng.permutation(len(listed))
    out = []
    for node, candidates in enumerate(listed):
        before = [c for c in candidates if rank[c] < rank[node]]
        out.append(frozenset([int(rng.choice(before))]) if before and rng.random() < 0.5 else frozenset())
    return out
