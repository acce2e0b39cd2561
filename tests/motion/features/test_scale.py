"""Weights of the DOFs: against pushing each of them, by the unit of length, by variance."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.motion import Clip, features
from freshtake.motion.edit import scaled
from freshtake.motion.features import Recipe
from freshtake.numeric.arrays import Floats
from tests.motion.features.features_help import OPTIONS, ROOTS, clip_from
from tests.motion.random_motion import humanoid, random_clip, random_skeleton


def slow_effects(recipe: Recipe, clip: Clip) -> Floats:
    """For every single frame and every DOF: change it, decode, and measure how far joints and tips move."""
    rows = features.encode(recipe, clip).values
    squares = np.zeros((len(rows), len(recipe.names)))
    for frame in range(len(rows)):
        for dof in range(len(recipe.names)):
            ends = []
            for step in (1e-5, -1e-5):
                row = rows[frame : frame + 1].copy()
                row[0, dof] += step
                new = clip_from(row, recipe, resume=True)
                ends.append(np.concatenate([new.positions()[0], new.end_positions()[0]]))
            squares[frame, dof] = np.mean(np.sum(((ends[0] - ends[1]) / 2e-5) ** 2, axis=1))
    return np.asarray(np.sqrt(squares.mean(axis=0)))


@pytest.mark.parametrize(("angles", "root"), [(a, r) for a in ("euler", "expmap") for r in ROOTS])
@pytest.mark.parametrize(("up", "moving"), [("y", False), ("z", True)])
def test_fk_weights_against_pushing_one_dof_at_a_time(angles: str, root: str, up: str, moving: bool) -> None:
    rng = np.random.default_rng(14)
    clip = random_clip(rng, random_skeleton(rng, 4), 3, up=up, moving=moving)
    recipe = features.recipe([clip], angles=angles, root=root)
    wanted = slow_effects(recipe, clip)
    for unit in set(recipe.units):
        mine = np.array([u == unit for u in recipe.units])
        wanted[mine] = np.maximum(wanted[mine], 1e-3 * wanted[mine].max())
    np.testing.assert_allclose(recipe.weights, wanted, rtol=1e-5)


def test_fk_weights_follow_the_unit_of_length() -> None:
    clip = random_clip(np.random.default_rng(15), humanoid(), 20)
    for angles, root in OPTIONS[:4]:
        small = features.recipe([clip], angles=angles, root=root)
        large = features.recipe([scaled(clip, 100.0)], angles=angles, root=root)
        ratio = np.array([100.0 if unit in ("angle", "turn") else 1.0 for unit in small.units])
        np.testing.assert_allclose(large.weights / small.weights, ratio, rtol=1e-6)


def test_std_weights_make_unit_variance() -> None:
    rng = np.random.default_rng(16)
    clips = [random_clip(rng, humanoid(), n) for n in (40, 60)]
    recipe = features.recipe(clips, scale="std")
    rows = np.concatenate([features.encode(recipe, clip, scaled=True).values for clip in clips])
    np.testing.assert_allclose(rows.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(rows.std(axis=0), 1.0, atol=1e-9)


def test_the_horizon_weighs_rates() -> None:
    clip = random_clip(np.random.default_rng(17), humanoid(), 20)
    one, ten = (features.recipe([clip], horizon=seconds) for seconds in (0.1, 1.0))
    np.testing.assert_allclose(ten.weights[:3], 10 * one.weights[:3])
    np.testing.assert_allclose(ten.weights[3:], one.weights[3:])
