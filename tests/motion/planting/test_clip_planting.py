"""Planted clips: feet that stand still on the floor, the rest of the motion kept, pins met."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import InvalidMotion, SkeletonMismatch, UsageError
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.limbs import flexion, learn_limbs
from freshtake.motion.pins import Pin
from freshtake.motion.planting import PlantSettings, learn_planting, plant
from freshtake.motion.planting.contacts import smooth_speed
from freshtake.motion.planting.planting_model import named_labels
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.rotations import angle_between, from_rotvec, multiply
from tests.motion.puppet import SKELETON, standing, steady, walk

PHASE = steady(3, 180)
LEFT, RIGHT = (3, 4), (7, 8)  # ankle and toe
LEG = 0.9


def good() -> Clip:
    """A walk of short steps, which legs reach with bent knees."""
    return walk(PHASE, stride=0.5)


def sliding(amount: float = 1.0, seed: int = 0) -> Clip:
    """The puppet's walk with smooth noise on the root and all joints, so its feet slide."""
    clip = good()
    rng = np.random.default_rng(seed)
    t = np.arange(len(clip)) / 60
    noise = [np.sin(2 * np.pi * f * t + p) for f, p in zip((0.4, 0.9, 1.7), rng.uniform(0, 6, 3), strict=True)]
    turn = np.einsum("kf,kjc->fjc", np.array(noise), 0.02 * amount * rng.normal(size=(3, len(SKELETON), 3)))
    push = np.einsum("kf,kc->fc", np.array(noise), 0.012 * amount * rng.normal(size=(3, 3)))
    return clip.changed(root=clip.root + push, rotations=multiply(clip.rotations, from_rotvec(turn)))


def firm() -> Bools:
    """Frames well inside the puppet's contacts, for (left, right)."""
    labels = standing(PHASE)
    for _ in range(4):
        inner = labels.copy()
        inner[1:] &= labels[:-1]
        inner[:-1] &= labels[1:]
        labels = inner
    return labels


def ground_speed(clip: Clip, joint: int) -> Floats:
    return smooth_speed(clip.positions()[:, joint][:, [0, 2]], clip.frame_time, 1 / 60)


HARD = PlantSettings(lock="hard")


def test_planted_feet_stand_still() -> None:
    clip = sliding(0.4)
    hard = plant(clip, standing(PHASE), examples=[good()], settings=HARD).clip
    soft = plant(clip, standing(PHASE), examples=[good()]).clip
    for side, joints in enumerate((LEFT, RIGHT)):
        inside = firm()[:, side]
        for axis in (0, 2):
            before, after, still = (
                np.abs(np.diff(c.positions()[:, joints[1], axis]))[inside[1:]].mean() for c in (clip, soft, hard)
            )
            assert after < 0.4 * before
            assert still < 0.1 * before


def test_soft_flags_and_flags_per_joint_are_accepted() -> None:
    clip, labels = sliding(), standing(PHASE).astype(float)
    base = learn_planting([good()])
    by_foot = plant(clip, 0.05 + 0.9 * labels, examples=base).clip
    np.testing.assert_array_equal(by_foot.rotations, plant(clip, labels, examples=base).clip.rotations)
    by_joint = plant(clip, np.repeat(labels, 2, axis=1), examples=base).clip
    np.testing.assert_array_equal(by_foot.rotations, by_joint.rotations)


def test_contacts_are_found_in_the_clip_and_by_examples() -> None:
    clip = sliding(0.4)
    likely = learn_planting([good()]).contacts(clip)
    both = firm()
    assert likely[both[:, 0]][:, :2].mean() > 0.95 and likely[both[:, 1]][:, 2:].mean() > 0.95
    for made in (plant(clip), plant(clip, examples=[good()])):
        for side, joint in ((0, 4), (1, 8)):
            before, after = (ground_speed(c, joint)[both[:, side]].mean() for c in (clip, made.clip))
            assert after < 0.45 * before


