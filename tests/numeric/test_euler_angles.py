"""Euler angles in all twelve orders, at gimbal lock and over time, with scipy as oracle."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import (
    angle_between,
    continuous_euler,
    equivalent,
    from_euler,
    from_rotvec,
    full_order,
    gimbal_closeness,
    normalize,
    to_euler,
    unflipped,
)

ORDERS = ["".join(o) for o in product("XYZ", repeat=3) if o[0] != o[1] and o[1] != o[2]]
angles = st.floats(-7, 7)


def locked_angles(rng: np.random.Generator, count: int) -> Floats:
    """Middle angles at multiples of a quarter turn, and within a hair of them."""
    middle = rng.choice([0.0, np.pi / 2, -np.pi / 2, np.pi], count)
    middle += rng.choice([0, 1e-15, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2], count) * rng.choice([-1, 1], count)
    return np.stack([rng.uniform(-4, 4, count), middle, rng.uniform(-4, 4, count)], axis=-1)


@pytest.mark.parametrize("order", ORDERS)
def test_all_orders_against_scipy(order: str) -> None:
    rng = np.random.default_rng(1)
    values = rng.uniform(-7, 7, (300, 3))
    theirs = Rotation.from_euler(order, values)  # capitals: intrinsic
    q = from_euler(values, order)
    assert angle_between(q, np.roll(theirs.as_quat(), 1, axis=-1)).max() < 1e-12
    mine, other = to_euler(q, order), theirs.as_euler(order)
    assert np.abs(mine - other - 2 * np.pi * np.round((mine - other) / (2 * np.pi))).max() < 1e-9


@pytest.mark.parametrize("order", ORDERS)
def test_back_to_the_same_rotation_even_in_gimbal_lock(order: str) -> None:
    q = from_euler(locked_angles(np.random.default_rng(2), 3000), order)
    assert angle_between(from_euler(to_euler(q, order), order), q).max() < 1e-11
    assert angle_between(from_euler(continuous_euler(q, order), order), q).max() < 1e-11


@pytest.mark.parametrize("order", ORDERS)
def test_exact_lock_gives_the_last_angle_as_zero(order: str) -> None:
    middle = 0.0 if order[0] == order[2] else np.pi / 2
    values = np.array([0.4, middle, 0.5])
    found = to_euler(from_euler(values, order), order)
    assert found[2] == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of lock
        theirs = Rotation.from_euler(order, values)
    assert float(angle_between(from_euler(found, order), np.roll(theirs.as_quat(), 1))) < 1e-12


@given(angles, angles, angles, st.sampled_from(ORDERS))
def test_the_equivalent_triple_is_the_same_rotation(a: float, b: float, c: float, order: str) -> None:
    values = np.array([a, b, c])
    other = equivalent(values, order)
    assert float(angle_between(from_euler(other, order), from_euler(values, order))) < 1e-12
    twice = equivalent(other, order) - values
    np.testing.assert_allclose(twice, 2 * np.pi * np.round(twice / (2 * np.pi)), atol=1e-12)
    assert np.abs(other - values).sum() > np.pi  # never the same triple


@pytest.mark.parametrize("order", ORDERS)
def test_the_middle_angle_is_in_its_principal_range(order: str) -> None:
    q = normalize(np.random.default_rng(3).normal(size=(500, 4)))
    middle = to_euler(q, order)[:, 1]
    if order[0] == order[2]:
        assert ((middle >= 0) & (middle <= np.pi)).all()
    else:
        assert (np.abs(middle) <= np.pi / 2).all()


@pytest.mark.parametrize("order", ["", "X", "Z", "ZX", "XZ", "YZ"])
def test_orders_of_fewer_axes(order: str) -> None:
    rng = np.random.default_rng(4)
    values = rng.uniform(-1, 1, (50, len(order)))
    whole = np.concatenate([values, np.zeros((50, 3 - len(order)))], axis=1)
    assert angle_between(from_euler(values, order), from_euler(whole, full_order(order))).max() < 1e-14
    assert sorted(full_order(order)) == ["X", "Y", "Z"]
    np.testing.assert_allclose(to_euler(from_euler(values, order), full_order(order)), whole, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_continuous_angles_follow_a_smooth_motion(order: str) -> None:
    """Angles that wind over many turns and through the equivalent triple's range survive the round trip."""
    t = np.linspace(0, 1, 400)[:, None]
    rng = np.random.default_rng(5)
    speed, phase = rng.uniform(-9, 9, 6), rng.uniform(0, 6, 6)
    middle = 1.1 + 0.9 * np.sin(5 * t + phase) if order[0] == order[2] else 0.9 * np.sin(5 * t + phase)
    truth = np.stack([speed * t + phase, np.broadcast_to(middle, (400, 6)), -speed * t], axis=-1)
    found = continuous_euler(from_euler(truth, order), order)
    np.testing.assert_allclose(found - found[0], truth - truth[0], atol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_no_step_above_half_a_turn(order: str) -> None:
    q = from_rotvec(np.cumsum(np.random.default_rng(6).normal(size=(300, 5, 3)) * 0.2, axis=0))
    found = continuous_euler(q, order)
    assert np.abs(np.diff(found, axis=0)).max() <= np.pi + 1e-12
    assert angle_between(from_euler(found, order), q).max() < 1e-11


def slow_unflipped(values: Floats, order: str) -> Floats:
    """Frame by frame: of both triples and their full turns the one nearest to the frame before."""
    out = [values[0]]
    for row in values[1:]:
        options = []
        for triple in (row, equivalent(row, order)):
            options.append(triple - 2 * np.pi * np.round((triple - out[-1]) / (2 * np.pi)))
        out.append(min(options, key=lambda triple: float(np.abs(triple - out[-1]).sum())))
    return np.array(out)


@given(st.integers(0, 2**32 - 1), st.sampled_from(ORDERS), st.integers(1, 30), st.floats(0.01, 3))
def test_unflipped_against_frame_by_frame(seed: int, order: str, frames: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    smooth = np.cumsum(rng.normal(size=(frames, 3)) * size, axis=0)
    torn = smooth + 2 * np.pi * rng.integers(-2, 3, (frames, 3))
    flips = rng.random(frames) < 0.3
    torn[flips] = equivalent(torn[flips], order)
    wanted = slow_unflipped(torn, order)
    np.testing.assert_allclose(unflipped(torn, order), wanted, atol=1e-9)
    np.testing.assert_allclose(unflipped(np.stack([torn, smooth], axis=1), order)[:, 0], wanted, atol=1e-9)


def test_a_joint_resting_in_gimbal_lock_keeps_its_last_angle() -> None:
    values = np.stack([np.linspace(0, 1, 50), np.full(50, 0.3), np.full(50, 0.6)], axis=-1)
    values[20:30, 1] = np.pi / 2
    found = continuous_euler(from_euler(values, "ZYX"), "ZYX")
    np.testing.assert_allclose(found[20:30, 2], found[19, 2], atol=1e-9)
    assert angle_between(from_euler(found, "ZYX"), from_euler(values, "ZYX")).max() < 1e-12


def test_closeness_to_lock() -> None:
    values = np.array([[1.0, np.pi / 2, 2.0], [1.0, 0.0, 2.0]])
    np.testing.assert_allclose(gimbal_closeness(values, "ZYX"), [0.0, 1.0], atol=1e-15)
    np.testing.assert_allclose(gimbal_closeness(values, "ZXZ"), [1.0, 0.0], atol=1e-15)
