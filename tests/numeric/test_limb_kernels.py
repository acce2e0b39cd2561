"""Geometry of limbs against slow twins."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.numeric.arrays import Floats
from freshtake.numeric.limb_kernels import (
    LINK_SCRATCH,
    bend_angle,
    carry_into,
    exponential_into,
    joint_coordinates,
    joint_turn,
    swing_into,
    turn_back_into,
    turn_into,
)
from freshtake.numeric.rotations import about_axis, angle_between, from_rotvec, inverse, multiply, rotate, to_rotvec


def random_turns(count: int) -> Floats:
    return from_rotvec(np.random.default_rng(count).normal(size=(count, 3)))


def test_products_are_those_of_the_arrays_and_work_in_place() -> None:
    a, b = random_turns(2)
    v = np.array([0.3, -1.0, 2.0])
    out, back, moved = np.empty(4), b.copy(), v.copy()
    turn_into(a, b, out)
    np.testing.assert_allclose(out, multiply(a, b), atol=1e-15)
    turn_back_into(a, back, back)
    np.testing.assert_allclose(back, multiply(inverse(a), b), atol=1e-15)
    carry_into(a, moved, moved)
    np.testing.assert_allclose(moved, rotate(a, v), atol=1e-15)


@pytest.mark.parametrize("vector", [[0.0, 0.0, 0.0], [1e-9, 0.0, 0.0], [0.5, -1.0, 0.2]])
def test_exponential(vector: list[float]) -> None:
    out = np.empty(4)
    exponential_into(np.array(vector), out)
    np.testing.assert_allclose(out, from_rotvec(np.array(vector)), atol=1e-15)


def test_a_swing_is_the_least_turn_between_directions() -> None:
    rng = np.random.default_rng(0)
    for a, b in rng.normal(size=(30, 2, 3)):
        out = np.empty(4)
        swing_into(a, b, out)
        np.testing.assert_allclose(rotate(out, a) / np.linalg.norm(a), b / np.linalg.norm(b), atol=1e-12)
        between = np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
        assert np.linalg.norm(to_rotvec(out)) == pytest.approx(between, abs=1e-9)
    swing_into(np.array([1.0, 0, 0]), np.array([-1.0, 0, 0]), out)
    assert np.isfinite(out).all()


def distance(upper: Floats, lower: Floats, axis: Floats, angle: float) -> float:
    return float(np.linalg.norm(upper + rotate(about_axis(axis, angle), lower)))


def test_a_bend_gives_the_distance_that_a_search_over_all_angles_finds() -> None:
    rng = np.random.default_rng(1)
    angles = np.linspace(-np.pi, np.pi, 20001)
    for _ in range(20):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        upper, lower = rng.normal(size=3), rng.normal(size=3)
        reach = np.linalg.norm(upper + rotate(about_axis(axis, angles), lower), axis=1)
        for wanted in np.quantile(reach, [0.1, 0.5, 0.9]):
            assert distance(upper, lower, axis, bend_angle(upper, lower, axis, wanted, 0.0)) == pytest.approx(
                wanted, abs=1e-9
            )
        far = bend_angle(upper, lower, axis, 10.0, 0.0)
        assert distance(upper, lower, axis, far) == pytest.approx(reach.max(), abs=1e-6)


def knee(bend: float, wanted: float, slack: float = 0.0) -> float:
    """The bend after a knee that is bent so far was brought to a distance; both segments are 1 long."""
    axis = np.array([1.0, 0.0, 0.0])
    thigh, shank = np.array([0.0, -1.0, 0.0]), rotate(about_axis(axis, bend), np.array([0.0, -1.0, 0.0]))
    return bend + bend_angle(thigh, shank, axis, wanted, slack)


def test_knees_stay_bent_to_their_side() -> None:
    assert knee(0.3, 1.8) == pytest.approx(2 * np.arccos(0.9))
    assert knee(0.0, 1.8) == pytest.approx(2 * np.arccos(0.9))
    assert knee(-0.02, 1.8) == pytest.approx(2 * np.arccos(0.9), rel=0.02)  # a little the wrong way: it goes over
    assert knee(-0.02, 2 * np.cos(0.01)) == pytest.approx(-0.02, abs=1e-6)  # but not if nothing is requested
    assert knee(-0.8, 1.8) < 0.0  # nor if that would fling it about


def test_a_knee_bent_the_wrong_way_is_straight_halfway_through_the_changeover() -> None:
    wrong = np.radians(9.0)  # the changeover is 18 degrees wide at most
    assert knee(-wrong, 1.2) == pytest.approx(0.0, abs=1e-9)
    wrong = 0.02  # and six times as wide as the knee is bent further
    assert knee(-wrong, 2 * np.cos(0.5 * np.hypot(wrong, wrong / 3.0))) == pytest.approx(0.0, abs=1e-9)


def test_a_knee_that_passes_straight_does_not_jump() -> None:
    bends = np.radians(np.linspace(4.0, -4.0, 161))
    for shorter in (0.0, 1e-4, 1e-3, 1e-2):
        made = np.array([knee(bend, 2 * np.cos(0.5 * bend) - shorter) for bend in bends])
        assert np.abs(np.diff(made)).max() < np.radians(0.6)


def test_slack_bounds_how_fast_a_knee_straightens_and_hardly_misses() -> None:
    distances = np.linspace(1.9, 2.0, 400)
    slack = np.radians(8.0) ** 2
    made, exact = (np.array([knee(0.5, d, s) for d in distances]) for s in (slack, 0.0))
    assert np.abs(np.diff(made)).max() < 0.25 * np.abs(np.diff(exact)).max()
    assert np.abs(2.0 * np.cos(0.5 * made) - distances).max() < 2.0 * slack / 8.0 + 1e-6


def test_two_hinges_take_a_turn_apart_and_put_it_together() -> None:
    reference, basis = np.tile([1.0, 0, 0, 0], (2, 1)), np.stack([np.eye(3), np.eye(3)[:, [2, 0, 1]]])
    for a, b in np.random.default_rng(2).uniform(-1, 1, (20, 2)):
        q = multiply(about_axis([1.0, 0, 0], a), about_axis([0, 0, 1.0], b))
        y, back = np.empty(6), np.empty(4)
        joint_coordinates(reference, basis, q, y, np.empty(LINK_SCRATCH))
        np.testing.assert_allclose(y, [a, 0, 0, b, 0, 0], atol=1e-9)
        joint_turn(reference, basis, y, back, np.empty(LINK_SCRATCH))
        assert angle_between(back, q) < 1e-9