def test_feet_do_not_sink_into_the_floor() -> None:
    clip = sliding(2.0)
    joints = [*LEFT, *RIGHT]
    floor = np.percentile(good().positions()[:, joints, 1], 2, axis=0)
    made = plant(clip, standing(PHASE), examples=[good()]).clip
    assert (clip.positions()[:, joints, 1] - floor).min() < -0.01
    assert (made.positions()[:, joints, 1] - floor).min() > -0.005 * LEG


def test_without_contacts_nothing_changes() -> None:
    clip = good()
    made = plant(clip, np.zeros((len(clip), 2)), floor=-10.0).clip
    np.testing.assert_array_equal(made.rotations, clip.changed(rotations=clip.rotations).rotations)
    np.testing.assert_array_equal(made.root, clip.root)


def test_a_walk_that_stands_already_is_hardly_touched() -> None:
    report = plant(good(), standing(PHASE)).report
    assert report.change < 0.5 and report.residual < 0.01 * LEG


def test_only_legs_are_turned() -> None:
    clip = sliding()
    made = plant(clip, standing(PHASE)).clip
    others = [j for j in range(len(SKELETON)) if not 1 <= j <= 8]
    np.testing.assert_allclose(made.rotations[:, others], clip.rotations[:, others], atol=1e-15)


def test_nothing_pops() -> None:
    """Accelerations of all joints stay the same, except those of standing feet."""
    clip = sliding(0.4)
    made = plant(clip, standing(PHASE), examples=[good()]).clip
    before, after = (np.linalg.norm(np.diff(c.positions(), 2, axis=0), axis=-1) for c in (clip, made))
    assert after.mean() < before.mean()
    assert np.percentile(after, 99) < 1.1 * np.percentile(before, 99)
    assert after.max() < 1.1 * before.max()


def test_corrections_are_smooth() -> None:
    """Offsets of the feet have no jump in position, speed or acceleration."""
    clip = sliding(0.7)
    made = plant(clip, standing(PHASE), examples=[good()]).clip
    for joint in (*LEFT, *RIGHT):
        offset = made.positions()[:, joint] - clip.positions()[:, joint]
        assert np.abs(offset).max() > 0.01
        for order, most in ((1, 0.015), (2, 0.004), (3, 0.0015)):
            assert np.abs(np.diff(offset, order, axis=0)).max() < most


def test_the_hips_keep_their_path() -> None:
    clip = sliding()
    made = plant(clip, standing(PHASE), examples=[good()]).clip
    np.testing.assert_array_equal(made.root[:, [0, 2]], clip.root[:, [0, 2]])
    assert np.abs(made.root - clip.root).max() <= 0.02 * LEG + 1e-9


def test_a_foot_that_steps_is_never_glued() -> None:
    """Contacts say that the left foot always stands; its steps are left alone."""
    clip = good()
    labels = standing(PHASE).astype(float)
    labels[:, 0] = 1.0
    careful = plant(clip, labels, examples=[clip], careful=True).clip
    obeyed = plant(clip, labels, examples=[clip]).clip
    path, kept, held = (c.positions()[:, 3] for c in (clip, careful, obeyed))
    assert np.abs(kept - path).max() < 0.02
    assert np.abs(held - path).max() > 0.1


@pytest.mark.parametrize("posture", ["upright", "lying"])
def test_only_bodies_that_stand_are_planted(posture: str) -> None:
    """A person whose feet drift slowly at the floor: upright they are planted, lying every number stays."""
    clip = walk(steady(0.001, 180))
    rotations = clip.rotations.copy()
    if posture == "lying":
        rotations[:, 0] = multiply(np.array([np.cos(np.pi / 4), -np.sin(np.pi / 4), 0, 0]), rotations[:, 0])
    laid = clip.changed(rotations=rotations)
    toes = laid.positions()[:, [LEFT[1], RIGHT[1]], 1].mean()
    drift = np.sin(np.linspace(0, 9, 180))[:, None] * np.array([0.03, 0.0, 0.0])
    laid = laid.changed(root=laid.root + drift + np.array([0.0, 0.021 - toes, 0.0]))
    made = plant(laid, np.ones((180, 2)), examples=[good()], careful=True)
    assert bool(made.report.contacts) == (posture == "upright")
    assert (made.clip.rotations == laid.rotations).all() == (posture == "lying")
    assert (made.clip.root == laid.root).all() or posture == "upright"


