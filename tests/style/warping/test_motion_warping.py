from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshtake.style.warping.motion_warping import warp_motion
from freshtake.style.warping.warps import Stiffness, energy


def wandering(rng: np.random.Generator, frames: int, dofs: int) -> np.ndarray:
    return np.cumsum(rng.normal(size=(frames, dofs)), axis=0) * 0.2 + rng.normal(size=dofs)


@given(
    seed=st.integers(0, 2**32 - 1),
    frames=st.integers(4, 50),
    ratio=st.floats(0.55, 1.9),
    dofs=st.integers(1, 5),
    weight=st.sampled_from([0.01, 1.0, 100.0, 1e4]),
)
def test_the_energy_rises_at_no_stage(seed: int, frames: int, ratio: float, dofs: int, weight: float) -> None:
    rng = np.random.default_rng(seed)
    u, y = wandering(rng, frames, dofs), wandering(rng, max(4, round(frames * ratio)), dofs)
    stiff = Stiffness(weight, weight, 1e-4)
    found = warp_motion(u, y, 2, stiff)
    assert (np.diff(found.energy) <= 0.0).all()
    assert found.energy[-1] == pytest.approx(energy(u, y, found.repeats, 2, found.space, stiff), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_it_stops_where_neither_stage_helps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, y = wandering(rng, 60, 4), wandering(rng, 70, 4)
    found = warp_motion(u, y, 2, Stiffness(), rounds=200)
    assert len(found.energy) < 200
    assert found.energy[-1] < 0.5 * found.energy[0]


def test_motions_that_differ_in_space_only_keep_their_timing() -> None:
    rng = np.random.default_rng(4)
    u = wandering(rng, 80, 6)
    found = warp_motion(u, u * rng.uniform(0.5, 1.5, 6) + rng.normal(size=6), 2, Stiffness())
    assert (found.repeats == 2).mean() > 0.95


def test_equal_motions_are_left_alone() -> None:
    u = wandering(np.random.default_rng(0), 30, 3)
    found = warp_motion(u, u, 2, Stiffness())
    assert (found.repeats == 2).all()
    assert found.energy == (0.0,)
    assert (found.space.scale == 1.0).all()


@pytest.mark.parametrize("seed", range(12))
def test_a_motion_of_much_smaller_scale_is_found_again(seed: int) -> None:
    rng, frames = np.random.default_rng(seed), 80
    u, t = wandering(rng, frames, 4), np.linspace(0.0, 1.0, frames)
    place = (frames - 1) * (t + 0.1 * np.sin(2.0 * np.pi * t))  # in y, of every frame of u
    origin = np.interp(np.arange(frames), place, np.arange(frames))
    y = np.stack([np.interp(origin, np.arange(frames), column) for column in u.T], axis=1)
    found = warp_motion(u, y * rng.uniform(0.05, 0.3, 4) + rng.normal(size=4), 2, Stiffness())
    assert np.abs((np.cumsum(found.repeats) - 0.5 * found.repeats) / 2 - 0.5 - place).mean() < 1.0
