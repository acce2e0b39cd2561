"""Strengths of edges: against the slow twin of the propagation, and on data whose law is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from freshtake.numeric.arrays import Floats
from freshtake.variation import Settings, VariationModel, learn
from freshtake.variation.network.networks import PriorNetwork, TransitionNetwork
from freshtake.variation.network.strengths import prior_strengths, transition_strengths
from tests.variation.twins import slow_propagation, takes

QUICK = Settings(method="kernel", neighbors=8, kernel_width=0.3, velocity_weight=1.0, prior_starts=1)


def learned(examples: list[Floats], method: str = "kernel") -> VariationModel:
    return learn(examples, QUICK.changed(method=method), rng=np.random.default_rng(0))


def connected(model: VariationModel) -> VariationModel:
    """The model with every DOF a parent of every other, at both slices."""
    count = len(model.dofs)
    network = TransitionNetwork(model.dofs, 2, (tuple(range(2 * count)),) * count)
    return replace(model, transition=network)


def slow_error(model: VariationModel, node: int, parents: list[int]) -> float:
    rule, values = model.rule, model.material.values
    truth, means, _ = slow_propagation(
        values, model.material.weights, node, parents, 2, neighbors=rule.neighbors, width=rule.width,
        adaptive=rule.adaptive, velocity_weight=rule.velocity_weight, floor=0.0, delta=True, propagated=True,
    )  # fmt: skip
    return float(((truth - means) ** 2).sum())


def test_a_strength_is_how_much_the_held_out_error_grows() -> None:
    model = connected(learned(takes(1, dofs=3, lengths=(14, 15, 13))))
    found = {(edge.child, edge.parent): edge.strength for edge in transition_strengths(model)}
    for child in range(3):
        others = [p for p in range(3) if p != child]
        whole = slow_error(model, child, others)
        for parent in others:
            without = slow_error(model, child, [p for p in others if p != parent])
            assert found[child, parent] == pytest.approx(0.5 * np.log(without / whole), rel=1e-6, abs=1e-9)
        assert np.isnan(found[child, child])


def test_parents_that_matter_are_told_from_those_that_do_not() -> None:
    rng = np.random.default_rng(3)
    takes_of_law = []
    for length in (60, 62, 58, 61):
        driver = np.cumsum(rng.normal(size=length + 1)) * 0.3  # a random walk that nobody can foresee
        follower = np.concatenate([[0.0], driver[:-1]]) + 0.01 * rng.normal(size=length + 1)  # follows it by a frame
        takes_of_law.append(np.stack([driver, follower, rng.normal(size=length + 1)], axis=1)[1:])
    found = {(e.child, e.parent): e.strength for e in transition_strengths(connected(learned(takes_of_law)))}
    assert found[1, 0] > 0.2
    assert found[1, 2] < 0.05
    by_node = transition_strengths(connected(learned(takes_of_law)), nodes=True)
    own = {(e.child, e.parent): e.strength for e in by_node}
    assert own[1, 3] > own[1, 0] + 0.1  # the newest frame of the driver, not the one before


@pytest.mark.parametrize("method", ["default", "kernel"])
def test_every_edge_is_listed_and_own_past_is_not_measured(method: str) -> None:
    model = learned(takes(2, lengths=(21, 19, 22, 20, 23, 18)), method)
    nodes, count = transition_strengths(model, nodes=True), len(model.transition.dofs)
    assert sorted((e.child, e.parent) for e in nodes) == sorted(
        (child, parent) for child, parents in enumerate(model.transition.edges) for parent in parents
    )
    assert [np.isnan(e.strength) for e in nodes] == [e.parent % count == e.child for e in nodes]
    if method == "default":
        assert prior_strengths(model) == ()
        return
    firsts = prior_strengths(model)
    assert sorted((e.child, e.parent) for e in firsts) == sorted(
        (child, parent) for child, parents in enumerate(model.prior.edges) for parent in parents
    )


@pytest.mark.parametrize("method", ["default", "kernel"])
def test_one_example_leaves_nothing_to_hold_out(method: str) -> None:
    examples = takes(2)
    alone = learned(examples, method).with_examples(examples[:1])
    assert all(np.isnan(edge.strength) for edge in transition_strengths(alone))
    assert all(np.isfinite(edge.strength) for edge in prior_strengths(alone))


def test_prior_edges_weigh_what_they_tell() -> None:
    rng = np.random.default_rng(5)
    examples = []
    for _ in range(12):
        first = rng.normal(size=2)
        rows = np.linspace(0.0, 1.0, 6)[:, None] * [[1.0, 0.5, 1.0]] + [[first[0], first[0], first[1]]]
        examples.append(rows + 1e-3 * rng.normal(size=rows.shape))
    model = learned(examples)
    none: tuple[int, ...] = ()
    network = PriorNetwork(model.dofs, (none, (0, 2), none, none, none, none))
    assert model.kernel is not None
    model = replace(model, kernel=model.kernel._replace(prior=network))
    found = {e.parent: e.strength for e in prior_strengths(model)}
    assert found[0] > 0.5
    assert found[2] < 0.1


def test_the_strengths_of_deviations_are_what_held_out_takes_lose() -> None:
    """Two DOFs that deviate together, a third by itself: what ties the two counts most."""
    rng = np.random.default_rng(7)
    u = np.linspace(0.0, 2.0 * np.pi, 60)[:, None]
    examples = []
    for _ in range(8):
        shared, alone = (gaussian_filter1d(rng.normal(size=60), 4.0) for _ in range(2))
        bent = np.stack([3.0 * shared, 2.0 * shared, 1.5 * alone], axis=1)
        examples.append(np.sin(u + np.arange(3.0)) + 0.5 * bent + 0.02 * rng.normal(size=(60, 3)))
    model = learn(examples, Settings(step=4.0), rng=rng, frame_time=1.0)
    strongest = {(e.child, e.parent): e.strength for e in transition_strengths(model) if e.child != e.parent}
    assert strongest[1, 0] > 0.3  # DOF 0 moves more, so it is the parent
    assert all(value < 0.5 * strongest[1, 0] for edge, value in strongest.items() if edge not in ((1, 0), (0, 1)))


@pytest.mark.parametrize("deltas", [True, False])
def test_prior_strengths_see_the_second_frame_as_the_method_does(deltas: bool) -> None:
    """The second frame as a value is all but told by the first one; as a change it is not."""
    rng = np.random.default_rng(5)
    examples = []
    for _ in range(12):
        first, slope = rng.normal(), 0.05 * rng.normal()
        rows = first + slope * np.arange(6.0)[:, None] * [[1.0, -1.0]]
        examples.append(rows + 1e-3 * rng.normal(size=rows.shape))
    settings = QUICK.changed(prior_deltas=deltas, prior_pairs=1)
    model = learn(examples, settings, rng=np.random.default_rng(0))
    assert model.kernel is not None
    network = PriorNetwork(model.dofs, ((), (), (0,), ()))
    model = replace(model, kernel=model.kernel._replace(prior=network))
    (edge,) = prior_strengths(model)
    assert (edge.strength < 0.3) == deltas
