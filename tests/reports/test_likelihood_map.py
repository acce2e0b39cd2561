"""Heat maps of likelihood: strange joints and strange frames are found where they are."""

from __future__ import annotations

from functools import cache

import numpy as np

import freshtake as ft
from freshtake.numeric.rotations import about_axis, multiply
from freshtake.reports.likelihood_map import ClipLikelihood, clip_likelihood, likelihood_figure
from freshtake.variation import VariationModel, learn


@cache
def walks() -> VariationModel:
    return learn([ft.samples.walk(np.random.default_rng(k)) for k in range(4)], cyclic=True, pieces="whole")


def test_a_joint_held_strangely_is_found() -> None:
    """A forearm rotated by up to 35 degrees in a third of the cycle, too slowly to count as detail."""
    model, take = walks(), ft.samples.walk(np.random.default_rng(9))
    first, last = len(take) // 3, 2 * len(take) // 3
    rotations, k = take.rotations.copy(), take.skeleton.index("LeftForeArm")
    for frame in range(first, last + 1):
        angle = 0.6 * np.sin(np.pi * (frame - first) / (last - first))
        rotations[frame, k] = multiply(rotations[frame, k], about_axis(np.array([1.0, 0.0, 0.0]), angle))
    usual = clip_likelihood(model, take, "take")
    strange = clip_likelihood(model, take.changed(rotations=rotations), "strange")
    assert strange.normalized < usual.normalized
    drop = (strange.relative - usual.relative).mean(axis=0)
    assert strange.joints[int(drop.argmin())] == "LeftForeArm"
    column = (strange.relative - usual.relative)[:, strange.joints.index("LeftForeArm")]
    assert column[first:last].mean() < column[: first - 6].mean() - 0.5


def test_joints_come_by_parts_and_the_picture_shows_them_all() -> None:
    found = clip_likelihood(walks(), ft.samples.walk(np.random.default_rng(9)), "take")
    assert found.joints[0] == "Hips"
    assert found.relative.shape[1] == len(found.joints) == len({dof.rsplit(".", 1)[0] for dof in walks().dofs})
    axes = likelihood_figure(found, ["LeftLeg"]).axes
    labels = {label.get_text(): label.get_fontweight() for label in axes[1].get_yticklabels()}
    assert tuple(labels) == found.joints
    assert [name for name, weight in labels.items() if weight == "bold"] == ["LeftLeg"]
    facts = found.as_dict()
    assert len(facts["per_frame"]) == len(found.relative) and set(facts["per_joint"]) == set(found.joints)


def test_stretches_of_unlikely_frames() -> None:
    relative = np.zeros((30, 2))
    relative[10:15, 1] = -8.0
    found = ClipLikelihood("x", 0.01, ("a", "b"), relative, -1.0, (0.0, 1.0))
    worst = found.spots[0]
    assert (worst.joint, worst.first, worst.last, worst.value) == ("b", 10, 14, -8.0)
    assert found.sentences()[1:] == ["b is 8.0 nats per DOF less likely than usual in frames 10-14"]


def test_letters_and_models_of_one_example() -> None:
    letters = [ft.samples.letter_a(np.random.default_rng(k)) for k in range(5)]
    model = learn(letters[:4])
    found = clip_likelihood(model, letters[4])
    assert found.joints == ("x", "y") and len(found.examples) == 4
    alone = clip_likelihood(model.with_examples(letters[:1]), letters[4])
    assert len(alone.examples) == 1 and np.isfinite(alone.relative).all()
