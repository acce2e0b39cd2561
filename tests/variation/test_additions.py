"""What the kernel method adds to the paper: every addition is a setting, has an effect, and can be switched off."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from freshtake.numeric.arrays import Floats
from freshtake.variation import Settings, VariationModel, learn
from freshtake.variation.network.instances import transition_instances
from freshtake.variation.network.joint_scores import JointScores, way_of
from freshtake.variation.network.regression import Regression
from freshtake.variation.network.regression_rules import choose_width, resynthesis_errors
from freshtake.variation.settings import ADDITIONS
from tests.variation.twins import takes

FEW: dict[str, Any] = {"prior_starts": 1, "neighbors": 6, "velocity_weight": 1.0, "max_parents": 6}
EXAMPLES: dict[str, Any] = {"dofs": 8, "lengths": (16, 15, 17)}


@cache
def learned(method: str, changes: tuple[tuple[str, Any], ...] = ()) -> VariationModel:
    settings = Settings(method=method, **{**FEW, **dict(changes)})
    return learn(takes(3, **EXAMPLES), settings, rng=np.random.default_rng(1), cyclic=True)


def drawn(model: VariationModel) -> Floats:
    return model.rows(np.random.default_rng(5), frames=40)


def test_the_paper_is_the_kernel_method_with_all_additions_switched_off() -> None:
    off = learned("kernel", tuple((name, paper) for name, (_, paper) in ADDITIONS.items()))
    paper = learned("paper")
    assert off.transition == paper.transition and off.kernel == paper.kernel
    np.testing.assert_array_equal(drawn(off), drawn(paper))


def test_the_kernel_method_is_the_paper_with_all_additions() -> None:
    on = learned("paper", tuple((name, kernel) for name, (kernel, _) in ADDITIONS.items()))
    np.testing.assert_array_equal(drawn(on), drawn(learned("kernel")))


@pytest.mark.parametrize("name", [name for name in ADDITIONS if name != "screening"])
def test_every_addition_changes_what_is_drawn(name: str) -> None:
    assert not np.array_equal(drawn(learned("paper", ((name, ADDITIONS[name][0]),))), drawn(learned("paper")))


@pytest.mark.parametrize(
    "change",
    [("order", 1), ("regression", "linear"), ("regression", "radial"), ("propagate", False), ("deltas", False),
     ("calibrated", False), ("velocity_weight", 0.0)],
)  # fmt: skip
def test_what_the_paper_tried_besides_changes_what_is_drawn(change: tuple[str, Any]) -> None:
    assert not np.array_equal(drawn(learned("paper", (change,))), drawn(learned("paper")))


def test_a_smaller_screening_leaves_fewer_candidates() -> None:
    wide, narrow = (learned("paper", (("screening", share), ("rounds", 0))) for share in (1.0, 0.01))
    count = [sum(map(len, model.transition.edges)) for model in (wide, narrow)]
    assert count[0] > count[1]


def joint_and_noise() -> tuple[JointScores, list[Floats]]:
    examples = takes(3, **EXAMPLES)
    rule = Regression(6, 0.6, False, 1.0)
    joint = JointScores(transition_instances(examples, 2), np.ones(8), way_of(rule, Settings(method="paper")))
    rng = np.random.default_rng(2)
    return joint, [rng.standard_normal((20, 8)) for _ in range(2)]


EVERYBODY = tuple(tuple(range(16)) for _ in range(8))


def test_takes_are_resynthesised_from_their_first_frames_with_noise() -> None:
    joint, noise = joint_and_noise()
    rule = joint.way.rule
    found = resynthesis_errors(joint, EVERYBODY, rule, noise)
    assert found.shape == (6,)
    quiet = resynthesis_errors(joint, EVERYBODY, rule, [0.0 * noise[0]])
    np.testing.assert_allclose(quiet, joint.errors(EVERYBODY), rtol=1e-12)
    assert found.mean() > quiet.mean()


def test_the_width_is_the_widest_that_resynthesises_takes_well() -> None:
    """Beyond the chosen width errors grow by more than their standard error; a width that is far too large is left."""
    joint, noise = joint_and_noise()
    rule = joint.way.rule._replace(width=8.0)
    found = choose_width(joint, EVERYBODY, rule, 0.0, np.random.default_rng(0))
    assert not found.adaptive and 0.5 <= found.width < 8.0
    near, far = (
        resynthesis_errors(joint, EVERYBODY, rule._replace(width=width), noise).mean() for width in (found.width, 8.0)
    )
    assert near < far


def test_only_a_fixed_width_that_is_not_given_is_chosen_anew() -> None:
    assert learned("paper", (("kernel_width", 0.4),)).rule.width == 0.4
    assert not learned("paper").rule.adaptive
    assert learned("kernel").rule.width in (0.15, 0.3, 0.6)
