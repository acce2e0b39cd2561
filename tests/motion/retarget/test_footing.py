"""Corrections that make feet stand, and limbs moved to positions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freshtake.motion.edit import moved
from freshtake.motion.retarget import Retargeter
from freshtake.motion.retarget.retargeting import ARM, LEG, Limb, Steps, corrections, hip_lift, lead_limb, limited
from freshtake.motion.retarget.transfer import world_places
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.rotations import angle_between
from tests.motion.retarget.rigs import performer, rig_of, sample_rig, walk

FRAMES, TIME = 90, 1.0 / 60.0


def drifting(points: int = 2) -> tuple[Floats, Bools]:
    """A foot that is off by a slow drift, and stands twice."""
    t = np.linspace(0.0, 1.0, FRAMES)[:, None]
    off = np.stack([np.concatenate([3.0 * t, np.sin(4.0 * t), 2.0 * t**2 + k], axis=1) for k in range(points)], axis=1)
    stands = np.zeros((FRAMES, points), dtype=bool)
    stands[10:30, 0] = stands[20:40, -1] = stands[60:80] = True
    return off, stands


def test_a_standing_point_moves_as_the_sources_does_and_stands_at_its_height() -> None:
    off, stands = drifting(1)
    left = off[:, 0] + corrections(Steps(off, stands), TIME)
    for start, stop in ((10, 40), (60, 80)):
        assert np.ptp(left[start:stop, [0, 2]], axis=0).max() < 1e-9
        assert np.abs(left[start:stop, 1]).max() < 1e-9


def test_ankle_and_toe_take_turns() -> None:
    off, stands = drifting()
    left = off + corrections(Steps(off, stands), TIME)[:, None]
    steps = np.abs(np.diff(left, axis=0))[..., [0, 2]].max(axis=-1)
    assert steps[11:19, 0].max() < 1e-9 and steps[31:38, 1].max() < 1e-9


def test_feet_are_changed_as_little_as_can_be_and_smoothly() -> None:
    off, stands = drifting()
    made = corrections(Steps(off, stands), TIME)
    np.testing.assert_allclose(made[10:40, [0, 2]].mean(axis=0), 0.0, atol=1e-9)
    steps = np.linalg.norm(np.diff(made, axis=0), axis=1)
    assert steps.max() < 3.0 * np.linalg.norm(np.diff(off, axis=0), axis=-1).max()
    assert np.abs(made[-1]).max() < np.abs(made[79]).max()


def test_a_foot_that_never_stands_is_left_alone() -> None:
    off, stands = drifting()
    assert not corrections(Steps(off, np.zeros_like(stands)), TIME).any()
    assert not hip_lift([off[:, 0]], [np.zeros(FRAMES, dtype=bool)], TIME).any()


def test_moves_are_limited_softly_and_small_ones_kept() -> None:
    moves = np.outer(np.linspace(0.0, 5.0, 50), [0.6, 0.0, 0.8])
    made = np.linalg.norm(limited(moves, 1.0), axis=1)
    assert made.max() <= 1.0 + 1e-12 and (np.diff(made) > -1e-12).all()
    np.testing.assert_allclose(made[:4], np.linalg.norm(moves[:4], axis=1), atol=1e-3)


def test_what_both_feet_need_is_left_to_the_hips() -> None:
    moves = [np.full((FRAMES, 3), 0.7), np.full((FRAMES, 3), 0.7)]
    standing = np.zeros(FRAMES, dtype=bool)
    standing[5:] = True
    np.testing.assert_allclose(hip_lift(moves, [standing, ~standing], TIME), 0.7, atol=1e-12)


@pytest.mark.parametrize("limb", [LEG, ARM])
def test_the_end_of_a_limb_comes_to_its_goal_and_keeps_its_own_rotation(limb: Limb) -> None:
    rig = performer()
    pose = walk().world()
    world, places = pose.rotations.copy(), pose.positions.copy()
    first, _, end = (rig.body.one(f"left_{part}") for part in limb)
    wished = 0.97 * (places[:, end] - places[:, first]) + np.array([1.0, 0.0, 2.0]) + places[:, first]
    lead_limb(rig, "left", limb, world, places, wished - places[:, end], 1e3)
    reached = world_places(walk().skeleton.offsets, walk().skeleton.parents, world)
    reached += (walk().root - reached[:, 0])[:, None]
    np.testing.assert_allclose(reached[:, end], wished, atol=1e-6)
    assert angle_between(world[:, end], pose.rotations[:, end]).max() < 1e-9
    beside = rig.body.one("right_hand")
    np.testing.assert_allclose(reached[:, beside], places[:, beside], atol=1e-9)


def test_a_character_whose_feet_are_higher_stands_higher() -> None:
    """Soles are thicker by 5 cm: at rest it stands so, and so it does in motion."""
    rig = sample_rig("mixamo")
    raised = rig_of(moved(rig.clip, np.array([0.0, 5.0, 0.0])))
    one, other = (Retargeter(performer(), body).retarget(walk()).positions() for body in (rig, raised))
    np.testing.assert_allclose(other - one, np.broadcast_to([0.0, 5.0, 0.0], one.shape), atol=1e-6)


def test_planting_brings_standing_feet_nearer_to_their_height() -> None:
    """A target whose shanks are long for its thighs: knees alone cannot keep its feet on the floor."""
    clip = sample_rig("mixamo").clip
    offsets = clip.skeleton.offsets.copy()
    for side in ("Left", "Right"):
        offsets[clip.skeleton.index(f"mixamorig:{side}Leg")] *= 0.8
        offsets[clip.skeleton.index(f"mixamorig:{side}Foot")] *= 1.2
    rig = rig_of(clip.changed(skeleton=replace(clip.skeleton, offsets=offsets)))
    way = Retargeter(performer(), rig)
    low = walk().positions()[:, [foot.ankle for foot in performer().feet], 1] < 11.0
    heights = []
    for plant in (False, True):
        ankles = way.retarget(walk(), plant=plant).positions()[:, [foot.ankle for foot in rig.feet], 1]
        heights.append(np.ptp(ankles[low]))
    assert heights[1] < 0.8 * heights[0]
