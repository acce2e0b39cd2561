from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshtake.style.warping.motion_warping import warp_motion
from freshtake.style.warping.space_warp import Stiffness, energy


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
