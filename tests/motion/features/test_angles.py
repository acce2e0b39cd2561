"""What the DOFs mean: continuous angles on one branch, heading and travel, names."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshtake.motion import Clip, EndSite, Skeleton, features
from freshtake.motion.edit import moved, turned, with_up
from freshtake.numeric.rotations import about_axis, angle_between, from_euler, multiply
from tests.motion.features.features_help import ANGLES, again, apart, clip_from
from tests.motion.random_motion import clip_groups, humanoid, random_clip


def test_names_are_those_people_use() -> None:
    clip = random_clip(np.random.default_rng(2), humanoid(), 9)
    heading = features.recipe([clip]).names
    assert heading[:6] == (
        "Hips.forward", "Hips.sideways", "Hips.turn", "Hips.height", "Hips.swing_x", "Hips.swing_z",
    )  # fmt: skip
    assert heading[6:9] == ("Spine.z", "Spine.y", "Spine.x")
    absolute = features.recipe([clip], angles="expmap", root="absolute").names
    assert absolute[:9] == (
        "Hips.tx", "Hips.ty", "Hips.tz", "Hips.x", "Hips.y", "Hips.z", "Spine.x", "Spine.y", "Spine.z",
    )  # fmt: skip
    positions = features.recipe([clip], angles="positions").names
    assert "LeftHand.x" in positions
    assert "LeftHand.tip_x" in positions
    assert "LeftHand.side_x" in positions


def test_orders_that_repeat_an_axis_have_distinct_names() -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.eye(2, 3), channels=(("tx", "rz", "rx", "rz"), ()))
    clip = random_clip(np.random.default_rng(3), skeleton, 5)
    names = features.recipe([clip], root="absolute").names
    assert names == ("a.tx", "a.ty", "a.tz", "a.z", "a.x", "a.z2", "b.x", "b.y", "b.z")


@given(clip_groups(), st.sampled_from(ANGLES), st.floats(-7, 7), st.floats(-9, 9), st.floats(-9, 9))
def test_turning_and_moving_on_the_ground_changes_only_the_start(
    clips: list[Clip], angles: str, angle: float, x: float, z: float
) -> None:
    recipe = features.recipe(clips, angles=angles, scale="none", drop_constant=False)
    clip = clips[0]
    ground = np.array([x, 0.0, z] if clip.up == "y" else [x, z, 0.0])
    before = features.encode(recipe, clip)
    swing = [k for k, name in enumerate(recipe.names) if ".swing" in name]
    if np.linalg.norm(before.values[:, swing], axis=1).max(initial=0.0) > 3.1:
        return  # a swing by half a turn has no heading
    after = features.encode(recipe, moved(turned(clip, angle), ground))
    np.testing.assert_allclose(after.values, before.values, atol=1e-6)
    assert abs(after.start.heading) <= np.pi
    gained = after.start.heading - before.start.heading - angle
    assert abs(gained - 2 * np.pi * round(gained / (2 * np.pi))) < 1e-6


def test_the_same_body_with_z_up_has_the_same_features() -> None:
    clip = random_clip(np.random.default_rng(4), humanoid(), 12)
    tall = with_up(clip, "z")
    for angles in ("euler", "expmap"):
        rows = features.encode(features.recipe([clip], angles=angles), clip).values
        upright = features.encode(features.recipe([tall], angles=angles), tall).values
        rate = [0, 1, 2, 3]
        np.testing.assert_allclose(upright[:, rate], rows[:, rate], atol=1e-9)
        np.testing.assert_allclose(upright[:, 6:], rows[:, 6:], atol=1e-9)


def test_forward_and_turn_are_what_they_say() -> None:
    skeleton, frames, dt = humanoid(), 50, 1 / 60
    heading = np.linspace(0.3, 1.7, frames)
    still = np.zeros((frames, len(skeleton), 4))
    still[..., 0] = 1.0
    still[:, 0] = about_axis([0.0, 1.0, 0.0], heading)
    speed = np.stack([np.sin(heading), np.zeros(frames), np.cos(heading)], axis=1) * 2.0 * dt
    root = np.cumsum(speed, axis=0) + np.array([5.0, 4.0, 3.0])
    recipe = features.recipe([Clip(skeleton, dt, root, still)], drop_constant=False)
    rows = features.encode(recipe, Clip(skeleton, dt, root, still))
    column = {name: rows.values[:, k] for k, name in enumerate(rows.names)}
    rate = (1.7 - 0.3) / (frames - 1) / dt
    np.testing.assert_allclose(column["Hips.turn"], rate)
    np.testing.assert_allclose(column["Hips.forward"], 2.0, rtol=1e-3)
    np.testing.assert_allclose(column["Hips.sideways"], 2.0 * rate * dt, rtol=1e-2)
    np.testing.assert_allclose(column["Hips.height"], 4.0)
    assert rows.start.ground == pytest.approx((root[0, 0], root[0, 2]))
    assert rows.start.heading == pytest.approx(0.3)


def test_a_lying_body_has_a_heading() -> None:
    """A swimmer turned by 100 degrees about the vertical while pitched by 80: the turn is heading, nothing else."""
    skeleton = humanoid()
    spin = np.linspace(0.0, np.radians(100), 30)
    rotations = np.zeros((30, len(skeleton), 4))
    rotations[..., 0] = 1.0
    pitch = about_axis([1.0, 0.0, 0.0], np.radians(80))
    rotations[:, 0] = multiply(about_axis([0.0, 1.0, 0.0], spin), pitch)
    clip = Clip(skeleton, 1 / 30, np.zeros((30, 3)), rotations)
    recipe = features.recipe([clip], drop_constant=False)
    rows = features.encode(recipe, clip)
    swing = [k for k, name in enumerate(rows.names) if "swing" in name]
    np.testing.assert_allclose(rows.values[:, swing], 0.0, atol=1e-12)
    np.testing.assert_allclose(rows.values[:, rows.names.index("Hips.turn")], np.radians(100) / 29 * 30)


def test_angles_without_a_channel_are_dofs_only_where_they_are_used() -> None:
    skeleton = Skeleton(
        ("a", "b", "c"), np.array([-1, 0, 1]), np.eye(3), channels=(("tx", "ty", "tz", "rz", "ry", "rx"), ("rx",), ())
    )
    rng = np.random.default_rng(8)
    rotations = random_clip(rng, skeleton, 6).rotations.copy()
    rotations[:, 1] = about_axis([1.0, 0.0, 0.0], np.linspace(1.0, 3.0, 6))
    rotations[:, 2] = [1.0, 0.0, 0.0, 0.0]
    hinge = Clip(skeleton, 0.1, np.zeros((6, 3)), rotations)
    for drop in (True, False):
        assert features.recipe([hinge], drop_constant=drop).names[-1] == "b.x"
    rotations[:, 2] = about_axis([0.0, 1.0, 0.0], np.linspace(0.1, 0.5, 6))
    odd = Clip(skeleton, 0.1, np.zeros((6, 3)), rotations)
    assert features.recipe([odd]).names[-2:] == ("b.x", "c.y")


def test_a_two_axis_joint_keeps_its_own_angles_beyond_a_right_angle() -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.eye(2, 3), channels=(("tx", "ty", "tz"), ("rz", "rx")))
    angles = np.stack([np.linspace(0.2, 0.6, 20), np.linspace(1.7, 2.4, 20)], axis=1)
    rotations = np.zeros((20, 2, 4))
    rotations[:, 0, 0] = 1.0
    rotations[:, 1] = from_euler(angles, "ZX")
    recipe = features.recipe([Clip(skeleton, 0.1, np.zeros((20, 3)), rotations)])
    assert recipe.names == ("b.z", "b.x")
    rows = features.encode(recipe, Clip(skeleton, 0.1, np.zeros((20, 3)), rotations))
    np.testing.assert_allclose(rows.values, angles, atol=1e-12)


def test_clips_that_wind_round_lie_on_one_branch() -> None:
    """The same motion, unchanged and after many full turns of every joint's first angle, has the same angles."""
    skeleton = humanoid()
    t = np.linspace(0, 1, 40)[:, None]
    slow = 2.9 + 0.4 * np.sin(6 * t + np.arange(11))  # near pi, where plain angles wrap
    angles = np.stack([slow, 0.3 * slow, -0.2 * slow], axis=-1)
    flipped = np.stack([slow + np.pi, np.pi - 0.3 * slow, -0.2 * slow + np.pi], axis=-1)
    clips = []
    for used in (angles, flipped[::-1], angles[10:20] - 2 * np.pi):
        rotations = from_euler(used, "ZYX")
        clips.append(Clip(skeleton, 0.1, np.zeros((len(used), 3)), rotations))
    recipe = features.recipe(clips)
    first, second, third = (features.encode(recipe, clip).values[:, 6:] for clip in clips)
    np.testing.assert_allclose(second, first[::-1], atol=1e-9)
    np.testing.assert_allclose(third, first[10:20], atol=1e-9)


