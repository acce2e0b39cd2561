"""Quaternion laws, with scipy's Rotation as oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation, Slerp

from freshtake.numeric import rotations as rot
from freshtake.numeric.arrays import Floats

TINY = (0.0, 1e-300, 1e-16, 1e-12, 1e-9, 1e-6, 1e-3)
vectors = arrays(np.float64, (3,), elements=st.floats(-50, 50))


@st.composite
def quaternions(draw: st.DrawFn) -> Floats:
    """Unit quaternions: anywhere, at and near the identity, at and near half turns, with either sign."""
    kind = draw(st.sampled_from(["any", "near identity", "near half turn"]))
    axis = draw(arrays(np.float64, (3,), elements=st.floats(-1, 1)))
    axis = axis / np.linalg.norm(axis) if np.linalg.norm(axis) > 1e-3 else np.array([0.0, 1.0, 0.0])
    angle = {"any": draw(st.floats(-7, 7)), "near identity": 0.0, "near half turn": np.pi}[kind]
    angle += draw(st.sampled_from(TINY)) * draw(st.sampled_from([-1, 1]))
    return rot.about_axis(axis, angle) * draw(st.sampled_from([-1.0, 1.0]))


def scipy_of(q: Floats) -> Rotation:
    return Rotation.from_quat(np.roll(q, -1, axis=-1))


def same(a: Floats, b: Floats, within: float = 1e-12) -> None:
    """Equal up to sign."""
    assert np.max(rot.angle_between(a, b)) < within


@given(quaternions(), quaternions(), quaternions())
def test_group_laws(a: Floats, b: Floats, c: Floats) -> None:
    np.testing.assert_allclose(rot.multiply(rot.multiply(a, b), c), rot.multiply(a, rot.multiply(b, c)), atol=1e-14)
    np.testing.assert_allclose(rot.multiply(a, rot.inverse(a)), rot.IDENTITY, atol=1e-15)
    np.testing.assert_allclose(rot.multiply(rot.IDENTITY, a), a)
    np.testing.assert_allclose(
        rot.inverse(rot.multiply(a, b)), rot.multiply(rot.inverse(b), rot.inverse(a)), atol=1e-15
    )
    assert np.linalg.norm(rot.multiply(a, b)) == pytest.approx(1.0, abs=1e-14)


@given(quaternions(), quaternions(), vectors)
def test_product_and_turning_against_scipy(a: Floats, b: Floats, v: Floats) -> None:
    theirs = scipy_of(a) * scipy_of(b)
    same(rot.multiply(a, b), np.roll(theirs.as_quat(), 1))
    np.testing.assert_allclose(rot.rotate(rot.multiply(a, b), v), theirs.apply(v), atol=1e-11)
    np.testing.assert_allclose(rot.rotate(a, rot.rotate(b, v)), theirs.apply(v), atol=1e-11)
    np.testing.assert_allclose(rot.to_matrix(a), scipy_of(a).as_matrix(), atol=1e-14)
    np.testing.assert_allclose(rot.to_matrix(a) @ v, rot.rotate(a, v), atol=1e-12)


@given(quaternions())
def test_matrix_and_back(q: Floats) -> None:
    same(rot.from_matrix(rot.to_matrix(q)), q)


@given(quaternions())
def test_logarithm_against_scipy_and_back(q: Floats) -> None:
    v = rot.to_rotvec(q)
    assert np.linalg.norm(v) <= np.pi + 1e-12
    same(rot.from_rotvec(v), q)
    theirs = scipy_of(q).as_rotvec()
    if np.linalg.norm(theirs) < np.pi - 1e-6:
        np.testing.assert_allclose(v, theirs, atol=1e-12)


@given(vectors)
def test_exponential_against_scipy(v: Floats) -> None:
    same(rot.from_rotvec(v), np.roll(Rotation.from_rotvec(v).as_quat(), 1), 1e-11)


@pytest.mark.parametrize("size", TINY)
def test_tiny_rotation_vectors_keep_their_digits(size: float) -> None:
    v = size * np.array([0.36, -0.48, 0.8])
    np.testing.assert_allclose(rot.to_rotvec(rot.from_rotvec(v)), v, rtol=1e-12, atol=0.0)
    if size > 1e-300:
        assert rot.angle_between(rot.from_rotvec(v), rot.IDENTITY) == pytest.approx(size, rel=1e-9)


def test_arrays_of_any_leading_axes() -> None:
    rng = np.random.default_rng(1)
    q = rot.normalize(rng.normal(size=(2, 3, 5, 4)))
    v = rng.normal(size=(5, 3))
    one = np.array([[[rot.rotate(q[i, j, k], v[k]) for k in range(5)] for j in range(3)] for i in range(2)])
    np.testing.assert_allclose(rot.rotate(q, v), one)
    np.testing.assert_allclose(rot.from_rotvec(rot.to_rotvec(q)), np.where(q[..., :1] < 0, -q, q), atol=1e-14)
    np.testing.assert_allclose(rot.from_matrix(rot.to_matrix(q)) ** 2, q**2, atol=1e-14)


@given(quaternions(), quaternions())
def test_angle_between_against_scipy(a: Floats, b: Floats) -> None:
    theirs = (scipy_of(a).inv() * scipy_of(b)).magnitude()
    assert float(rot.angle_between(a, b)) == pytest.approx(theirs, abs=1e-7)  # half turns are flat in the chord


@given(quaternions(), quaternions(), st.floats(0, 1))
def test_slerp_against_scipy(a: Floats, b: Floats, t: float) -> None:
    angle = float(rot.angle_between(a, b))
    if angle > np.pi - 1e-6:
        return  # opposite: either way round is shortest
    theirs = Slerp([0.0, 1.0], Rotation.concatenate([scipy_of(a), scipy_of(b)]))(t)
    same(rot.slerp(a, b, t), np.roll(theirs.as_quat(), 1), 1e-9)
    assert float(rot.angle_between(a, rot.slerp(a, b, t))) == pytest.approx(t * angle, abs=1e-9)


@given(quaternions(), quaternions())
def test_slerp_meets_its_ends(a: Floats, b: Floats) -> None:
    same(rot.slerp(a, b, 0.0), a, 1e-9)
    same(rot.slerp(a, b, 1.0), b, 1e-9)


def test_slerp_turns_at_constant_speed() -> None:
    rng = np.random.default_rng(2)
    a, b = rot.normalize(rng.normal(size=(2, 6, 4)))
    path = rot.slerp(a, b, np.linspace(0, 1, 40)[:, None])
    steps = rot.angle_between(path[1:], path[:-1])
    np.testing.assert_allclose(steps, np.broadcast_to(steps[0], steps.shape), rtol=1e-9)


@pytest.mark.parametrize("size", [1e-12, 1e-9, 1e-6, 1e-3, 1e-2, 0.1])
def test_slerp_between_nearly_equal_rotations(size: float) -> None:
    v = np.array([0.36, -0.48, 0.8])
    a = rot.from_rotvec(np.array([0.3, 1.0, -0.5]))
    found = rot.slerp(a, rot.multiply(a, rot.from_rotvec(size * v)), 0.2)
    assert float(rot.angle_between(found, rot.multiply(a, rot.from_rotvec(0.2 * size * v)))) < 1e-14 + 1e-11 * size


def test_continuous_changes_signs_only() -> None:
    rng = np.random.default_rng(3)
    path = rot.from_rotvec(np.cumsum(rng.normal(size=(200, 4, 3)) * 0.3, axis=0))
    torn = path * rng.choice([-1.0, 1.0], size=(200, 4, 1))
    whole = rot.continuous(torn)
    assert (np.sum(whole[1:] * whole[:-1], axis=-1) > 0).all()
    np.testing.assert_array_equal(np.abs(whole), np.abs(torn))
    np.testing.assert_array_equal(whole[0], torn[0])


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_mean_against_scipy(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    around = rot.normalize(rng.normal(size=4))
    q = rot.multiply(around, rot.from_rotvec(rng.normal(size=(count, 2, 3)) * 0.4))
    q *= rng.choice([-1.0, 1.0], size=(count, 2, 1))
    for joint in range(2):
        same(rot.mean(q)[joint], np.roll(scipy_of(q[:, joint]).mean().as_quat(), 1), 1e-9)


@given(quaternions(), st.integers(0, 2))
def test_twist_is_the_turn_about_the_axis(q: Floats, axis: int) -> None:
    angle = float(rot.twist_angle(q, axis))
    assert -np.pi <= angle <= np.pi  # up to rounding, -pi is never taken
    swing = rot.multiply(rot.about_axis(np.eye(3)[axis], -angle), q)
    assert abs(swing[1 + axis]) < 1e-12
    # turning the body by some more about the axis adds to the twist
    if np.hypot(q[0], q[1 + axis]) > 1e-6:
        more = float(rot.twist_angle(rot.multiply(rot.about_axis(np.eye(3)[axis], 0.7), q), axis)) - angle - 0.7
        assert abs(more - 2 * np.pi * round(more / (2 * np.pi))) < 1e-9


@given(vectors, vectors)
def test_shortest_arc_turns_one_direction_into_the_other(u: Floats, v: Floats) -> None:
    if min(np.linalg.norm(u), np.linalg.norm(v)) < 1e-3:
        return
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    q = rot.shortest_arc(u, v)
    np.testing.assert_allclose(rot.rotate(q, u), v, atol=1e-6 if u @ v < -0.999 else 1e-12)
    assert float(rot.angle_between(q, rot.IDENTITY)) == pytest.approx(np.arccos(np.clip(u @ v, -1, 1)), abs=1e-6)
    # exactly opposite directions too
    np.testing.assert_allclose(rot.rotate(rot.shortest_arc(u, -u), u), -u, atol=1e-12)