def test_knees_bend_forward_even_where_goals_are_out_of_reach() -> None:
    clip = sliding()
    raised = clip.changed(root=clip.root + np.array([0.0, 0.06, 0.0]))
    made = plant(raised, standing(PHASE), examples=[good()])
    for limb in learn_limbs([good()])[:2]:
        segments = SKELETON.offsets[limb.middle], SKELETON.offsets[limb.end]
        bend = [flexion(c.rotations[:, limb.middle], limb.hinge, *segments) for c in (made.clip, raised)]
        assert (bend[0] >= np.minimum(0.0, bend[1]) - 1e-9).all()
    assert made.report.root_shift > 0.005
    assert np.isfinite(made.clip.rotations).all()


@pytest.mark.parametrize("joint", ["LeftHand", "RightFoot", "LeftToe"])
def test_hard_pins_are_met(joint: str) -> None:
    clip = sliding()
    number = SKELETON.index(joint)
    where = clip.positions()[60, number] + np.array([0.03, 0.04, 0.02])
    for frames in (60, range(55, 66)):
        made = plant(clip, standing(PHASE), pins=[Pin(joint, frames, where)])
        run = made.report.pins[0].pin.run
        missed = np.linalg.norm(made.clip.positions()[run.start : run.stop, number] - where, axis=1).max()
        assert missed < 1e-3
        assert made.report.pins[0].residual == pytest.approx(missed, abs=1e-12)


def test_the_motion_far_from_a_pin_stays() -> None:
    clip, labels = sliding(), standing(PHASE)
    free = plant(clip, labels).clip
    pinned = plant(clip, labels, pins=[Pin("LeftHand", 90, clip.positions()[90, 13] + 0.05, blend=0.2)]).clip
    away = np.abs(np.arange(len(clip)) - 90) > 40
    assert angle_between(free.rotations[away], pinned.rotations[away]).max() < np.radians(0.05)


def test_a_hand_out_of_reach_takes_the_root_along_unless_the_pin_is_soft() -> None:
    clip = good()
    where = clip.positions()[90, 13] + np.array([0.0, 0.0, 0.5])
    hard, soft = (plant(clip, standing(PHASE), pins=[Pin("LeftHand", 90, where, hard=h)]).report for h in (True, False))
    assert hard.root_shift > 0.05 > soft.root_shift
    assert hard.pins[0].residual < soft.pins[0].residual


def test_the_root_can_be_pinned_and_feet_stay() -> None:
    clip = good()
    where = clip.root[90] + np.array([0.03, 0.0, 0.0])
    made = plant(clip, standing(PHASE), pins=[Pin("Hips", 90, where)], examples=[clip])
    assert made.report.pins[0].residual < 1e-3
    for side, joint in ((0, 4), (1, 8)):
        assert ground_speed(made.clip, joint)[firm()[:, side]].mean() < 0.02


def test_the_report_tells_contacts_and_is_plain() -> None:
    report = plant(sliding(), standing(PHASE), examples=[good()]).report
    joints = {contact.joint for contact in report.contacts}
    assert joints == {"LeftFoot", "RightFoot"}
    assert all(contact.start < contact.stop <= 180 for contact in report.contacts)
    assert report.summary()["residual"] == report.residual < 0.02 * LEG


