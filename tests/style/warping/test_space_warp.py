"""The banded solution against the written-out matrices of Hsu 2005, eq. (1) and (4)."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.style.warping.warps import SpaceWarp, Stiffness, best_space_warp, covered, energy, no_space_warp

STIFF = Stiffness(30.0, 70.0, 1e-3)
FRAMES, SLOPE = 12, 2


def motions(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    repeats = rng.integers(1, SLOPE**2 + 1, FRAMES)
    repeats[-1] += repeats.sum() % SLOPE
    return rng.normal(size=(FRAMES, 3)), rng.normal(size=(repeats.sum() // SLOPE, 3)), repeats


def matrices(repeats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """W, and the finite differences D of which F and G are multiples."""
    return np.repeat(np.eye(FRAMES), repeats, axis=0), np.diff(np.eye(FRAMES), axis=0)


@pytest.mark.parametrize("seed", range(5))
def test_solves_the_normal_equations(seed: int) -> None:
    u, y, repeats = motions(seed)
    w, d = matrices(repeats)
    found = best_space_warp(u, y, repeats, SLOPE, STIFF)
    for dof in range(3):
        big = np.diag(u[:, dof])
        long = np.repeat(y[:, dof], SLOPE)
        pull = STIFF.pull * np.eye(FRAMES)
        rough_a, rough_b = STIFF.scale * d.T @ d + pull, STIFF.offset * d.T @ d + pull
        left = np.block([[big.T @ w.T @ w @ big + rough_a, big.T @ w.T @ w], [w.T @ w @ big, w.T @ w + rough_b]])
        right = np.concatenate([big.T @ w.T @ long + STIFF.pull, w.T @ long])
        expected = np.linalg.solve(left, right)
        np.testing.assert_allclose(found.scale[:, dof], expected[:FRAMES], rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(found.offset[:, dof], expected[FRAMES:], rtol=1e-7, atol=1e-9)


def test_energy_is_equation_one() -> None:
    u, y, repeats = motions(1)
    w, d = matrices(repeats)
    rng = np.random.default_rng(9)
    warp = SpaceWarp(rng.normal(size=u.shape), rng.normal(size=u.shape))
    expected = 0.0
    for dof in range(3):
        a, b = warp.scale[:, dof], warp.offset[:, dof]
        expected += ((w @ (np.diag(u[:, dof]) @ a + b) - np.repeat(y[:, dof], SLOPE)) ** 2).sum()
        expected += STIFF.scale * ((d @ a) ** 2).sum() + STIFF.offset * ((d @ b) ** 2).sum()
        expected += STIFF.pull * (((a - 1.0) ** 2).sum() + (b**2).sum())
    assert energy(u, y, repeats, SLOPE, warp, STIFF) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_nothing_near_is_better(seed: int) -> None:
    u, y, repeats = motions(seed)
    best = best_space_warp(u, y, repeats, SLOPE, STIFF)
    least = energy(u, y, repeats, SLOPE, best, STIFF)
    rng = np.random.default_rng(seed)
    for size in (1e-3, 1e-1, 1.0):
        other = SpaceWarp(*(part + size * rng.normal(size=u.shape) for part in best))
        assert energy(u, y, repeats, SLOPE, other, STIFF) > least


def test_sums_over_the_lengthened_motion() -> None:
    _, y, repeats = motions(2)
    w, _ = matrices(repeats)
    np.testing.assert_allclose(covered(y, repeats, SLOPE), w.T @ np.repeat(y, SLOPE, axis=0), atol=1e-12)


def test_dofs_that_never_move_are_no_trouble() -> None:
    u, y = np.zeros((FRAMES, 2)), np.full((FRAMES, 2), 0.7)
    u[:, 1] = 3.0
    found = best_space_warp(u, y, np.full(FRAMES, SLOPE), SLOPE, Stiffness())
    np.testing.assert_allclose(found.apply(u), y, atol=1e-3)
    assert no_space_warp(u).apply(u) is not u
