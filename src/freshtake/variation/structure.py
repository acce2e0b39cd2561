"""Learning both networks: what is scored, where searches start, which result is kept (Lau 2009, §5.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from freshtake.motion.progress import Progress, Report
from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.instances import PriorInstances, TransitionInstances, pools
from freshtake.variation.network import PriorNetwork, TransitionNetwork, own_parents
from freshtake.variation.node_scores import PriorNode, TransitionData, TransitionNode
from freshtake.variation.regression import Regression
from freshtake.variation.settings import Settings
from freshtake.variation.structure_search import Found, search_network, search_node

Mapper = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
CORE = 4  # largest-moving DOFs that every transition node starts with
PRIOR_SCREENING = 0.1
NEIGHBORS = (15, 30)
VELOCITY_WEIGHTS = (0.0, 1.0, 4.0)
WIDTH = 0.3  # K_W^2 as a share of the k-th squared distance
TRIED = 12  # DOFs on which k and the velocity weight are chosen


def transition_data(instances: TransitionInstances, weights: Floats) -> TransitionData:
    """Shared by all nodes; a candidate parent is a DOF at all known slices."""
    dofs = instances.rows.shape[1]
    members = np.arange(dofs)[:, None] + dofs * np.arange(instances.order)[None]
    return TransitionData(instances, np.ascontiguousarray(instances.rows.T), pools(instances), weights, members)


def largest_movers(data: TransitionData) -> list[int]:
    """The DOFs by how far they move the body, farthest first."""
    moving = data.columns.std(axis=1) * data.weights
    return [int(k) for k in np.argsort(-moving, kind="stable")]


def choose_rule(data: TransitionData, settings: Settings) -> Regression:
    """k and the velocity weight, by the held-out error of the largest movers given each other."""
    adaptive = settings.method != "paper"
    width = settings.kernel_width if settings.kernel_width is not None else (WIDTH if adaptive else 1.0)
    core = largest_movers(data)[: max(TRIED, CORE)]
    neighbors = NEIGHBORS if settings.neighbors is None else (settings.neighbors,)
    velocities = VELOCITY_WEIGHTS if settings.velocity_weight is None else (settings.velocity_weight,)
    rules = [Regression(k, width, adaptive, v) for k in neighbors for v in velocities]
    if len(rules) == 1:
        return rules[0]
    totals = []
    for rule in rules:
        nodes = [_node(i, data, rule, settings) for i in core]
        totals.append(sum(node.score(frozenset(core[:6]) - {i}) for i, node in zip(core, nodes, strict=True)))
    return rules[int(np.argmax(totals))]


def _node(index: int, data: TransitionData, rule: Regression, settings: Settings) -> TransitionNode:
    calibrated = settings.method != "paper"
    return TransitionNode(
        index, data, rule, deltas=settings.deltas, propagate=settings.propagate, calibrated=calibrated
    )


def learn_transition(
    names: Sequence[str], data: TransitionData, rule: Regression, settings: Settings, report: Report, mapper: Mapper
) -> TransitionNetwork:
    """Every node searched on its own, own parents kept, from a shared core of DOFs (the paper: from nothing)."""
    dofs, order = len(names), data.instances.order
    cap = max((settings.max_parents - order) // order, 0)
    core = largest_movers(data)[:CORE]

    def search(index: int) -> Found:
        others = [p for p in range(dofs) if p != index]
        start = frozenset(core) - {index} if settings.method != "paper" else frozenset[int]()
        node = _node(index, data, rule, settings)
        return search_node(node, others, frozenset(sorted(start)[:cap]), cap=cap, screening=settings.screening)

    edges = []
    own = own_parents(dofs, order)
    for index, found in enumerate(mapper(search, range(dofs))):
        nodes = {int(member) for parent in found.parents for member in data.members[parent]}
        edges.append(tuple(sorted(nodes | set(own[index]))))
        report(Progress(0.2 + 0.6 * (index + 1) / dofs, f"transition network: {names[index]}"))
    return TransitionNetwork(tuple(names), order, tuple(edges))


def learn_prior(
    names: Sequence[str],
    instances: PriorInstances,
    weights: Floats,
    settings: Settings,
    rng: np.random.Generator,
    report: Report,
    mapper: Mapper,
) -> tuple[PriorNetwork, Regression]:
    """Greedy searches from several starts, the first one from no edges; the best total wins."""
    count = instances.values.shape[1]
    scaled = instances.values * np.concatenate([weights, weights])
    distances = (scaled.T[:, :, None] - scaled.T[:, None, :]) ** 2
    rule = Regression(
        min(15, max(2, len(scaled) // 2)), settings.kernel_width or WIDTH, settings.method != "paper", 0.0
    )
    groups: Ints = np.arange(len(scaled)) if settings.method == "paper" else instances.clips
    if len(np.unique(groups)) < 2:
        groups = np.arange(len(scaled))
    nodes = [PriorNode(k, instances, distances, groups, rule) for k in range(count)]
    listed = list(mapper(lambda k: _shortlist(nodes[k], k, count), range(count)))
    starts = [[frozenset[int]()] * count]
    starts += [_random_start(listed, rng) for _ in range(settings.prior_starts - 1)]
    cap = settings.prior_max_parents
    best: list[Found] | None = None
    runs = mapper(lambda start: search_network(nodes, start, cap=cap, shortlists=listed), starts)
    for number, found in enumerate(runs):
        if best is None or sum(f.score for f in found) > sum(f.score for f in best):
            best = found
        report(Progress(0.8 + 0.15 * (number + 1) / len(starts), f"prior network: start {number + 1}"))
    assert best is not None
    return PriorNetwork(tuple(names), tuple(tuple(sorted(f.parents)) for f in best)), rule


def _shortlist(node: PriorNode, index: int, count: int) -> list[int]:
    others = [c for c in range(count) if c != index]
    found = node.glance(frozenset(), others)
    keep = max(2, int(np.ceil(PRIOR_SCREENING * len(others))))
    return sorted(others[k] for k in np.argsort(-found, kind="stable")[:keep])


def _random_start(listed: Sequence[Sequence[int]], rng: np.random.Generator) -> list[frozenset[int]]:
    """One random parent per node where that closes no cycle: only nodes earlier in a random order may be parents."""
    rank = rng.permutation(len(listed))
    out = []
    for node, candidates in enumerate(listed):
        before = [c for c in candidates if rank[c] < rank[node]]
        out.append(frozenset([int(rng.choice(before))]) if before and rng.random() < 0.5 else frozenset())
    return out