def test_z_up_is_planted_as_y_up() -> None:
    from freshtake.motion.edit import with_up

    clip, right = sliding(), good()
    a = plant(clip, standing(PHASE), examples=[right]).clip
    b = plant(with_up(clip, "z"), standing(PHASE), examples=[with_up(right, "z")]).clip
    np.testing.assert_allclose(with_up(b, "y").positions(), a.positions(), atol=1e-6)


def test_named_flags() -> None:
    from freshtake.motion.body.roles import feet

    spans = named_labels({"LeftFoot": np.array([[2.0, 5.0]])}, 8, feet(SKELETON), SKELETON.names)
    assert spans[:, 0].tolist() == [0, 0, 1, 1, 1, 0, 0, 0] and not spans[:, 1].any()
    toes = named_labels({"RightToe": np.ones(8)}, 8, feet(SKELETON), SKELETON.names)
    assert toes.shape == (8, 4) and toes[:, 3].all() and not toes[:, :3].any()
    with pytest.raises(UsageError, match="no foot 'Nose'"):
        named_labels({"Nose": np.ones(8)}, 8, feet(SKELETON), SKELETON.names)
    with pytest.raises(UsageError, match="ends at frame 9"):
        named_labels({"LeftFoot": np.array([[2.0, 9.0]])}, 8, feet(SKELETON), SKELETON.names)
    with pytest.raises(UsageError, match="for 7 frames"):
        named_labels({"LeftFoot": np.ones(7)}, 8, feet(SKELETON), SKELETON.names)


def test_what_does_not_fit_is_refused() -> None:
    clip = walk(PHASE)
    bare = Clip(
        Skeleton(("a", "b"), np.array([-1, 0]), np.eye(3)[:2]),
        1 / 60,
        np.zeros((9, 3)),
        np.tile([1.0, 0, 0, 0], (9, 2, 1)),
    )
    cases = [
        (lambda: plant(clip, np.ones((5, 2))), UsageError, "contacts are 5 x 2"),
        (lambda: plant(clip, np.full((180, 2), 2.0)), UsageError, "from 0"),
        (lambda: plant(clip, floor=[1.0, 2.0]), UsageError, "one height"),
        (lambda: plant(clip, examples=[bare]), SkeletonMismatch, "only"),
        (lambda: plant(bare, np.ones((9, 2))), UsageError, "mapping"),
        (lambda: plant(clip, pins=[Pin("Nose", 3)]), InvalidMotion, "Nose"),
        (lambda: plant(clip, pins=[Pin("Head", 3)]), UsageError, "cannot be pinned"),
        (lambda: plant(clip, pins=[Pin("LeftHand", 500)]), UsageError, "beyond the clip"),
        (lambda: Pin("LeftHand", [1, 3]), UsageError, "without gaps"),
        (lambda: Pin("LeftHand", 1, [0, 0]), UsageError, "3 numbers"),
        (lambda: Pin("LeftHand", 1, blend=-1.0), UsageError, "blend"),
        (lambda: PlantSettings(lock="firm"), UsageError, "soft or hard"),
        (lambda: PlantSettings(hold=0.0), UsageError, "above 0"),
        (lambda: PlantSettings(band=0.2), UsageError, "band"),
        (lambda: PlantSettings(lookahead=0.01), UsageError, "lookahead"),
    ]
    for act, kind, words in cases:
        with pytest.raises(kind, match=words):
            act()


def test_a_body_without_limbs_passes_through() -> None:
    bare = Clip(
        Skeleton(("a", "b"), np.array([-1, 0]), np.eye(3)[:2]),
        1 / 60,
        np.zeros((9, 3)),
        np.tile([1.0, 0, 0, 0], (9, 2, 1)),
    )
    np.testing.assert_array_equal(plant(bare).clip.rotations, bare.rotations)


def test_recorded_takes_keep_their_pose_and_stand_better(data: Path) -> None:
    for path in (data / "style" / "crouched_1.bvh", data / "jump" / "jump_1.bvh"):
        clip = ft.read(path)
        made = plant(clip)
        assert made.report.change < 2.0
        assert len(made.report.contacts) >= 4
