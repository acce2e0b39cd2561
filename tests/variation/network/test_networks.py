"""The two networks: what they refuse, how they name nodes, and their order."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.errors import InvalidMotion
from freshtake.variation.network.networks import PriorNetwork, TransitionNetwork, own_parents, topological_order


@pytest.mark.parametrize("seed", range(5))
def test_order_has_parents_before_children(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rank = rng.permutation(12)
    edges = [[p for p in range(12) if rank[p] < rank[node] and rng.random() < 0.3] for node in range(12)]
    order = topological_order(edges)
    assert sorted(order) == list(range(12))
    place = {node: k for k, node in enumerate(order)}
    assert all(place[p] < place[node] for node, own in enumerate(edges) for p in own)


def test_cycles_are_refused() -> None:
    with pytest.raises(InvalidMotion, match="cycle"):
        PriorNetwork(("a",), ((1,), (0,)))
    with pytest.raises(InvalidMotion, match="cycle"):
        PriorNetwork(("a",), ((0,), ()))
    with pytest.raises(InvalidMotion, match="cycle"):
        TransitionNetwork(("a", "b"), 1, ((0, 3), (1, 2)))  # a[t+1] and b[t+1] predict each other


def test_edges_back_in_time_are_no_cycle() -> None:
    TransitionNetwork(("a", "b"), 1, ((0, 1), (0, 1)))


@pytest.mark.parametrize("edges", [((0,),), ((), (), ()), ((1, 1), ()), ((2,), ()), ((-1,), ())])
def test_wrong_edges_are_refused(edges: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(InvalidMotion):
        PriorNetwork(("a",), edges)


@pytest.mark.parametrize("edges", [((),), ((), (), ()), ((6,), ()), ((0, 0), ())])
def test_wrong_transition_edges_are_refused(edges: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(InvalidMotion):
        TransitionNetwork(("a", "b"), 2, edges)


def test_parents_by_name() -> None:
    prior = PriorNetwork(("a", "b"), ((), (0,), (0,), (1, 2)))
    assert prior.parents("b[1]") == ("b[0]", "a[1]")
    assert prior.parents("a[0]") == ()
    with pytest.raises(InvalidMotion, match=r"no node 'c\[0\]'"):
        prior.parents("c[0]")
    transition = TransitionNetwork(("a", "b"), 2, ((0, 2, 3), (1, 3, 4)))
    assert transition.parents("a") == ("a[t]", "a[t+1]", "b[t+1]")
    assert transition.parents("b") == ("b[t]", "b[t+1]", "a[t+2]")
    assert transition.slice_edges() == ((), (0,))
    assert transition.prediction_order() == (0, 1)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_own_parents_are_the_dof_itself_at_all_known_frames(order: int) -> None:
    names = ("a", "b", "c")
    network = TransitionNetwork(names, order, own_parents(3, order))
    frames = ["[t]", "[t+1]", "[t+2]"][:order]
    for name in names:
        assert network.parents(name) == tuple(name + frame for frame in frames)
