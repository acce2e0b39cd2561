"""How much each learned edge matters: what predictions lose when it is dropped.

The paper draws its networks (Lau 2009, figure 7) but does not weigh their edges. Here the strength of an edge is the
score of its child (held-out examples: parent_search, or eq. 3-4 in the kernel methods) with all its parents, less the
score without this one, per observation, in nats. A strength s of a transition says: without the parent the held-out
error of the child is about exp(s) times as large, 0.1 about 10 % more. Nodes that hold for a whole take, such as
swings, have one observation per take.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.model import VariationModel
from freshtake.variation.network.instances import prior_instances, representative, transition_instances
from freshtake.variation.network.node_scores import PriorNode, TransitionData, TransitionNode, other_groups
from freshtake.variation.network.parent_search import RIDGE, node_score
from freshtake.variation.network.transition_structure import transition_data
from freshtake.variation.synthesis.dynamics import ORDER
from freshtake.variation.synthesis.dynamics_learning import columns_of, folds_of, moments_of, observations, trait_folds
from freshtake.variation.synthesis.traits import split_deviations

Losses = Callable[[int, dict[int, list[int]]], dict[int, float]]


class Edge(NamedTuple):
    """parent -> child with its strength in nats per instance.

    NaN: a transition node's own past, which is always kept (Lau 2009, §5.1), or nothing to measure with.
    """

    child: int
    parent: int
    strength: float


@one_blas_thread()
def transition_strengths(model: VariationModel, *, nodes: bool = False) -> tuple[Edge, ...]:
    """Every edge of the transition network, child after child; children are DOFs.

    A parent is a DOF, dropped at all its slices together; with `nodes` it is one node, slice * DOFs + i. With a
    single example there is nothing to hold out, and all strengths are NaN.
    """
    count = len(model.transition.dofs)
    if model.kernel is None:
        losses_of = _deviation_losses(model)
    else:
        instances = transition_instances(_searched(model), model.transition.order)
        data = transition_data(instances, model.material.weights) if len(instances.lengths) > 1 else None
        losses_of = lambda child, groups: {} if data is None else _losses(model, data, child, groups)  # noqa: E731
    edges: list[Edge] = []
    for child, parents in enumerate(model.transition.edges):
        groups: dict[int, list[int]] = {}
        for node in parents:
            groups.setdefault(node if nodes else node % count, []).append(node)
        others = {key: members for key, members in groups.items() if key % count != child}
        losses = losses_of(child, others)
        edges += [Edge(child, key, losses.get(key, float("nan"))) for key in groups]
    return tuple(edges)


def _deviation_losses(model: VariationModel) -> Losses:
    """For the default method: what a child's score loses without each of the groups of nodes."""
    if len(model.material.values) < 2 or model.dynamics is None:
        return lambda child, groups: {}
    split = split_deviations(model.courses)
    columns = columns_of(split, model.dynamics.slices, model.cyclic)
    folds, weights = folds_of(columns), observations(columns)
    nodes = len(model.transition.dofs)
    everyone = np.arange(nodes)
    moments, traits = moments_of(columns, folds, everyone), trait_folds(columns, folds, everyone)

    def losses(child: int, groups: dict[int, list[int]]) -> dict[int, float]:
        parents = np.array(model.transition.edges[child], dtype=np.intp)
        newest_first = (ORDER - parents // nodes) * nodes + parents % nodes
        whole = node_score(moments, traits, child, newest_first, RIDGE, weights)
        changes = bool(np.abs(columns.rest[:, :, child]).max() > 0.0)
        count = weights.rest if changes else max(weights.trait, 1.0)
        loss_by_group = {}
        for key, members in groups.items():
            left = newest_first[~np.isin(parents, members)]
            without = node_score(moments, traits, child, left, RIDGE, weights)
            loss_by_group[key] = (whole - without) / count
        return loss_by_group

    return losses


def _losses(model: VariationModel, data: TransitionData, child: int, groups: dict[int, list[int]]) -> dict[int, float]:
    """What the child's score loses without each of the groups of nodes."""
    if not groups:
        return {}
    settings = model.settings
    members = np.full((len(groups), max(len(group_nodes) for group_nodes in groups.values())), -1, dtype=np.intp)
    for row, group_nodes in zip(members, groups.values(), strict=True):
        row[: len(group_nodes)] = group_nodes
    node = TransitionNode(
        child,
        data._replace(members=members),
        model.rule,
        deltas=settings.deltas,
        propagate=settings.propagate,
        calibrated=True,
    )
    everyone = frozenset(range(len(groups)))
    whole = node.score(everyone)
    return {
        key: (whole - node.score(everyone - {place})) / len(data.instances.queries) for place, key in enumerate(groups)
    }


@one_blas_thread()
def prior_strengths(model: VariationModel) -> tuple[Edge, ...]:
    """Every edge of the kernel methods' prior network; nodes are numbered i (frame 0) and DOFs + i (frame 1)."""
    if model.kernel is None:
        return ()
    settings = model.settings
    instances = prior_instances(_searched(model), settings.prior_pairs, delta=settings.chosen("prior_deltas"))
    scaled = instances.values * np.concatenate([model.material.weights] * 2)
    squared = (scaled.T[:, :, None] - scaled.T[:, None, :]) ** 2
    groups: Ints = instances.clips
    if not settings.chosen("prior_whole_takes") or len(np.unique(groups)) < 2:
        groups = np.arange(len(scaled))
    others = other_groups(groups)
    edges: list[Edge] = []
    for child, parents in enumerate(model.prior.edges):
        if not parents or len(scaled) < 2:
            edges += [Edge(child, parent, float("nan")) for parent in parents]
            continue
        node, everyone = PriorNode(child, instances, squared, others, model.prior_rule), frozenset(parents)
        whole = node.score(everyone)
        edges += [Edge(child, p, (whole - node.score(everyone - {p})) / len(scaled)) for p in parents]
    return tuple(edges)


def _searched(model: VariationModel) -> list[Floats]:
    """The examples that the structure was searched on."""
    values = model.material.values
    return [values[k] for k in representative(values)]
