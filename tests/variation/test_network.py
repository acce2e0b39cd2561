"""The network of joints that vary together: strongest dependences, acyclic, named."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from freshtake.errors import InvalidMotion
from freshtake.variation import Amount, VariationModel, learn, transition_strengths
from freshtake.variation.network import transition_network
from freshtake.variation.paper.networks import TransitionNetwork, topological_order
from tests.variation.test_variants import examples


@cache
def model() -> VariationModel:
    return learn(examples(24), frame_time=1 / 30, cyclic=False, names=("a", "b", "c", "d"))


def test_dofs_that_deviate_together_are_connected_and_others_are_not() -> None:
    edges = {(e.child, e.parent) for e in transition_strengths(model()) if e.child != e.parent}
    pairs = {frozenset(edge) for edge in edges}
    assert frozenset((0, 1)) in pairs or frozenset((1, 2)) in pairs
    assert not any(3 in pair for pair in pairs)


def test_every_dof_continues_its_own_past() -> None:
    network = transition_network(model())
    for k, name in enumerate(network.dofs):
        assert {f"{name}[t]", f"{name}[t+1]"} <= set(network.parents(name))
        own = [e for e in transition_strengths(model()) if e.child == e.parent == k]
        assert len(own) == 1 and math.isnan(own[0].strength)


def test_strengths_are_what_knowing_the_parent_tells() -> None:
    """-log(1 - r^2) / 2 for the correlation r of the two DOFs, over many draws."""
    strongest = max((e for e in transition_strengths(model()) if e.child != e.parent), key=lambda e: e.strength)
    still = Amount(1.0, time=0.0)
    mean = model().rows(np.random.default_rng(0), amount=0.0)
    drawn = np.concatenate([model().rows(np.random.default_rng(k), amount=still) - mean for k in range(80)])
    r = np.corrcoef(drawn[:, strongest.child], drawn[:, strongest.parent])[0, 1]
    assert strongest.strength == pytest.approx(-0.5 * np.log(1.0 - r * r), abs=0.25)


def test_one_take_connects_nothing() -> None:
    alone = learn(examples(24)[:1], frame_time=1 / 30, cyclic=False)
    assert all(e.child == e.parent for e in transition_strengths(alone))


def test_orders_and_cycles() -> None:
    assert topological_order([[1], [], [0]]) == (1, 0, 2)
    with pytest.raises(InvalidMotion, match="cycle"):
        topological_order([[1], [0]])
    with pytest.raises(InvalidMotion, match="no node 'z'"):
        TransitionNetwork(("a",), 2, ((0, 1),)).parents("z")
