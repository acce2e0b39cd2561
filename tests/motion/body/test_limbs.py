"""Limbs of any skeleton: which joints, which hinge, which reach."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.limbs import flexion, learn_limbs, limb_feet, limb_joints
from freshtake.numeric.rotations import about_axis, angle_between, to_rotvec
from tests.conftest import data_files, label
from tests.motion.puppet import SKELETON, steady, walk


def names(clip_or_skeleton: Skeleton, mapping: dict[str, list[str]] | None = None) -> list[list[str]]:
    found = limb_joints(clip_or_skeleton, mapping)
    return [[clip_or_skeleton.names[j] for j in joints] for _, joints, _ in found]


def test_puppet_has_two_legs_and_two_arms() -> None:
    assert names(SKELETON) == [
        ["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe"],
        ["RightUpLeg", "RightLeg", "RightFoot", "RightToe"],
        ["LeftArm", "LeftForeArm", "LeftHand"],
        ["RightArm", "RightForeArm", "RightHand"],
    ]


@pytest.mark.parametrize("path", data_files("walk/walk_1.bvh") + data_files("okwechime/bvh/*walk*.bvh"), ids=label)
def test_recorded_skeletons_have_four_limbs(path: Path) -> None:
    skeleton = ft.read(path).skeleton
    found = limb_joints(skeleton)
    assert [is_leg for _, _, is_leg in found] == [True, True, False, False]
    for _, joints, _ in found:
        assert len(set(joints)) == len(joints) and all(j in skeleton.chain(joints[-1]) for j in joints)


def test_acclaim_skeletons_have_limbs_with_the_files_axes_and_limits(data: Path) -> None:
    path = sorted((data / "asfamc").rglob("*.amc"))[0]
    clip = ft.read(path, fps=60)
    legs = [limb for limb in learn_limbs([clip]) if limb.is_leg]
    assert len(legs) == 2
    for leg in legs:
        limits = clip.skeleton.limits
        assert limits is not None and leg.ankle is not None and leg.base is None
        assert len(leg.ankle.reference) == 2
        ends = np.stack([leg.ankle.low[::3], leg.ankle.high[::3]], axis=1)
        np.testing.assert_allclose(np.sort(ends, axis=0), np.sort(np.array(limits[leg.end]), axis=0))
        turn = to_rotvec(clip.rotations[:, leg.middle])
        assert np.ptp(turn @ leg.hinge) > 0.2  # the knee moves about its own axis, and about no other
        assert np.abs(turn - (turn @ leg.hinge)[:, None] * leg.hinge).max() < 1e-6


def test_mapping_overrides_and_is_checked() -> None:
    mapping = {"left_leg": ["LeftUpLeg", "LeftLeg", "LeftFoot"]}
    assert names(SKELETON, mapping)[0] == mapping["left_leg"]
    assert len(names(SKELETON, mapping)) == 3  # one leg, both guessed arms
    with pytest.raises(UsageError, match="neither a leg nor an arm"):
        limb_joints(SKELETON, {"tail": ["LeftUpLeg", "LeftLeg", "LeftFoot"]})
    with pytest.raises(UsageError, match="shoulder, elbow and hand"):
        limb_joints(SKELETON, {"left_arm": ["LeftArm", "LeftHand"]})
    with pytest.raises(UsageError, match="does not hang on it"):
        limb_joints(SKELETON, {"left_leg": ["LeftLeg", "LeftUpLeg", "LeftFoot"]})
    with pytest.raises(InvalidMotion, match="no joint 'Knee'"):
        limb_joints(SKELETON, {"left_leg": ["LeftUpLeg", "Knee", "LeftFoot"]})


def test_twist_joints_bend_nowhere() -> None:
    joints = ("Hips", "UpLeg", "UpLegTwist", "Leg", "Foot", "Toe")
    offsets = np.array([[0, 0, 0], [0, 0, 0], [0, -0.2, 0], [0, -0.25, 0], [0, -0.4, 0], [0, -0.05, 0.1]])
    skeleton = Skeleton(joints, np.array([-1, 0, 1, 2, 3, 4]), offsets)
    assert names(skeleton, None)[0] == ["UpLeg", "Leg", "Foot", "Toe"]
    rotations = np.zeros((5, 6, 4))
    rotations[..., 0] = 1.0
    rotations[:, 3] = about_axis([1.0, 0, 0], np.linspace(0.2, 1.0, 5))
    limb = learn_limbs([Clip(skeleton, 1 / 60, np.zeros((5, 3)), rotations)])[0]
    np.testing.assert_allclose(limb.hinge, [1.0, 0, 0], atol=1e-9)
    assert 0.9 * 0.7 < limb.reach[0] < limb.reach[1] < 1.0


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_knee_is_a_hinge_whose_flexion_is_positive(way: float) -> None:
    rotations = walk(steady(2, 120)).rotations.copy()
    bend = angle_between(rotations[:, 2], np.array([1.0, 0, 0, 0]))
    rotations[:, 2] = about_axis([1.0, 0, 0], way * bend)
    leg = learn_limbs([walk(steady(2, 120)).changed(rotations=rotations)])[0]
    np.testing.assert_allclose(leg.hinge, [way, 0, 0], atol=1e-6)
    seen = flexion(rotations[:, 2], leg.hinge, SKELETON.offsets[leg.middle], SKELETON.offsets[leg.end])
    np.testing.assert_allclose(seen, bend, atol=1e-6)


def test_a_knee_that_mostly_stands_straight_bends_the_way_of_its_largest_bend() -> None:
    rotations = walk(steady(2, 120)).rotations.copy()
    angles = np.full(120, -0.02)
    angles[100:] = np.linspace(0.0, 1.0, 20)
    rotations[:, 2] = about_axis([1.0, 0, 0], angles)
    leg = learn_limbs([walk(steady(2, 120)).changed(rotations=rotations)])[0]
    np.testing.assert_allclose(leg.hinge, [1.0, 0, 0], atol=1e-6)


def test_an_elbow_that_hardly_moves_gets_its_hinge_from_its_bend() -> None:
    clip = walk(steady(1, 60))
    still = clip.rotations.copy()
    still[:, 12] = about_axis([1.0, 0, 0], -0.5)
    arm = learn_limbs([clip.changed(rotations=still)])[2]
    np.testing.assert_allclose(arm.hinge, [-1.0, 0, 0], atol=1e-6)
    still[:, 12] = [1.0, 0, 0, 0]
    assert not learn_limbs([clip.changed(rotations=still)])[2].hinge.any()


def test_feet_are_those_of_the_legs() -> None:
    assert [foot.name for foot in limb_feet(learn_limbs([walk(steady(1, 30))]), SKELETON)] == ["LeftFoot", "RightFoot"]
