"""The paper's search: what decides, what it keeps, and that no edit in reach improves its result."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from freshtake.errors import InvalidMotion
from freshtake.methods.progress import Progress
from freshtake.variation import Settings, VariationModel, learn
from freshtake.variation.live import first_frames
from freshtake.variation.network.instances import prior_instances, transition_instances
from freshtake.variation.network.joint_scores import JointScores, way_of
from freshtake.variation.network.joint_search import few_edits, search_jointly, steepest
from freshtake.variation.network.networks import Edges, own_parents, topological_order
from freshtake.variation.network.node_scores import PriorNode
from freshtake.variation.network.prior_structure import _nodes
from freshtake.variation.network.regression import Regression
from freshtake.variation.network.transition_structure import single_nodes, transition_data
from tests.variation.twins import takes

RULE = Regression(6, 0.6, False, 1.0)


def searched(
    dofs: int, settings: Settings, seed: int = 0, kept: frozenset[int] = frozenset()
) -> tuple[JointScores, Edges]:
    examples = takes(seed, dofs=dofs, lengths=(14, 12, 13))
    data = single_nodes(transition_data(transition_instances(examples, settings.order), np.ones(dofs)))
    joint = JointScores(data.instances, data.weights, way_of(RULE, settings))
    if few_edits(dofs, settings):
        return joint, steepest(joint, settings, lambda p: None)
    start = own_parents(dofs, settings.order)
    return joint, search_jointly(joint, data, start, kept, settings, lambda p: None, map)


def acyclic_inside(edges: Edges, order: int) -> bool:
    first = order * len(edges)
    try:
        topological_order([[p - first for p in own if p >= first] for own in edges])
    except InvalidMotion:
        return False
    return True


def all_networks(dofs: int, order: int) -> list[Edges]:
    """Own parents and any others, no cycle inside the predicted frame."""
    own = own_parents(dofs, order)
    choices = []
    for i in range(dofs):
        others = [p for p in range((order + 1) * dofs) if p % dofs != i]
        sets = [c for k in range(len(others) + 1) for c in combinations(others, k)]
        choices.append([tuple(sorted({*own[i], *c})) for c in sets])
    return [edges for edges in product(*choices) if acyclic_inside(edges, order)]


@pytest.mark.parametrize("seed", range(3))
def test_the_best_of_all_networks_of_two_dofs(seed: int) -> None:
    """The search by the joint score against every network there is: no single edit improves what it finds, and it
    is the best of all unless a ridge lies between."""
    joint, found = searched(2, Settings(method="paper"), seed)
    scores = {edges: joint.score(edges) for edges in all_networks(2, 2)}
    assert len(scores) == 8 * 8 - 4 * 4
    start = own_parents(2, 2)
    assert scores[found] >= scores[start]
    near = [edges for edges in scores if sum(len(set(a) ^ set(b)) for a, b in zip(edges, found, strict=True)) == 1]
    assert len(near) >= 4
    assert scores[found] >= max(scores[edges] for edges in near)
    best = max(scores, key=lambda edges: scores[edges])
    assert scores[found] == scores[best] or stuck(scores, start, best)


def stuck(scores: dict[Edges, float], start: Edges, goal: Edges) -> bool:
    """Whether no way of single edits, each an improvement, leads to the goal by steepest ascent."""
    now = start
    while True:
        near = [e for e in scores if sum(len(set(a) ^ set(b)) for a, b in zip(e, now, strict=True)) == 1]
        better = max(near, key=lambda edges: scores[edges])
        if scores[better] <= scores[now]:
            return now != goal
        now = better


def test_no_edit_improves_what_many_rounds_find() -> None:
    """With more DOFs nodes propose and the joint score disposes; given time no proposal is left."""
    settings = Settings(method="paper", rounds=200, slice_edges=True, max_parents=4)
    joint, found = searched(5, settings)
    best = joint.score(found)
    for i, p in product(range(5), range(15)):
        parents = tuple(sorted(set(found[i]) ^ {p}))
        edited = tuple(parents if k == i else own for k, own in enumerate(found))
        if p % 5 != i and len(parents) <= 4 and acyclic_inside(edited, 2):
            assert joint.score(edited) <= best + 1e-8


def test_the_score_never_falls_and_own_parents_stay() -> None:
    settings = Settings(method="paper", rounds=3, max_parents=5)
    joint, found = searched(6, settings)
    assert joint.score(found) > joint.score(own_parents(6, 2))
    for own, parents in zip(own_parents(6, 2), found, strict=True):
        assert set(own) <= set(parents)
        assert len(parents) <= 5
    assert acyclic_inside(found, 2)


def test_edges_inside_the_predicted_frame_are_a_setting() -> None:
    assert all(p < 10 for own in searched(5, Settings(method="paper", slice_edges=False))[1] for p in own)
    assert any(p >= 10 for seed in range(3) for own in searched(5, Settings(method="paper"), seed)[1] for p in own)


def literal(**options: Any) -> VariationModel:
    settings = Settings(method="paper", prior_starts=1, rounds=2, **options.pop("settings", {}))
    return learn(takes(3, dofs=6), settings, rng=np.random.default_rng(1), **options)


def test_the_paper_has_no_pull_no_adaptive_width_and_no_time_in_its_prior() -> None:
    model = literal(cyclic=False)
    assert not model.rule.adaptive and not model.prior_rule.adaptive
    first, second = first_frames(model, np.random.default_rng(0), 0.0)
    starts = np.array([x[:11] for x in model.material.values])
    assert (np.abs(second - starts.mean(axis=(0, 1))) < 4 * starts.std(axis=(0, 1))).all()  # a place, not a change
    assert not np.allclose(first, second)


@pytest.mark.parametrize("regression", ["kernel", "linear", "radial"])
def test_variants_of_the_literal_method_are_finite_and_differ(regression: str) -> None:
    model = literal(cyclic=True, settings={"regression": regression})
    rows = [model.rows(np.random.default_rng(seed), frames=60) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(rows[0], rows[1])
    assert np.isfinite(rows[0]).all() and not np.allclose(rows[0], rows[2])


def test_an_acyclic_variant_ends_by_itself() -> None:
    examples = takes(3, dofs=4, cyclic=False, lengths=(31, 30, 32, 29))
    settings = Settings(method="paper", prior_starts=1, rounds=1, neighbors=6)
    model = learn(examples, settings, rng=np.random.default_rng(1), cyclic=False)
    lengths = [len(model.rows(np.random.default_rng(seed))) for seed in range(8)]
    assert max(lengths) < 4 * 32
    assert 20 < np.median(lengths) < 45


def test_progress_of_the_paper_rises() -> None:
    seen: list[Progress] = []
    literal(report=seen.append)
    shares = [p.share for p in seen]
    assert shares == sorted(shares)
    assert any("round 1 of at most 2" in p.what for p in seen)


def test_workers_do_not_matter_to_the_paper() -> None:
    first, second = literal(map=map), literal()
    assert first.transition == second.transition and first.prior == second.prior


def test_the_paper_leaves_one_instance_out_of_the_prior_and_the_default_its_clip() -> None:
    """Lau 2009, below eq. 3."""
    pairs = prior_instances(takes(3), 5, delta=False)
    rule = Regression(5, 0.3, True, 0.0)
    counts = {}
    for method in ("paper", "default"):
        node = _nodes(pairs, np.ones(4), Settings(method=method), rule)[0]
        assert isinstance(node, PriorNode)
        counts[method] = set((node.others >= 0).sum(axis=1))
    assert counts == {"paper": {19}, "default": {15}}
