"""Laws of retargeting: itself, there and back, other frames, other sizes; and what feet do."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.edit import scaled, with_up
from freshtake.motion.planting.contacts import RECORDED, joint_contacts
from freshtake.motion.retarget import Retargeter, Rig, make_rig
from freshtake.motion.retarget.mapping import SIDES
from freshtake.motion.retarget.rest import leg
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, angle_between, inverse, multiply, rotate, slerp
from freshtake.samples.rigs import KINDS
from tests.motion.retarget.rigs import other_frames, performer, rig_of, sample_rig, walk
from tests.motion.rigs import with_joints

BONES = (("upper_leg", "lower_leg"), ("lower_leg", "foot"), ("upper_arm", "lower_arm"), ("lower_arm", "hand"))
ENDS = ("hips", "head", *(f"{s}_{p}" for s in SIDES for p in ("shoulder", "upper_arm", "hand", "upper_leg", "foot")))


def directions(clip: Clip, rig: Rig) -> Floats:
    """(frames, bones, 3) of the long bones of arms and legs, y up."""
    places = with_up(clip, "y").positions()
    lines = [
        places[:, rig.body.one(f"{side}_{low}")] - places[:, rig.body.one(f"{side}_{high}")]
        for side in SIDES for high, low in BONES
    ]  # fmt: skip
    out = np.stack(lines, axis=1)
    return np.asarray(out / np.linalg.norm(out, axis=-1, keepdims=True))


def bone_errors(made: Clip, target: Rig) -> Floats:
    cosine = (directions(made, target) * directions(walk(), performer())).sum(axis=-1)
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


def test_a_clip_on_its_own_skeleton_is_the_clip() -> None:
    made = Retargeter(performer(), performer()).retarget(walk())
    np.testing.assert_allclose(made.positions(), walk().positions(), atol=1e-9)
    assert angle_between(made.rotations, walk().rotations).max() < 1e-7


@pytest.mark.parametrize("name", KINDS)
def test_bones_point_as_they_did(name: str) -> None:
    way = Retargeter(performer(), sample_rig(name))
    assert bone_errors(way.retarget(walk(), plant=False), way.target).max() < 1e-4
    assert bone_errors(way.retarget(walk()), way.target).max() < 3.0


@pytest.mark.parametrize("name", KINDS)
def test_there_and_back_is_where_it_began(name: str) -> None:
    rig = sample_rig(name)
    there = Retargeter(performer(), rig).retarget(walk(), plant=False)
    back = Retargeter(rig, performer()).retarget(there, plant=False)
    joints = [performer().body.one(role) for role in ENDS]
    first, last = walk().world(), back.world()
    assert np.degrees(angle_between(first.rotations[:, joints], last.rotations[:, joints]).max()) < 1e-4
    ground = [0, 2]
    np.testing.assert_allclose(last.positions[..., ground], first.positions[..., ground], atol=5.0)


def test_there_and_back_with_planted_feet_stays_within_two_degrees() -> None:
    rig = sample_rig("mixamo")
    back = Retargeter(rig, performer()).retarget(Retargeter(performer(), rig).retarget(walk()))
    joints = [joint for own in performer().body.joints.values() for joint in own]
    assert np.degrees(angle_between(back.rotations[:, joints], walk().rotations[:, joints])).mean() < 0.2
    assert bone_errors(back, performer()).max() < 2.0


@pytest.mark.parametrize("name", ["mixamo", "unreal", "biped"])
def test_other_frames_with_the_same_bones_give_the_same_places(name: str) -> None:
    plain = sample_rig(name)
    turned = rig_of(other_frames(plain.clip, np.random.default_rng(5))[0])
    one, other = (Retargeter(performer(), rig).retarget(walk()).positions() for rig in (plain, turned))
    np.testing.assert_allclose(other, one, atol=1e-6 * leg(plain.rest, plain.body))


def test_other_frames_of_the_source_give_the_same_motion() -> None:
    turned, turns = other_frames(walk(), np.random.default_rng(6))
    rest = performer().clip.skeleton
    zero = np.tile([1.0, 0.0, 0.0, 0.0], (1, len(rest), 1))
    still = Clip(rest, 1.0, np.zeros((1, 3)), zero)
    known = rig_of(other_frames(still, np.random.default_rng(6))[0])
    one = Retargeter(performer(), sample_rig("unreal")).retarget(walk())
    other = Retargeter(known, sample_rig("unreal")).retarget(turned)
    assert len(turns) == len(rest)
    assert angle_between(one.rotations, other.rotations).max() < 1e-6


def test_a_larger_target_moves_in_proportion() -> None:
    rig = sample_rig("mixamo")
    larger = rig_of(scaled(rig.clip, 2.5))
    one, other = (Retargeter(performer(), body).retarget(walk()).positions() for body in (rig, larger))
    np.testing.assert_allclose(other, 2.5 * one, atol=1e-6)


@pytest.mark.parametrize("name", ["cmu_asf", "mixamo", "unreal", "vrm"])
def test_standing_feet_move_no_faster_than_those_of_the_source(name: str) -> None:
    target, source = sample_rig(name), performer()
    made = Retargeter(source, target).retarget(walk())
    standing = joint_contacts(walk(), settings=RECORDED, standing=source.feet)
    speeds = []
    for clip, rig in ((walk(), source), (made, target)):
        places = with_up(clip, "y").positions()[:, [joint for foot in rig.feet for joint in foot.joints]]
        steps = np.linalg.norm(np.diff(places, axis=0), axis=-1) / leg(rig.rest, rig.body)
        speeds.append(steps[standing[1:] & standing[:-1]].mean())
    assert speeds[1] <= 1.2 * speeds[0]


def test_feet_are_on_the_floor() -> None:
    rig = sample_rig("mixamo")
    made = Retargeter(performer(), rig).retarget(walk())
    ankles = [foot.ankle for foot in rig.feet]
    stands = np.percentile(made.positions()[:, ankles, 1], 5, axis=0)
    rest = rig.rest.places[ankles, 1]
    np.testing.assert_allclose(stands, rest, atol=0.01 * leg(rig.rest, rig.body))


def test_what_is_above_the_hips_stands_still_in_the_file() -> None:
    rig = sample_rig("unreal")
    made = as_filed(Retargeter(performer(), rig).retarget(walk()))
    assert made.up == "z" and made.skeleton.names[0] == "root"
    np.testing.assert_allclose(made.root, np.broadcast_to(rig.clip.root[0], made.root.shape), atol=1e-9)
    assert angle_between(made.rotations[:, 0], rig.clip.rotations[0, 0]).max() < 1e-9
    assert np.ptp(made.positions()[:, 1], axis=0).max() > 100.0  # the pelvis travels


def test_what_nothing_drives_stays_at_rest() -> None:
    rig = sample_rig("unreal")
    made = as_filed(Retargeter(performer(), rig).retarget(walk()))
    still = [j for j, name in enumerate(made.skeleton.names) if "upperarm_twist" in name or "thumb_02" in name]
    assert len(still) == 4
    assert angle_between(made.rotations[:, still], rig.clip.rotations[0, still]).max() < 1e-9


@pytest.mark.parametrize("name", ["unreal", "xsens", "biped"])
def test_a_spine_of_another_length_is_bent_in_proportion(name: str) -> None:
    """A slow twin: every joint of the target's spine, frame by frame, at its share between hips and chest."""
    source, target = performer(), sample_rig(name)
    made = with_up(Retargeter(source, target).retarget(walk(), plant=False), "y").world().rotations
    given = walk().world().rotations
    knots = [source.body.one("hips"), *source.body.joints["spine"]]
    spine = target.body.joints["spine"]
    for k, joint in enumerate(spine):
        at = (k + 1) / len(spine) * (len(knots) - 1)
        low = min(int(at + 1e-9), len(knots) - 2)
        for frame in (0, 20, 50):
            bent = slerp(given[frame, knots[low]], given[frame, knots[low + 1]], at - low)
            wanted = multiply(bent, target.rest.turns[joint])
            assert angle_between(made[frame, joint], wanted) < 1e-6


