"""Greedy search against exhaustive search on networks small enough to list."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations, product

import numpy as np
import pytest

from freshtake.errors import InvalidMotion
from freshtake.variation.network.networks import topological_order
from freshtake.variation.network.structure_search import search_network, search_node


class Table:
    """Scores of one node, drawn at random for every set of parents, or a sum of independent gains."""

    def __init__(self, scores: dict[frozenset[int], float]) -> None:
        self.scores = scores

    def score(self, parents: frozenset[int], above: float = -np.inf) -> float:
        return self.scores[parents]

    def additions(self, parents: frozenset[int], candidates: Sequence[int], above: float = -np.inf) -> np.ndarray:
        return np.array([self.scores[parents | {c}] for c in candidates])

    def glance(self, parents: frozenset[int], candidates: Sequence[int]) -> np.ndarray:
        return self.additions(parents, candidates)


def subsets(items: Sequence[int]) -> list[frozenset[int]]:
    return [frozenset(s) for s in chain.from_iterable(combinations(items, k) for k in range(len(items) + 1))]


def additive(rng: np.random.Generator, node: int, count: int) -> Table:
    """Every parent has its own gain, so that greedy search is exact for one node."""
    gains = rng.normal(size=count)
    return Table({s: float(gains[list(s)].sum()) for s in subsets(range(count))})


def acyclic(graph: Sequence[frozenset[int]]) -> bool:
    try:
        topological_order(graph)
    except InvalidMotion:
        return False
    return True


@pytest.mark.parametrize("seed", range(10))
def test_one_node_finds_the_best_set_of_additive_gains(seed: int) -> None:
    table = additive(np.random.default_rng(seed), 0, 6)
    for cap in (2, 6):
        found = search_node(table, range(6), frozenset(), cap=cap)
        assert found.score == pytest.approx(max(v for s, v in table.scores.items() if len(s) <= cap))


def test_deletion_undoes_a_bad_start() -> None:
    table = Table({s: -float(len(s)) for s in subsets(range(4))})
    assert search_node(table, range(4), frozenset({0, 2}), cap=4).parents == frozenset()


def test_there_are_543_acyclic_graphs_of_four_nodes() -> None:
    choices = [subsets([p for p in range(4) if p != node]) for node in range(4)]
    assert sum(acyclic(graph) for graph in product(*choices)) == 543


@pytest.mark.parametrize("seed", range(6))
def test_restarts_reach_the_best_of_all_543_graphs(seed: int) -> None:
    """A prior network of two DOFs has four nodes: restarts of the greedy search against all graphs."""
    rng = np.random.default_rng(seed)
    nodes = [additive(rng, node, 4) for node in range(4)]
    choices = [subsets([p for p in range(4) if p != node]) for node in range(4)]
    graphs = [graph for graph in product(*choices) if acyclic(graph)]
    best = max(sum(node.score(own) for node, own in zip(nodes, graph, strict=True)) for graph in graphs)
    starts = [graphs[0], *[graphs[k] for k in rng.integers(len(graphs), size=12)]]
    found = []
    for start in starts:
        result = search_network(nodes, start, cap=3)
        graph = [f.parents for f in result]
        assert acyclic(graph)
        total = sum(f.score for f in result)
        assert total == pytest.approx(sum(node.score(own) for node, own in zip(nodes, graph, strict=True)))
        assert total >= sum(node.score(own) for node, own in zip(nodes, start, strict=True))
        found.append(total)
    assert max(found) == pytest.approx(best)


def test_no_edit_improves_a_result() -> None:
    rng = np.random.default_rng(3)
    nodes = [Table({s: float(rng.normal()) for s in subsets(range(5))}) for _ in range(5)]
    result = search_network(nodes, [frozenset()] * 5, cap=3)
    graph = [f.parents for f in result]
    total = sum(f.score for f in result)
    for child, parent in product(range(5), repeat=2):
        if child == parent:
            continue
        edited = list(graph)
        edited[child] = graph[child] ^ {parent}
        reversed_edge = list(graph)
        if parent in graph[child]:
            reversed_edge[child] = graph[child] - {parent}
            reversed_edge[parent] = graph[parent] | {child}
        for other in (edited, reversed_edge):
            if acyclic(other) and all(len(own) <= 3 for own in other):
                assert sum(n.score(own) for n, own in zip(nodes, other, strict=True)) <= total + 1e-8
