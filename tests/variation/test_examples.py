"""Knees that turn about one axis in the takes do so in variants, planted or not."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, to_rotvec
from freshtake.samples import walk
from freshtake.variation import VariationModel, learn
from freshtake.variation.examples import hinges_of, on_hinges

AXIS = np.array([0.94, 0.3, -0.15]) / np.linalg.norm([0.94, 0.3, -0.15])


def bent(seed: int) -> Clip:
    """A walk whose left knee turns about a skew axis."""
    clip = walk(rng=np.random.default_rng(seed))
    rotations, knee = clip.rotations.copy(), clip.skeleton.index("LeftLeg")
    angle = np.linalg.norm(to_rotvec(rotations[:, knee]), axis=1)
    rotations[:, knee] = about_axis(AXIS, angle)
    return clip.changed(rotations=rotations)


@pytest.fixture(scope="module")
def model() -> VariationModel:
    return learn([bent(seed) for seed in range(3)], rng=np.random.default_rng(0))


def off_axis(clip: Clip) -> float:
    """Radians by which the knee leaves its axis."""
    turned: Floats = to_rotvec(clip.rotations[:, clip.skeleton.index("LeftLeg")])
    return float(np.abs(turned - np.outer(turned @ AXIS, AXIS)).max())


@pytest.mark.parametrize("plant", [False, True])
def test_knees_keep_to_their_axis(model: VariationModel, plant: bool) -> None:
    for seed in range(3):
        assert off_axis(model.sample(np.random.default_rng(seed), plant=plant)) < 1e-4
    assert off_axis(model.sample(np.random.default_rng(0), loop=True)) < 1e-4


def test_what_is_no_hinge_is_left_alone(model: VariationModel) -> None:
    """Rows of the takes are unchanged, and only hinged joints affect the positions of others."""
    hinges, rows = hinges_of(model.material), model.material.values[0]
    names = {model.dofs[k].rpartition(".")[0] for hinge in hinges for k in hinge.columns}
    assert "LeftLeg" in names and "LeftUpLeg" not in names and model.dofs[0].rpartition(".")[0] not in names
    np.testing.assert_allclose(on_hinges(hinges, rows), rows, atol=1e-4)
    moved = rows + np.random.default_rng(1).normal(size=rows.shape)
    free = np.ones(len(model.dofs), bool)
    free[np.concatenate([hinge.columns for hinge in hinges])] = False
    assert np.array_equal(on_hinges(hinges, moved)[:, free], moved[:, free])