def test_limbs_do_not_flip() -> None:
    made = Retargeter(performer(), sample_rig("unreal")).retarget(walk())
    fastest = [np.degrees(angle_between(clip.rotations[1:], clip.rotations[:-1])).max() for clip in (walk(), made)]
    assert fastest[1] <= fastest[0] + 5.0


def test_hands_come_to_the_heights_of_the_source_where_asked_for() -> None:
    """Arms longer by a third: without it hands hang lower, with it they are as high between hips and shoulders."""
    longer = sample_rig("cmu_bvh").clip
    offsets = longer.skeleton.offsets.copy()
    for side in ("Left", "Right"):
        for part in ("ForeArm", "Hand"):
            offsets[longer.skeleton.index(f"{side}{part}")] *= 1.3
    rig = rig_of(longer.changed(skeleton=replace(longer.skeleton, offsets=offsets)))
    way = Retargeter(performer(), rig)
    shares = []
    for clip, body in ((walk(), performer()), (way.retarget(walk()), rig), (way.retarget(walk(), hands=True), rig)):
        hip, shoulder, hand = (
            clip.positions()[:, body.body.one(f"left_{p}"), 1] for p in ("upper_leg", "upper_arm", "hand")
        )
        shares.append((hand - hip) / (shoulder - hip))
    inside = shares[0] > 0
    assert np.abs(shares[2] - shares[0])[inside].max() < 0.02
    assert np.abs(shares[1] - shares[0])[inside].mean() > 0.1


def test_hands_of_the_same_body_stay_where_they_are() -> None:
    made = Retargeter(performer(), performer()).retarget(walk(), hands=True)
    assert angle_between(made.rotations, walk().rotations).max() < 1e-6


