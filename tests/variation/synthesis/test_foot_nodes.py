"""Feet as nodes: their places, what legs make of them, and feet that keep theirs while they stand."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.samples import walk
from freshtake.variation import Settings, learn
from freshtake.variation.model import VariationModel
from freshtake.variation.synthesis.courses import travel_and_places
from freshtake.variation.synthesis.foot_nodes import foot_nodes, heading_columns, seen_from_root
from freshtake.variation.synthesis.leg_following import foot_tables


@cache
def model(with_feet: bool = True) -> VariationModel:
    takes = [walk(rng=np.random.default_rng(seed)) for seed in range(4)]
    return learn(takes, Settings(foot_nodes=with_feet), rng=np.random.default_rng(0))


def places(clip: Clip, joint: str) -> Floats:
    return clip.positions()[:, clip.skeleton.index(joint)]


def test_nodes_are_named_after_foot_nodes() -> None:
    names = model().transition.dofs
    assert sum(name.endswith((" forward", " sideways", " height")) for name in names) == 6
    assert names[-1] == "tempo"
    assert not any(name.endswith(" height") for name in model(False).transition.dofs)


def test_feet_are_seen_from_the_root_wherever_it_is() -> None:
    """Turned and moved as a whole, a clip has the same rows and so the same feet, at their distance from the root."""
    made = model()
    feet = foot_nodes(made.material)
    rows = made.material.values[0]
    clip = made.decode(rows)
    seen = seen_from_root(feet.joints, made.material, rows)
    for e, joint in enumerate(feet.joints):
        apart = clip.positions()[:, joint] - clip.positions()[:, 0]
        ground = np.linalg.norm(apart[:, [0, 2]], axis=1)
        np.testing.assert_allclose(np.linalg.norm(seen[:, e, :2], axis=1), ground, atol=1e-9)
        np.testing.assert_allclose(seen[:, e, 2], clip.positions()[:, joint, 1], atol=1e-9)


def test_a_standing_foot_keeps_its_place_on_the_course_of_its_body() -> None:
    """With the travel added, the course of a foot lies still for as long as the foot stands in the clip."""
    made, k = model(), 0
    courses, material = made.courses, made.material
    first = len(material.names) + 1 + int(material.rates.sum())
    travel = courses.smooth[k, 0, len(material.names) + 1] * material.frame_time
    place = courses.smooth[k, :, first]
    place = place + courses.stride.forward[:, 0] * (
        courses.smooth[k, 0, len(material.names) + 1] - courses.stride.travel
    )
    steps = np.abs(np.diff(place) + travel)
    assert np.sort(steps)[: len(steps) // 4].max() < 0.25 * travel  # a quarter of the cycle at least it stands
    assert steps.max() > 1.5 * travel  # and it steps


def test_joints_follow_so_that_the_foot_comes_to_its_place() -> None:
    """Where a small change of place is asked for, the pose with the change in it has its foot there."""
    made = model()
    courses, material = made.courses, made.material
    tables, feet = foot_tables(courses, material, np.maximum(made.sizes, 1e-3)), courses.body.feet
    dofs, phase = len(material.names), 20
    pose = courses.mean[:, :dofs] + np.where(material.rates, 0.0, courses.detail.mean(axis=0))
    reached = []
    for e in range(len(feet.joints)):
        for axis in range(3):
            wanted = np.zeros(3)
            wanted[axis] = 0.003 * abs(seen_from_root(feet.joints, material, pose[phase : phase + 1])[0, e]).max()
            change = np.zeros(dofs)
            change[tables.legs[e]] = tables.follows[phase, e] @ wanted
            linear = tables.moves[phase, e] @ change[tables.moving[e]]
            both = np.stack([pose[phase], pose[phase] + change])
            moved = np.diff(seen_from_root(feet.joints, material, both)[:, e], axis=0)[0]
            turn = courses.mean[phase, heading_columns(material)[2]] * material.frame_time  # type: ignore[index]
            ground = complex(moved[0], moved[1]) * np.exp(1j * turn)
            moved[:2] = ground.real, ground.imag
            np.testing.assert_allclose(moved, linear, atol=0.02 * wanted.max())
            assert np.linalg.norm(wanted - moved) < np.linalg.norm(wanted)  # as near as the limb easily gets
            reached.append(moved[axis] / wanted[axis])
    assert np.mean(reached) > 0.6


def test_deviations_of_feet_wait_while_they_stand() -> None:
    """The phase they are read at never runs back, hardly moves while the foot stands, and covers the whole cycle."""
    held = model().tables.feet.held
    at = np.arange(len(held)) + held[:, 0]
    assert (np.diff(at) > -1e-9).all()
    assert at[0] == pytest.approx(0.0, abs=3.0)
    assert at[-1] == pytest.approx(len(held) - 1.0, abs=3.0)
    assert np.sort(np.diff(at))[: len(held) // 4].max() < 0.5


def slide(made: VariationModel, joint: str, count: int = 12) -> float:
    """Speed of a foot where it is slowest, a quarter of all frames, over variants."""
    speeds = []
    for seed in range(count):
        clip = made.sample(np.random.default_rng([7, seed]))
        steps = np.linalg.norm(np.diff(places(clip, joint), axis=0), axis=1)
        speeds.append(np.sort(steps)[: len(steps) // 4].mean())
    return float(np.mean(speeds))


def swings(made: VariationModel, count: int = 120) -> Floats:
    """How far left and right foot swing to and fro in variants, (variants, 2)."""
    found = []
    for seed in range(count):
        clip = made.sample(np.random.default_rng([8, seed]))
        forward = clip.positions()[..., 2] - clip.positions()[:, :1, 2]
        found.append([np.ptp(forward[:, clip.skeleton.index(name)]) for name in ("LeftFoot", "RightFoot")])
    return np.array(found)


def test_feet_slide_less_and_swing_together() -> None:
    assert slide(model(), "LeftFoot") < 0.9 * slide(model(False), "LeftFoot")
    assert np.corrcoef(swings(model()).T)[0, 1] > 0.5


def test_speeds_become_places_of_a_body_that_turns_steadily() -> None:
    """A body that sways while it walks straight on has a straight course."""
    made = model()
    columns = heading_columns(made.material)
    assert columns is not None
    courses = made.courses
    sideways = courses.smooth[:, :, columns[1]] * made.frame_time
    travel = abs(courses.smooth[:, 0, len(made.dofs) + 1].mean()) * made.frame_time * (courses.smooth.shape[1] - 1)
    assert np.abs(sideways).max() < 0.1 * travel
    _, away = travel_and_places(courses.smooth[..., [columns[2]]], True)
    assert np.abs(away).max() > 0.0
