"""What is left out is predicted by the others; settings of the search; what structures are worth on recorded motion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.variation import Settings, learn
from freshtake.variation.network.held_out import held_out_error
from freshtake.variation.network.instances import transition_instances
from freshtake.variation.network.joint_scores import JointScores, way_of
from freshtake.variation.network.networks import own_parents
from freshtake.variation.network.regression import Regression
from freshtake.variation.network.transition_structure import checked, random_parents
from tests.variation.twins import takes

QUICK = Settings(method="kernel", prior_starts=1, neighbors=8, velocity_weight=1.0, kernel_width=0.3)


def test_own_parents_score_as_own_parents() -> None:
    examples = takes(3, dofs=6)
    found = held_out_error(examples, QUICK.changed(parents="own"), rng=np.random.default_rng(0))
    np.testing.assert_array_equal(found.learned, found.own)
    assert found.against_own == 1.0
    assert set(found.parents) == {2}


def test_whole_poses_are_reached_where_all_dofs_may_be_parents() -> None:
    examples = takes(3, dofs=4)
    found = held_out_error(examples, QUICK.changed(core=4, max_parents=12, screening=1.0), rng=np.random.default_rng(0))
    assert found.learned.shape == (4,)
    assert (found.joint > 0).all() and (found.own > 0).all()
    assert found.parents.min() >= 5  # own two, and three more of the core


def test_leaving_one_out_takes_three() -> None:
    with pytest.raises(UsageError, match="needs at least 3 examples, not 2"):
        held_out_error(takes(3)[:2], rng=np.random.default_rng(0))


def test_recorded_motion_meets_the_targets_of_the_structure(data: Path) -> None:
    """Jump: at most 1.05 of nearest neighbors of whole poses, 0.35 of own parents, 2 to 15 parents per node."""
    clips = [ft.read(path) for path in sorted((data / "jump").glob("jump_*.bvh"))]
    found = held_out_error(
        clips, Settings(method="kernel", neighbors=15, velocity_weight=1.0), rng=np.random.default_rng(0)
    )
    assert found.against_joint <= 1.05
    assert found.against_own <= 0.35
    assert 2 <= found.parents.min() <= found.parents.max() <= 15


def edges(**settings: Any) -> tuple[tuple[int, ...], ...]:
    chosen = QUICK.changed(**settings)
    return learn(takes(3, dofs=6), chosen, rng=np.random.default_rng(1)).transition.edges


@pytest.mark.parametrize("regression", ["linear", "radial"])
def test_every_regression_learns_a_network(regression: str) -> None:
    found = edges(regression=regression, core=2, max_parents=6)
    assert all(len(own) <= 6 for own in found)


def test_random_parents_are_as_many_and_own_ones_stay() -> None:
    learned, drawn = edges(core=2, max_parents=7), edges(core=2, max_parents=7, parents="random")
    assert [len(own) for own in learned] == [len(own) for own in drawn]
    assert learned != drawn
    for own, parents in zip(own_parents(6, 2), drawn, strict=True):
        assert set(own) <= set(parents)


def test_random_parents_are_drawn_evenly() -> None:
    rng = np.random.default_rng(0)
    start = tuple((i, 5 + i, (i + 1) % 5) for i in range(5))
    counts = np.zeros(10)
    for _ in range(2000):
        counts[[p for p in random_parents(start, 2, rng)[0] if p % 5 != 0]] += 1
    assert counts[0] == counts[5] == 0
    others = counts[[1, 2, 3, 4, 6, 7, 8, 9]]
    assert (np.abs(others - 250) < 6 * np.sqrt(250 * 7 / 8)).all()


def test_own_and_slice_edges_and_core_are_settings() -> None:
    assert edges(parents="own") == own_parents(6, 2)
    assert all(p < 12 for own in edges() for p in own)
    inside = edges(slice_edges=True, core=0, screening=1.0)
    assert any(p >= 12 for own in inside for p in own)
    assert all(len(own) >= 4 for own in edges(core=3))
    assert sum(map(len, edges(core=0))) < sum(map(len, edges(core=5)))


def test_thorough_is_at_least_as_good_on_the_examples() -> None:
    examples = takes(3, dofs=6)
    rule = Regression(8, 0.3, True, 1.0)
    joint = JointScores(
        transition_instances(examples, 2), 1.0 / np.concatenate(examples).std(axis=0), way_of(rule, QUICK)
    )
    plain, thorough = (joint.errors(edges(core=2, thorough=on)) for on in (False, True))
    assert np.sqrt((thorough**2).mean()) <= 1.02 * np.sqrt((plain**2).mean())


def test_checking_takes_no_edges_that_lead_astray() -> None:
    """Wanted parents are own ones alone, with which the whole goes astray: most of them are refused."""
    examples = takes(3, dofs=6)
    joint = JointScores(transition_instances(examples, 2), np.ones(6), way_of(Regression(8, 0.3, True, 1.0), QUICK))
    safe = tuple(tuple(range(12)) for _ in range(6))
    found, error = checked(joint, safe, own_parents(6, 2), list(range(6)))
    least, alone = (float(np.sqrt((joint.errors(e) ** 2).mean())) for e in (safe, own_parents(6, 2)))
    assert alone > 1.2 * least  # or the test could not see anything
    assert error <= 1.01**4 * least
    assert found != own_parents(6, 2)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"regression": "cubic"}, "regression must be one of kernel, linear, radial, not 'cubic'"),
        ({"parents": "mine"}, "parents must be one of learned, random, own"),
        ({"thorough": 1}, "thorough is on or off"),
        ({"deltas": None}, "deltas is on or off"),
        ({"slice_edges": "yes"}, "slice_edges is on or off"),
        ({"core": -1}, "core must lie between 0 and 1000"),
        ({"rounds": -1}, "rounds must lie between 0"),
        ({"order": 4}, "order must lie between 1 and 3"),
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        Settings(**wrong)
