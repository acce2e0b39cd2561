"""Limbs of any skeleton: which joints, which hinge, which ranges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion import Clip, Skeleton
from freshtake.motion.hinges import straight_angle
from freshtake.motion.limb_chain import coordinates, turns
from freshtake.motion.limbs import learn_limbs, limb_feet, limb_joints
from freshtake.numeric.rotations import about_axis, angle_between
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


def test_acclaim_skeletons_have_limbs_with_the_files_limits(data: Path) -> None:
    path = sorted((data / "asfamc").rglob("*.amc"))[0]
    clip = ft.read(path, fps=60)
    legs = [limb for limb in learn_limbs([clip]) if limb.is_leg]
    assert len(legs) == 2
    for leg in legs:
        limits = clip.skeleton.limits
        assert limits is not None
        at = 3 * leg.turning.index(leg.middle)
        assert limits[leg.middle][0] == pytest.approx((leg.chain.low[at], leg.chain.high[at]))
        y = coordinates(leg.links, clip.rotations[:, list(leg.turning)])
        assert np.ptp(y[:, at]) > 0.2  # the knee moves about its own axis, and about no other
        assert np.abs(y[:, at + 1 : at + 3]).max() < 1e-6


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
    assert [skeleton.names[j] for j in limb.turning] == ["UpLeg", "UpLegTwist", "Leg", "Foot"]
    assert (limb.chain.low[3:6] > limb.chain.high[3:6]).all()  # no range but the sample's own


def test_knee_is_a_hinge_that_bends_one_way() -> None:
    for left in (True, False):
        clip = walk(steady(2, 120))
        leg = learn_limbs([clip])[0 if left else 1]
        at = 3 * leg.turning.index(leg.middle)
        axis = leg.chain.basis[leg.turning.index(leg.middle)][:, 0]
        assert abs(axis @ np.array([1.0, 0, 0])) > 0.999
        y = coordinates(leg.links, clip.rotations[:, list(leg.turning)])[:, at]
        bend = angle_between(clip.rotations[:, leg.middle], np.array([1.0, 0, 0, 0]))
        np.testing.assert_allclose(np.diff(y), np.diff(bend), atol=1e-9)  # flexion is positive
        straight = straight_angle(
            clip.skeleton, leg.chain.reference[leg.turning.index(leg.middle)], axis, leg.middle, leg.end
        )
        assert straight == pytest.approx(y[0] - bend[0], abs=1e-6)
        assert 0.0 < leg.chain.low[at] - straight < np.radians(2.0)


def test_an_elbow_that_hardly_moves_gets_its_hinge_from_its_bend() -> None:
    clip = walk(steady(1, 60))
    still = clip.rotations.copy()
    still[:, 12] = about_axis([1.0, 0, 0], -0.5)
    arm = learn_limbs([clip.changed(rotations=still)])[2]
    assert abs(arm.chain.basis[1][:, 0] @ np.array([1.0, 0, 0])) > 0.999


def test_coordinates_are_inverted_by_turns() -> None:
    clip = walk(steady(1, 40))
    for limb in learn_limbs([clip]):
        rotations = clip.rotations[:, list(limb.turning)]
        back = turns(limb.links, coordinates(limb.links, rotations))
        assert angle_between(back, rotations).max() < 1e-9


def test_feet_are_those_of_the_legs() -> None:
    assert [foot.name for foot in limb_feet(learn_limbs([walk(steady(1, 30))]), SKELETON)] == ["LeftFoot", "RightFoot"]
