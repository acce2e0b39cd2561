"""Swings of hands and feet as nodes: how they are measured, what traits make of them, and that they go together."""

from __future__ import annotations

from functools import cache

import numpy as np

from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import from_rotvec, inverse, multiply, to_matrix, to_rotvec
from freshtake.reports.explanation import explanation
from freshtake.samples import walk
from freshtake.variation import Settings, learn
from freshtake.variation.model import VariationModel
from freshtake.variation.synthesis.frame_kernels import Knots, nodes_along
from freshtake.variation.synthesis.leg_following import mean_pose
from freshtake.variation.synthesis.swing_nodes import furthest, swings_in
from freshtake.variation.synthesis.trait_kernels import follow_swings

SIZES = (0.3, 0.8, 1.2, 1.7)  # how far both arms swing in the takes


def swinging(seed: int, size: float) -> Clip:
    """A walk whose arms swing so much as far, both of them."""
    clip = walk(rng=np.random.default_rng(seed))
    rotations = clip.rotations.copy()
    for side in ("Left", "Right"):
        joint = clip.skeleton.index(f"{side}Arm")
        middle = from_rotvec(to_rotvec(rotations[:, joint]).mean(axis=0)[None])
        away = to_rotvec(multiply(inverse(middle), rotations[:, joint]))
        rotations[:, joint] = multiply(middle, from_rotvec(size * away))
    return clip.changed(rotations=rotations)


@cache
def model(parents: str = "learned") -> VariationModel:
    takes = [swinging(seed, size) for seed, size in enumerate(SIZES)]
    return learn(takes, Settings(parents=parents), rng=np.random.default_rng(0))


def seen(clip: Clip, name: str) -> float:
    """How far a joint goes to and fro, seen from the hips, in the direction that they face."""
    turned = to_matrix(clip.rotations[:, 0])
    yaw = np.arctan2(turned[:, 0, 2] - turned[:, 2, 0], turned[:, 0, 0] + turned[:, 2, 2])
    apart = clip.positions()[:, clip.skeleton.index(name)] - clip.positions()[:, 0]
    return float(np.ptp(np.sin(yaw) * apart[:, 0] + np.cos(yaw) * apart[:, 2]))


def test_swings_are_those_of_the_takes() -> None:
    made = model()
    swings = made.courses.body.swings
    assert set(swings.names) == {"LeftFoot", "RightFoot", "LeftHand", "RightHand"}
    for rows in made.material.values:
        found = swings_in(swings, made.material, rows)
        clip = made.decode(rows)
        np.testing.assert_allclose(found, [seen(clip, name) for name in swings.names], rtol=0.05)
    names = made.transition.dofs
    assert names[-5:] == (*swings.nodes, "tempo")
    own = swings_in(swings, made.material, made.material.values[1])
    held = made.courses.smooth[1, :, -5:-1]
    np.testing.assert_allclose(held, np.broadcast_to(own, held.shape))


def test_parents_of_swings_are_swings_and_the_travel() -> None:
    made = model()
    names = made.transition.dofs
    found = {names[k % len(names)] for node in range(-5, -1) for k in made.transition.edges[node]}
    assert all(name.endswith((" swing", "forward travel")) for name in found)
    others = {k % len(names) for own in made.transition.edges[:-5] for k in own}
    assert not any(names[k].endswith(" swing") for k in others)
    left, right = names.index("LeftHand swing"), names.index("RightHand swing")
    tied = [{names[k % len(names)] for k in made.transition.edges[node]} for node in (left, right)]
    assert "RightHand swing" in tied[0] or "LeftHand swing" in tied[1]


def test_the_furthest_places_change_with_the_joints_as_the_table_says() -> None:
    """Along random small changes of the whole pose, against the pose with the change in it."""
    made, rng = model(), np.random.default_rng(3)
    material, swings = made.material, made.courses.body.swings
    pose = mean_pose(made.courses, material)
    phases, moves = furthest(swings, material, pose)
    change = 1e-3 * rng.normal(size=pose.shape[1]) * ~material.rates
    before, after = swings_in(swings, material, pose), swings_in(swings, material, pose + change)
    np.testing.assert_allclose(after - before, moves.sum(axis=1) @ change, atol=0.02 * np.abs(after - before).max())
    assert (phases[:, 0] != phases[:, 1]).all()


def deviations(made: VariationModel, traits: Floats, phases: Floats) -> Floats:
    """(phases, nodes) that synthesis adds to the mean where traits are constant and nothing else deviates."""
    sampler = made.sampler()
    nodes, count = traits.shape[1], 8
    knots = Knots(
        np.zeros((60, nodes)), np.repeat(traits[None], count, axis=0), np.zeros((count, 4)), 0, 0, 0, np.inf, 1e9
    )  # fmt: skip
    out = np.empty((len(phases), nodes))
    nodes_along(phases, sampler.tables, knots, sampler.amounts, out)
    return out


def test_swings_change_with_traits_as_the_table_says() -> None:
    """G against the whole synthesis, legs that follow feet included: a small change of all traits."""
    made, rng = model(), np.random.default_rng(5)
    tables, material = made.sampler().swings, made.material
    nodes, dofs = made.tables.mean.shape[1], len(material.names)
    traits = 0.01 * rng.normal(size=(3, nodes))
    phases = np.arange(len(made.tables.mean), dtype=np.float64)
    still, moved = (deviations(made, x, phases)[:, :dofs] for x in (np.zeros_like(traits), traits))
    detail = np.where(material.rates, 0.0, made.courses.detail.mean(axis=0))
    swings = made.courses.body.swings
    change = swings_in(swings, material, moved + detail) - swings_in(swings, material, still + detail)
    told = (
        tables.changes @ traits.ravel() * np.sqrt(2.0)
    )  # at place 0 knots count 1/6, 4/6, 1/6, divided by the root of their squares
    np.testing.assert_allclose(change, told, rtol=0.05)  # hands and feet alike


def test_traits_follow_by_the_least_change() -> None:
    tables, rng = model().sampler().swings, np.random.default_rng(1)
    traits = rng.normal(size=(5, 3, tables.changes.shape[1] // 3))
    found = traits.copy()
    for knot in found:
        follow_swings(tables, knot, np.empty(len(tables.nodes)))
    wanted = traits[:, 0, tables.nodes] * tables.sizes
    np.testing.assert_allclose(found.reshape(5, -1) @ tables.changes.T, wanted, rtol=1e-6)
    change = (found - traits).reshape(5, -1)
    along = change @ np.linalg.pinv(tables.changes) @ tables.changes  # nothing that would not change a swing
    np.testing.assert_allclose(along, change, atol=1e-6 * np.abs(change).max())


def together(made: VariationModel, count: int = 80) -> float:
    clips = [made.sample(np.random.default_rng([8, seed])) for seed in range(count)]
    return float(np.corrcoef([[seen(clip, name) for clip in clips] for name in ("LeftHand", "RightHand")])[0, 1])


def test_hands_swing_together_by_the_learned_parents_alone() -> None:
    """As in the takes, whose arms swing alike; without the edges that were learned, they do not."""
    assert together(model()) > 0.6
    assert together(model("own")) < 0.3


def test_explanations_show_what_a_swing_follows() -> None:
    found = explanation(model(), "RightHand")
    edges = {(edge.child, edge.parent): edge.strength for edge in (*found.parents, *found.children)}
    both = [
        edges.get(pair, 0.0) for pair in (("RightHand swing", "LeftHand swing"), ("LeftHand swing", "RightHand swing"))
    ]
    assert max(both) > 0.01  # nats per take
