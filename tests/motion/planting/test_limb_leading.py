"""A limb moved to a goal: met exactly, by the smallest hip rotation and the knee's hinge, foot unchanged."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.motion import Clip
from freshtake.motion.body.limbs import Limb, learn_limbs
from freshtake.motion.planting.limb_leading import (
    PINNED,
    SOFT,
    Move,
    _knee_axis,
    lead_limb,
    lead_limbs,
    limb_scratch,
    within_reach,
)
from freshtake.motion.planting.planting_model import make_bones
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, angle_between, from_rotvec, inverse, multiply, rotate, to_rotvec
from tests.motion.puppet import SKELETON, steady, walk


def free_ankles() -> Clip:
    """A walk whose ankles rotate in every direction, so none is considered impossible."""
    clip = walk(steady(1, 40), stride=0.5)
    rotations = clip.rotations.copy()
    wave = np.sin(np.linspace(0, 12, 40))[:, None]
    for ankle in (3, 7):
        rotations[:, ankle] = multiply(rotations[:, ankle], from_rotvec(wave * np.array([0.0, 0.05, 0.0])))
        rotations[:, ankle] = multiply(rotations[:, ankle], from_rotvec(wave[::-1] * np.array([0.0, 0.0, 0.05])))
    return clip.changed(rotations=rotations)


CLIP = free_ankles()
LIMBS = learn_limbs([CLIP])
BONES = make_bones(SKELETON, LIMBS)
QUIET = np.zeros((40, len(LIMBS), 3))


def led(moves: Floats, shift: Floats | None = None) -> Clip:
    root, rotations = CLIP.root if shift is None else CLIP.root + shift, CLIP.rotations.copy()
    lead_limbs(
        BONES,
        CLIP.root,
        root,
        SKELETON.offsets[None].copy(),
        moves,
        np.ones(len(LIMBS), dtype=np.intp),
        rotations,
        PINNED,
    )
    return CLIP.changed(root=root, rotations=rotations)


def pushed(seed: int = 0, size: float = 0.03) -> Floats:
    moves = np.random.default_rng(seed).normal(0.0, size, QUIET.shape)
    moves[..., 1] = np.abs(moves[..., 1]) + size  # up: within reach
    return moves


def test_ends_are_where_they_are_wanted() -> None:
    moves = pushed()
    made, before = led(moves).positions(), CLIP.positions()
    for number, limb in enumerate(LIMBS):
        np.testing.assert_allclose(made[:, limb.end], before[:, limb.end] + moves[:, number], atol=1e-9)


def test_a_root_that_moves_leaves_the_ends_where_they_are() -> None:
    made = led(QUIET, np.array([0.01, -0.02, 0.015]))
    for limb in LIMBS:
        np.testing.assert_allclose(made.positions()[:, limb.end], CLIP.positions()[:, limb.end], atol=1e-9)


def test_nothing_asked_for_changes_nothing() -> None:
    np.testing.assert_array_equal(led(QUIET).rotations, CLIP.rotations)


def test_feet_keep_their_direction_and_knees_their_hinge() -> None:
    made = led(pushed())
    before, after = CLIP.world().rotations, made.world().rotations
    for limb in LIMBS[:2]:
        for joint in limb.points:
            assert angle_between(before[:, joint], after[:, joint]).max() < 1e-9
        turn = to_rotvec(multiply(inverse(CLIP.rotations[:, limb.middle]), made.rotations[:, limb.middle]))
        across = turn - (turn @ limb.hinge)[:, None] * limb.hinge
        assert np.abs(across).max() < 1e-9 and np.abs(turn).max() > 0.05


def miss(angles: Floats, frame: int, limb: Limb, goal: Floats) -> Floats:
    """The ankle less its goal, with the hip turned by a rotation vector in the world and the knee by an angle."""
    world = CLIP.world()
    hip, knee, end = (world.positions[frame, joint] for joint in (limb.upper, limb.middle, limb.end))
    axis = rotate(world.rotations[frame, limb.middle], limb.hinge)
    shank = rotate(about_axis(axis, angles[3]), end - knee)
    return np.asarray(hip + rotate(from_rotvec(angles[:3]), knee - hip + shank) - goal)


def test_the_hips_turn_is_the_least_of_all_that_meet_the_goal() -> None:
    """Against sequential least squares over hip and knee (Lau 2009, eq. 7, with the knee's own turn free)."""
    from scipy.optimize import minimize

    moves = pushed(3, 0.05)
    made = led(moves)
    limb = LIMBS[0]
    for frame in (3, 17, 30):
        goal = CLIP.positions()[frame, limb.end] + moves[frame, 0]
        found = minimize(
            lambda x: float(x[:3] @ x[:3]), np.zeros(4), method="SLSQP", options={"ftol": 1e-14, "maxiter": 300},
            constraints={"type": "eq", "fun": miss, "args": (frame, limb, goal)},
        )  # fmt: skip
        assert found.success
        turned = multiply(made.world().rotations[frame, limb.upper], inverse(CLIP.world().rotations[frame, limb.upper]))
        assert np.linalg.norm(to_rotvec(turned)) == pytest.approx(np.linalg.norm(found.x[:3]), abs=1e-4)
        assert np.linalg.norm(to_rotvec(turned)) <= np.linalg.norm(found.x[:3]) + 1e-6


def test_a_goal_out_of_reach_is_missed_softly() -> None:
    reach = np.array([0.3, 0.97])
    requested = np.linspace(0.8, 1.3, 501)
    got = np.array([within_reach(reach, d, 0.9, 1.0, 0.02) for d in requested])
    np.testing.assert_allclose(got[requested < 0.95], requested[requested < 0.95])
    steps = np.diff(got)
    assert (steps >= 0).all() and got.max() <= 0.97 and np.abs(np.diff(steps)).max() < 1e-4
    assert within_reach(reach, 0.99, 0.99, 1.0, 0.02) == pytest.approx(0.99)  # what a limb did itself it may do
    assert within_reach(reach, 0.1, 0.5, 1.0, 0.02) == pytest.approx(0.3)


def test_a_limb_reaches_just_short_of_straight_and_hardly_beyond_what_it_did() -> None:
    assert within_reach(np.array([0.3, 1.05]), 2.0, 0.9, 1.0, 0.02) == pytest.approx(0.9998, abs=1e-6)
    assert within_reach(np.array([0.3, 0.9]), 2.0, 0.95, 1.0, 0.002) == pytest.approx(0.953, abs=1e-6)


def test_standing_legs_give_way_in_the_last_fiftieth_and_pinned_limbs_in_the_last_five_hundredth() -> None:
    reach = np.array([0.3, 0.97])
    for soft, share in ((SOFT, 0.02), (PINNED, 0.002)):
        before, after = 0.97 - 1.05 * share, 0.97 - 0.95 * share
        assert within_reach(reach, before, 0.5, 1.0, soft) == before
        assert within_reach(reach, after, 0.5, 1.0, soft) < after


def test_a_knee_turns_about_its_hinge_or_at_right_angles_to_both_segments() -> None:
    rng = np.random.default_rng(1)
    turn, axis = from_rotvec(rng.normal(size=3)), np.empty(3)
    for _ in range(5):
        thigh, shank = rng.normal(size=(2, 3))
        _knee_axis(BONES, 0, thigh, shank, turn, axis)
        np.testing.assert_allclose(axis, rotate(turn, BONES.hinge[0]), atol=1e-12)
        unknown = BONES._replace(hinge=np.zeros_like(BONES.hinge))
        _knee_axis(unknown, 0, thigh, shank, turn, axis)
        normal = np.cross(thigh, shank)
        np.testing.assert_allclose(axis, normal / np.linalg.norm(normal), atol=1e-12)
        _knee_axis(unknown, 0, thigh, 2.0 * thigh, turn, axis)
        assert np.linalg.norm(axis) == pytest.approx(1.0)  # of a straight limb any will do


@pytest.mark.parametrize("by_toe", [True, False])
def test_a_limb_says_by_how_much_it_missed_its_goal_and_leaves_alone_what_hardly_moves(by_toe: bool) -> None:
    root, offsets = CLIP.root[5], SKELETON.offsets.copy()
    for offset in (np.array([0.0, 0.02, 0.01]), np.array([3.0, 0.0, 0.0]), np.array([0.0, 0.002, 0.0])):
        rotations = CLIP.rotations[5].copy()
        missed = lead_limb(
            BONES, 0, Move(root, root, offset, 0.005, by_toe, 0.0, PINNED), offsets, rotations, limb_scratch(BONES)
        )
        made = CLIP.changed(rotations=np.concatenate([rotations[None]] * 40), root=np.tile(root, (40, 1)))
        goal_turn = CLIP.positions()[5, LIMBS[0].end] + offset
        if np.abs(offset).max() <= 0.005:
            assert missed == 0.0
            np.testing.assert_array_equal(rotations, CLIP.rotations[5])
        else:
            assert missed == pytest.approx(np.linalg.norm(made.positions()[0, LIMBS[0].end] - goal_turn), abs=1e-9)
            assert (missed > 1.0) == (offset[0] > 1.0)
