"""Scores of nodes against slow twins, and the laws that the structure search relies on."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from freshtake.variation.network.instances import PriorInstances, prior_instances, transition_instances
from freshtake.variation.network.node_scores import PriorNode, TransitionNode, other_groups
from freshtake.variation.network.regression import FLOOR, Regression
from freshtake.variation.network.structure_search import search_network
from freshtake.variation.network.transition_structure import transition_data
from tests.variation.twins import slow_gaussian, slow_log_density, slow_propagation, takes


def slow_prior_score(
    instances: PriorInstances, weights: np.ndarray, node: int, parents: list[int], groups: np.ndarray, rule: Regression
) -> float:
    """Lau 2009, eq. 3, one node."""
    values, floor = instances.values, FLOOR * instances.values[:, node].var()
    score = 0.0
    for j, row in enumerate(values):
        others = values[groups != groups[j]]
        if parents:
            squared = (((others[:, parents] - row[parents]) * weights[parents]) ** 2).sum(axis=1)
            mean, variance = slow_gaussian(
                squared, others[:, node], rule.neighbors, rule.width, rule.adaptive, float(floor)
            )
        else:
            mean, variance = float(others[:, node].mean()), max(float(others[:, node].var(ddof=1)), float(floor))
        score += slow_log_density(row[node], mean, variance)
    return score


def prior_nodes(rule: Regression, *, by_clip: bool) -> tuple[list[PriorNode], PriorInstances, np.ndarray, np.ndarray]:
    instances = prior_instances(takes(1), 6, delta=True)
    weights = np.linspace(0.5, 2.0, instances.values.shape[1])
    groups = instances.clips if by_clip else np.arange(len(instances.values))
    scaled = instances.values * weights
    distances = (scaled.T[:, :, None] - scaled.T[:, None, :]) ** 2
    nodes = [PriorNode(k, instances, distances, other_groups(groups), rule) for k in range(len(weights))]
    return nodes, instances, weights, groups


@pytest.mark.parametrize("adaptive", [True, False])
@pytest.mark.parametrize("by_clip", [True, False])
@pytest.mark.parametrize("parents", [[], [1], [0, 5], [1, 2, 6]])
def test_prior_score_leaves_the_group_out(adaptive: bool, by_clip: bool, parents: list[int]) -> None:
    rule = Regression(7, 0.4, adaptive, 0.0)
    nodes, instances, weights, groups = prior_nodes(rule, by_clip=by_clip)
    for node in (3, 7):
        slow = slow_prior_score(instances, weights, node, parents, groups, rule)
        assert nodes[node].score(frozenset(parents)) == pytest.approx(slow, rel=1e-9)


def transition_node(
    node: int, order: int, rule: Regression, *, deltas: bool = True, propagate: bool = True, calibrated: bool = False
) -> TransitionNode:
    examples = takes(2)
    data = transition_data(transition_instances(examples, order), np.array([1.0, 0.7, 1.5, 0.4]))
    return TransitionNode(node, data, rule, deltas=deltas, propagate=propagate, calibrated=calibrated)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize(("deltas", "propagate", "adaptive"), list(product([True, False], repeat=3)))
@pytest.mark.parametrize("calibrated", [True, False])
def test_transition_score_equals_its_slow_twin(
    order: int, deltas: bool, propagate: bool, adaptive: bool, calibrated: bool
) -> None:
    rule = Regression(8, 0.3 if adaptive else 0.5, adaptive, 2.0)
    node = transition_node(1, order, rule, deltas=deltas, propagate=propagate, calibrated=calibrated)
    floor = FLOOR * float(np.concatenate(takes(2))[:, 1].var())
    for parents in ([], [0, 3]):
        truth, means, variances = slow_propagation(
            takes(2), node.data.weights, 1, parents, order, neighbors=8, width=rule.width, adaptive=adaptive,
            velocity_weight=2.0, floor=floor, delta=deltas, propagated=propagate,
        )  # fmt: skip
        if calibrated:
            variances = np.full_like(truth, max(float(((truth - means) ** 2).mean()), floor))
        slow = float((-0.5 * (np.log(2 * np.pi * variances) + (truth - means) ** 2 / variances)).sum())
        assert node.score(frozenset(parents)) == pytest.approx(slow, rel=1e-8)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("neighbors", [3, 10, 1000])
@pytest.mark.parametrize("calibrated", [True, False])
def test_additions_are_scores_of_the_enlarged_sets(order: int, neighbors: int, calibrated: bool) -> None:
    node = transition_node(2, order, Regression(neighbors, 0.3, True, 1.0), calibrated=calibrated)
    for parents in (frozenset[int](), frozenset({0}), frozenset({0, 1})):
        candidates = [c for c in (3, 1, 0) if c not in parents]
        expected = [node.score(parents | {c}) for c in candidates]
        assert node.additions(parents, candidates) == pytest.approx(expected, rel=1e-10)


def test_prior_additions_are_scores_of_the_enlarged_sets() -> None:
    nodes, *_ = prior_nodes(Regression(7, 0.4, True, 0.0), by_clip=True)
    for parents in (frozenset[int](), frozenset({1, 4})):
        expected = [nodes[0].score(parents | {c}) for c in (2, 3, 7)]
        assert nodes[0].additions(parents, [2, 3, 7]) == pytest.approx(expected, rel=1e-12)
        assert nodes[0].glance(parents, [2, 3, 7]) == pytest.approx(expected, rel=1e-12)


def test_a_glance_is_the_score_of_one_held_out_example() -> None:
    """With one-step predictions and printed variances, the glances of all examples add up to the score."""
    rule = Regression(8, 0.3, True, 1.0)
    whole, total = 0.0, 0.0
    examples = takes(2)
    for index in range(4):  # the same DOF as node 0, 1, 2 and 3
        turned = [np.roll(x, index, axis=1) for x in examples]
        data = transition_data(transition_instances(turned, 2), np.ones(4))
        node = TransitionNode(index, data, rule, deltas=True, propagate=True, calibrated=False)
        candidate = (index + 1) % 4
        total += float(node.glance(frozenset(), [candidate])[0])
        whole = node.score(frozenset({candidate}))
    assert total == pytest.approx(whole, rel=1e-10)


def test_what_was_asked_before_never_changes_a_score() -> None:
    rule = Regression(9, 0.3, True, 1.0)
    rng = np.random.default_rng(0)
    worn = transition_node(1, 2, rule)
    sets = [frozenset(int(k) for k in rng.permutation([0, 2, 3])[: rng.integers(0, 4)]) for _ in range(25)]
    for parents in sets:
        assert worn.score(parents) == transition_node(1, 2, rule).score(parents)
        others = [c for c in (0, 2, 3) if c not in parents]
        if others:
            fresh = transition_node(1, 2, rule).additions(parents, others)
            np.testing.assert_array_equal(worn.additions(parents, others), fresh)


def test_the_score_of_a_network_is_the_sum_over_its_nodes() -> None:
    """Lau 2009, below eq. 3: what the search adds up along its way is what the slow twin says of the result."""
    rule = Regression(7, 0.4, True, 0.0)
    nodes, instances, weights, groups = prior_nodes(rule, by_clip=True)
    found = search_network(nodes, [frozenset()] * len(nodes), cap=2)
    slow = [slow_prior_score(instances, weights, k, sorted(f.parents), groups, rule) for k, f in enumerate(found)]
    assert sum(f.score for f in found) == pytest.approx(sum(slow), rel=1e-9)
    assert sum(f.score for f in found) > sum(node.score(frozenset()) for node in nodes)


def test_the_parent_that_drives_a_node_scores_best() -> None:
    """DOF 1 repeats DOF 0 a frame later; DOF 2 is noise."""
    rng = np.random.default_rng(4)
    examples = []
    for length in (40, 42, 38):
        walk = np.cumsum(rng.normal(size=length + 1))
        examples.append(np.stack([walk[1:], walk[:-1], np.cumsum(rng.normal(size=length))], axis=1))
    data = transition_data(transition_instances(examples, 2), np.ones(3))
    node = TransitionNode(1, data, Regression(8, 0.3, True, 0.0), deltas=True, propagate=False, calibrated=True)
    driven, noise = node.additions(frozenset(), [0, 2])
    assert driven > noise + 10.0