def test_rotation_vectors_go_on_beyond_half_a_turn() -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.eye(2, 3))
    angle = np.linspace(-4.5, 4.5, 60)
    rotations = np.zeros((60, 2, 4))
    rotations[:, 0, 0] = 1.0
    rotations[:, 1] = about_axis([0.6, 0.0, 0.8], angle)
    near = Clip(skeleton, 0.1, np.zeros((20, 3)), rotations[20:40])
    whole = Clip(skeleton, 0.1, np.zeros((60, 3)), rotations)
    recipe = features.recipe([near], angles="expmap", drop_constant=False)
    rows = features.encode(recipe, whole)
    column = [rows.names.index("b.x"), rows.names.index("b.z")]
    np.testing.assert_allclose(rows.values[:, column], angle[:, None] * [0.6, 0.8], atol=1e-9)
    assert apart(again(recipe, whole), whole) < 1e-12


def test_a_somersault_is_continuous_beyond_half_a_turn() -> None:
    skeleton = humanoid()
    rotations = np.zeros((80, len(skeleton), 4))
    rotations[..., 0] = 1.0
    rotations[:, 0] = about_axis([1.0, 0.0, 0.0], np.concatenate([np.zeros(40), np.linspace(0, 4.5, 40)]))
    clip = Clip(skeleton, 1 / 60, np.zeros((80, 3)), rotations)
    standing = features.recipe([clip.changed(root=clip.root[:40], rotations=rotations[:40])], drop_constant=False)
    rows = features.encode(standing, clip)
    np.testing.assert_allclose(
        np.diff(rows.values[41:], axis=0), np.diff(rows.values[41:43], axis=0)[[0] * 38], atol=1e-9
    )


def test_degenerate_positions_still_give_a_pose() -> None:
    clip = random_clip(np.random.default_rng(9), humanoid(), 5)
    recipe = features.recipe([clip], angles="positions")
    assert np.isfinite(clip_from(np.zeros((3, len(recipe.names))), recipe).positions()).all()


def test_end_sites_alone_fix_the_twist_of_a_leaf() -> None:
    """Two tips that span a plane need no helper point."""
    sites = (EndSite(0, (1.0, 0.0, 0.0)), EndSite(0, (0.0, 1.0, 0.0)))
    skeleton = Skeleton(("only",), np.array([-1]), np.zeros((1, 3)), sites)
    clip = random_clip(np.random.default_rng(21), skeleton, 6)
    recipe = features.recipe([clip], angles="positions", root="absolute")
    assert not any("side" in name for name in recipe.names)
    assert angle_between(again(recipe, clip).rotations, clip.rotations).max() < 1e-12
