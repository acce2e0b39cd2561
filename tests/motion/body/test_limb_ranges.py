"""Joints keep their own degrees of freedom: hinges stay hinges, two axes stay two, others rotate as they can."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip
from freshtake.motion.body.limbs import Chain, first_angle, free_directions, learn_limbs
from freshtake.motion.planting import learn_planting, plant
from freshtake.numeric.arrays import Floats
from freshtake.numeric.limb_kernels import LINK_SCRATCH, joint_coordinates, nearest_turn
from freshtake.numeric.rotations import about_axis, angle_between, from_rotvec, multiply, to_rotvec
from tests.conftest import data_files, label
from tests.motion.puppet import SKELETON, standing, steady, walk

PHASE = steady(2, 120)
AXIS = np.array([0.6, 0.0, 0.8])
ACROSS = np.array([0.0, 1.0, 0.0])


def seen_by(rotations: Floats, *, ball: bool = False) -> list[bool]:
    """Which directions of a joint that is seen in these rotations are frozen."""
    chain = free_directions(SKELETON, rotations, 3, ball=ball)
    return [False] * 3 if chain is None else [bool(x) for x in chain.low > chain.high]


def test_directions_that_never_move_are_frozen() -> None:
    rng = np.random.default_rng(0)
    swing, still = rng.normal(0, 0.2, 400), rng.normal(0, np.radians(0.2), (400, 3))
    hinge = from_rotvec(swing[:, None] * AXIS)
    assert seen_by(hinge) == [False, True, True]
    assert seen_by(multiply(hinge, from_rotvec(still))) == [False, True, True]
    assert seen_by(multiply(hinge, from_rotvec(10.0 * still))) == [False] * 3  # 2 degrees are no noise
    assert seen_by(from_rotvec(swing[:, None] * AXIS + rng.normal(0, 0.1, 400)[:, None] * ACROSS)) == [
        False, False, True,
    ]  # fmt: skip
    assert seen_by(multiply(hinge, from_rotvec(4.0 * still))) == [False] * 3  # nor is 0.8
    assert seen_by(multiply(from_rotvec(0.1 * swing[:, None] * AXIS), from_rotvec(still))) == [False] * 3  # of 1.1
    assert seen_by(hinge, ball=True) == [False] * 3  # a hip that only swings could do more
    assert seen_by(from_rotvec(0.01 * swing[:, None] * AXIS)) == [False] * 3  # what stands still shows nothing


def test_the_first_direction_is_the_one_that_moves() -> None:
    angles = np.random.default_rng(1).normal(0, 0.3, 300)
    chain = free_directions(SKELETON, from_rotvec(angles[:, None] * AXIS), 3)
    assert chain is not None
    basis = chain.basis[0]
    assert abs(basis[:, 0] @ AXIS) == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(basis.T @ basis, np.eye(3), atol=1e-12)
    assert np.linalg.det(basis) == pytest.approx(1.0)


def coordinates(chain: Chain, rotations: Floats) -> Floats:
    """Of a joint's links at local rotations (frames, 4)."""
    out = np.empty((len(rotations), len(chain.low)))
    for q, y in zip(rotations, out, strict=True):
        joint_coordinates(chain.reference, chain.basis, q, y, np.empty(LINK_SCRATCH))
    return out


def followed(chain: Chain, sample: Floats, wanted: Floats) -> Floats:
    made, scratch = np.empty_like(sample), np.empty(LINK_SCRATCH)
    for here, goal, out in zip(coordinates(chain, sample), wanted, made, strict=True):
        nearest_turn(chain.reference, chain.basis, chain.low, chain.high, here, goal, out, scratch)
    return made


def pushed(clip: Clip, seed: int = 0) -> Clip:
    """The root pushed about smoothly, so feet slide while every joint keeps its rotation."""
    t = np.arange(len(clip)) * clip.frame_time
    waves = np.sin(np.random.default_rng(seed).uniform(1, 6, 3) * t[:, None])
    return clip.changed(root=clip.root + 0.02 * clip.skeleton.lengths().max() * waves)


@pytest.mark.parametrize("path", data_files("walk/walk_1.bvh"), ids=label)
def test_knees_and_toes_of_recorded_legs_stay_hinges(path: Path) -> None:
    clip = ft.read(path)
    assert isinstance(clip, Clip)
    base = learn_planting([clip])
    made = plant(pushed(clip), base.contacts(clip), examples=base).clip
    assert np.degrees(angle_between(made.rotations, clip.rotations)).max() > 1.0
    for limb in base.legs:
        for joint in (limb.middle, limb.points[-1]):
            chain = free_directions(clip.skeleton, clip.rotations[:, joint], joint)
            assert chain is not None and [bool(x) for x in chain.low > chain.high] == [False, True, True]
            y, before = coordinates(chain, made.rotations[:, joint]), coordinates(chain, clip.rotations[:, joint])
            np.testing.assert_allclose(y[:, 1:], before[:, 1:], atol=1e-6)