def test_twist_joints_of_forearms_take_their_share_of_the_hands_turn() -> None:
    """Hands rotated about their forearms by a known angle: half of it is at the joint halfway."""
    rig = sample_rig("unreal")
    forearm, hand, twist = (rig.clip.skeleton.index(f"{name}_l") for name in ("lowerarm", "hand", "lowerarm_twist_01"))
    source = performer().body.one("left_hand")
    rotations = walk().rotations.copy()
    angles = np.linspace(-1.5, 1.5, len(walk()))
    rotations[:, source] = about_axis(np.array([0.0, -1.0, 0.0]), angles)  # arms hang down at rest
    made = as_filed(Retargeter(performer(), rig).retarget(walk().changed(rotations=rotations), plant=False))
    turned = angle_between(made.rotations[:, twist], rig.clip.rotations[0, twist])
    np.testing.assert_allclose(turned, np.abs(angles) / 2.0, atol=1e-6)
    assert made.skeleton.parents[hand] == forearm


def test_legs_without_length_are_refused() -> None:
    clip = sample_rig("cmu_bvh").clip
    offsets = clip.skeleton.offsets.copy()
    for joint, name in enumerate(clip.skeleton.names):
        if name.endswith(("Leg", "Foot")) and "Up" not in name:
            offsets[joint] = 0.0
    with pytest.raises(UsageError, match="its legs have no length"):
        make_rig(clip.changed(skeleton=replace(clip.skeleton, offsets=offsets)), body=sample_rig("cmu_bvh").body)


def with_free_feet(clip: Clip) -> Clip:
    """The same rig with its feet on its first joint instead of on its shanks, as animators' controls are."""
    skeleton, world = clip.skeleton, clip.world()
    parents, offsets, rotations = skeleton.parents.copy(), skeleton.offsets.copy(), clip.rotations.copy()
    back = inverse(world.rotations[0, 0])
    for foot in [joint for joint, name in enumerate(skeleton.names) if re.search("foot", name, re.I)]:
        parents[foot] = 0
        offsets[foot] = rotate(back, world.positions[0, foot] - world.positions[0, 0])
        rotations[:, foot] = multiply(back, world.rotations[0, foot])
    return replace(clip, skeleton=replace(skeleton, parents=parents, offsets=offsets), rotations=rotations)


@pytest.mark.parametrize("plant", [True, False])
@pytest.mark.parametrize("name", ["unreal", "mixamo", "unity", "bandai"])
def test_feet_that_do_not_hang_on_shanks_go_where_legs_end(name: str, plant: bool) -> None:
    """One body with feet attached in two ways: all joints are at the same positions."""
    plain = sample_rig(name)
    free = rig_of(with_free_feet(plain.clip))
    one, other = (Retargeter(performer(), rig).retarget(walk(), plant=plant) for rig in (plain, free))
    np.testing.assert_allclose(other.positions(), one.positions(), rtol=0, atol=1e-6 * leg(plain.rest, plain.body))
    lengths = np.linalg.norm(as_filed(other).local_translations(), axis=-1)
    feet = {foot.ankle for foot in free.feet}
    moving = {int(joint) for joint in np.flatnonzero(np.ptp(lengths, axis=0) > 1e-6 * lengths.max())}
    assert moving <= feet | {0, Retargeter(performer(), free).transfer.mover}
    back = Retargeter(free, performer()).retarget(other, plant=False)
    assert np.isfinite(back.positions()).all() and bone_errors(back, performer()).max() < (3.0 if plant else 1e-3)


def test_targets_follow_their_joints() -> None:
    """Unreal's ik_ bones rest at the origin; retargeted clips have them at feet and hands."""
    plain = sample_rig("unreal").clip
    added = [("ik_foot_root", "root"), ("ik_foot_l", "ik_foot_root"), ("ik_foot_r", "ik_foot_root"),
             ("ik_hand_root", "root"), ("ik_hand_gun", "ik_hand_root"), ("ik_hand_l", "ik_hand_gun"),
             ("ik_hand_r", "ik_hand_gun")]  # fmt: skip
    clip = with_joints(plain, [(name, parent, (0.0, 0.0, 0.0)) for name, parent in added])
    made = Retargeter(performer(), rig_of(clip)).retarget(walk())
    before = Retargeter(performer(), rig_of(plain)).retarget(walk())
    count = len(plain.skeleton)
    np.testing.assert_allclose(made.positions()[:, :count], before.positions(), rtol=0, atol=1e-6)
    place = dict(zip(clip.skeleton.names, np.moveaxis(as_filed(made).positions(), 1, 0), strict=True))
    for name in ("foot_l", "foot_r", "hand_l", "hand_r"):
        np.testing.assert_allclose(place[f"ik_{name}"], place[name], rtol=0, atol=1e-6)
    np.testing.assert_allclose(place["ik_hand_gun"], place["hand_r"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(place["ik_foot_root"], place["root"], rtol=0, atol=1e-6)
