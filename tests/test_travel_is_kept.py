"""Every method's motion travels as far and along the same path with planted feet as without."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from freshtake import samples
from freshtake.density import learn as learn_density
from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.motion.planting import learn_planting, plant
from freshtake.style.learning import learn as learn_style
from freshtake.texture import learn as learn_texture
from freshtake.variation import Settings as VariationSettings
from freshtake.variation import learn as learn_variation

SHARE = 0.02  # of a leg, per cycle


@cache
def walk(seed: int, style: str = "normal", turn_rate: float = 0.0, cycles: int = 2) -> Clip:
    return samples.walk(np.random.default_rng(seed), cycles=cycles, style=style, turn_rate=turn_rate)


def varied(plant_feet: bool) -> Clip:
    settings = VariationSettings()
    cycles = [walk(seed, cycles=1) for seed in range(3)]
    model = learn_variation(cycles, settings, rng=np.random.default_rng(0), cyclic=True)
    made = model.sample(np.random.default_rng(1), cycles=2, plant=plant_feet)
    assert isinstance(made, Clip)
    return made


def styled(plant_feet: bool) -> Clip:
    pairs = [(walk(k, cycles=3), walk(100 + k, "limp", cycles=3)) for k in range(3)]
    return learn_style(pairs).translate(walk(9, turn_rate=20.0), plant=plant_feet)


def blended(plant_feet: bool) -> Clip:
    model = learn_density({"walk": [walk(1, cycles=6)], "limp": [walk(2, "limp", cycles=6)]})
    made = model.sample(np.random.default_rng(0), frames=120, weights="walk:1->limp:1", plant=plant_feet)
    assert isinstance(made, Clip)
    return made


def textured(plant_feet: bool) -> Clip:
    """Plant a texture's motion as `freshtake plant --like` does, since textures do not plant feet."""
    take = walk(3, cycles=6)
    made = learn_texture(take, rng=np.random.default_rng(0)).sample(np.random.default_rng(1), frames=120)
    assert isinstance(made, Clip)
    return plant(made, examples=learn_planting([take])).clip if plant_feet else made


@pytest.mark.parametrize("made", [varied, styled, blended, textured], ids=lambda made: made.__name__)
def test_hips_keep_their_path(made: Callable[[bool], Clip]) -> None:
    planted, free = made(True), made(False)
    leg = leg_length(free.skeleton)
    away = np.linalg.norm(planted.root - free.root, axis=1).max() / leg
    travel = [float(np.linalg.norm((clip.root[-1] - clip.root[0])[[0, 2]])) for clip in (planted, free)]
    assert travel[1] > 0.5 * leg
    assert travel[0] == pytest.approx(travel[1], rel=0.01)
    assert away < SHARE + 1e-6
    assert np.abs(planted.rotations - free.rotations).max() > 1e-3  # something was planted
    accelerations = [np.square(np.diff(clip.positions(), 2, axis=0)).mean() ** 0.5 for clip in (planted, free)]
    assert accelerations[0] <= 1.15 * accelerations[1]