def test_joints_of_an_acclaim_file_keep_to_their_axes(data: Path) -> None:
    clip = ft.read(sorted((data / "asfamc").rglob("*.amc"))[0], fps=60)
    assert isinstance(clip, Clip)
    base = learn_planting([clip])
    made = plant(pushed(clip), base.contacts(clip), examples=base).clip
    for limb in base.legs:
        assert [len(clip.skeleton.orders[joint]) for joint in (limb.upper, limb.middle, limb.end)] == [3, 1, 2]
        for joint in (limb.middle, limb.end, limb.points[-1]):
            chain = free_directions(clip.skeleton, clip.rotations[:, joint], joint)
            assert chain is not None
            y = coordinates(chain, made.rotations[:, joint])
            assert np.abs(y[:, chain.low > chain.high]).max() < 1e-6
    assert angle_between(made.rotations, clip.rotations).max() > np.radians(1.0)


def two_axes_walk() -> Clip:
    """The puppet with a knee of one channel and ankles of two, which also roll."""
    layout = list(SKELETON.channels)
    for knee, ankle in ((2, 3), (6, 7)):
        layout[knee], layout[ankle] = ("rx",), ("rz", "rx")
    skeleton = replace(SKELETON, channels=tuple(layout), orders=())
    clip = walk(PHASE, stride=0.5)
    rotations = clip.rotations.copy()
    for ankle in (3, 7):
        roll = about_axis([0.0, 0, 1.0], 0.1 * np.sin(2 * np.pi * PHASE))
        rotations[:, ankle] = multiply(roll, rotations[:, ankle])
    return Clip(skeleton, clip.frame_time, clip.root, rotations)


def test_two_axes_are_two_links_in_one_place() -> None:
    clip = two_axes_walk()
    chain = learn_limbs([clip])[0].ankle
    assert chain is not None
    y = coordinates(chain, clip.rotations[:, 3])
    np.testing.assert_allclose(y[:, 0], 0.1 * np.sin(2 * np.pi * PHASE), atol=1e-9)  # the roll
    assert np.abs(y[:, [1, 2, 4, 5]]).max() < 1e-9


def test_a_planted_ankle_of_two_axes_needs_no_third() -> None:
    clip = two_axes_walk()
    made = plant(pushed(clip), standing(PHASE), examples=[clip])
    assert made.report.residual < 2e-3 and made.report.change_held > 0.3
    for limb in learn_limbs([clip])[:2]:
        assert limb.ankle is not None
        y = coordinates(limb.ankle, made.clip.rotations[:, limb.end])
        assert np.abs(y[:, limb.ankle.low > limb.ankle.high]).max() < 1e-9


def test_the_first_angle_is_the_one_before_the_second() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.uniform(-1.2, 1.2, (2, 50))
    made = multiply(about_axis(AXIS, a), about_axis(ACROSS, b))
    np.testing.assert_allclose(first_angle(made, AXIS, ACROSS), a, atol=1e-12)


def test_what_follows_comes_as_near_as_its_hinge_allows() -> None:
    """Against a search over all angles of the hinge."""
    rng = np.random.default_rng(4)
    chain = free_directions(SKELETON, from_rotvec(rng.uniform(-0.6, 0.6, 200)[:, None] * AXIS), 4)
    assert chain is not None
    sample = from_rotvec(rng.uniform(-0.3, 0.3, 20)[:, None] * AXIS)
    wanted = from_rotvec(rng.normal(0, 0.2, (20, 3)))
    made = followed(chain, sample, wanted)
    angles = np.linspace(-np.pi, np.pi, 20001)
    every = about_axis(AXIS, angles)
    for q, goal in zip(made, wanted, strict=True):
        assert angle_between(q, goal) <= angle_between(every, goal).min() + 1e-6
        vector = to_rotvec(q[None])[0]
        np.testing.assert_allclose(vector, (vector @ AXIS) * AXIS, atol=1e-6)
    far = followed(chain, sample, np.tile(about_axis(AXIS, 2.0), (20, 1)))
    y = coordinates(chain, far)[:, 0]
    assert angle_between(sample, far).min() > 0.1 and np.abs(to_rotvec(far) @ AXIS).max() < 1.4
    assert ((y >= chain.low[0] - 1e-9) & (y <= chain.high[0] + 1e-9)).all()
