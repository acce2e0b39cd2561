"""Paths on the ground: followed as closely at 24 frames per second as at 120."""

from __future__ import annotations

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion.features import Start
from freshtake.numeric.arrays import Floats
from freshtake.variation.steering import Steering, Travel, followed, from_the_first_point, travel_of, turn_column
from freshtake.workflows.outputs import followed_by, path_sentence

METRE = 100.0  # the samples are in centimetres
LINE = METRE * np.array([[0.0, 0.0], [0.0, 30.0]])
ANGLES = np.linspace(0.0, 2.0 * np.pi, 73)
CIRCLE = 5.0 * METRE * np.stack([1.0 - np.cos(ANGLES), np.sin(ANGLES)], axis=1)
CIRCLE[-1] = CIRCLE[0]


@pytest.fixture(scope="module", params=[24.0, 30.0, 120.0])
def model(request: pytest.FixtureRequest) -> ft.variation.VariationModel:
    walks = [ft.samples.walk(np.random.default_rng(k), fps=request.param) for k in range(4)]
    return ft.variation.learn(walks, rng=np.random.default_rng(7))


def walked(model: ft.variation.VariationModel, path: Floats, seconds: float, seed: int) -> ft.Clip:
    recipe = model.material.recipe
    assert recipe is not None
    steer, start = from_the_first_point(Steering(path=path), recipe, travel_of(recipe, model.material.values))
    made = model.draw(np.random.default_rng(seed), frames=round(seconds / model.frame_time), steer=steer)
    clip = model.decode(made.rows, start=start)
    assert isinstance(clip, ft.Clip) and isinstance(start, Start)
    return clip


@pytest.mark.parametrize(("path", "most"), [(LINE, 25.0), (CIRCLE, 40.0)], ids=["line", "circle"])
def test_paths_are_followed_at_every_rate(model: ft.variation.VariationModel, path: Floats, most: float) -> None:
    for seed in range(2):
        way = followed_by(path, walked(model, path, 25.0, seed))
        assert way is not None
        assert way.most_off < most and way.along > 15.0 * METRE


def test_steering_leaves_the_sway_of_the_hips(model: ft.variation.VariationModel) -> None:
    """Corrections are slow compared with the rotation of the hips in every stride."""
    turn = turn_column(model.material.recipe)
    free, straight = (
        model.draw(np.random.default_rng(3), frames=round(20.0 / model.frame_time), steer=steer).rows[:, turn]
        for steer in (None, Steering())
    )
    assert straight.std() == pytest.approx(free.std(), rel=0.1)


def test_offsets_are_printed_without_exponents() -> None:
    clip = ft.samples.walk(np.random.default_rng(0), cycles=4.0)
    places = clip.root[:, [0, 2]]
    way = followed(
        Steering(path=LINE + np.array([190.0, 0.0])),
        travel=Travel(130.0, 0.0),
        places=places,
        frame_time=clip.frame_time,
    )
    sentence = path_sentence([way], clip)
    assert "e+" not in sentence and "at most" in sentence
