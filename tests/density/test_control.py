"""Synthesis follows the requested speed and direction: speed, turn rate, heading, path; and weights from a pad."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import freshtake as ft
from freshtake.density import Control
from freshtake.density.control import speed_of, turn_limit, weights_for
from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats
from tests.density.made import gaits, one_orbit


def gone(control: object, frames: int = 360) -> Floats:
    """Positions on the ground (frames, 2), world x and z."""
    clip = gaits().sample(np.random.default_rng(0), frames=frames, control=control)  # type: ignore[arg-type]
    return np.asarray(clip.root[:, [0, 2]])


def direction(places: Floats) -> float:
    x, z = places[-1] - places[0]
    return float(np.arctan2(x, z))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_a_speed_is_reached_by_blending(share: float) -> None:
    ends = [speed_of(gaits(), row) for row in np.eye(2)]
    target = ends[0] + share * (ends[1] - ends[0])
    places = gone(Control(speed=target))
    assert np.linalg.norm(np.diff(places, axis=0), axis=1).mean() * 30.0 == pytest.approx(target, rel=0.03)


def test_a_speed_that_no_blend_has_is_refused() -> None:
    with pytest.raises(UsageError, match="the classes travel at"):
        gone(Control(speed=1e4))
    with pytest.raises(UsageError, match="slower and a faster"):
        weights_for(one_orbit(), 1.0)
    with pytest.raises(UsageError, match="cannot be combined"):
        gaits().sample(np.random.default_rng(0), frames=9, weights="walk:1", control=Control(speed=200.0))


@pytest.mark.parametrize("turn", [-0.5, 0.3])
def test_a_turn_rate_is_kept(turn: float) -> None:
    steps = np.diff(gone(Control(turn=turn)), axis=0)
    trajectory = np.unwrap(np.arctan2(steps[:, 0], steps[:, 1]))
    rate = (trajectory[260:320].mean() - trajectory[80:140].mean()) / 6.0
    assert rate == pytest.approx(turn, abs=0.03)


@pytest.mark.parametrize("heading", [-2.0, 0.0, 1.2])
def test_a_heading_is_reached_and_kept(heading: float) -> None:
    assert direction(gone(Control(heading=heading))[180:]) == pytest.approx(heading, abs=np.radians(5.0))


def test_no_turn_is_faster_than_the_limit() -> None:
    steps = np.diff(gone(Control(turn=50.0), 120), axis=0)
    trajectory = np.unwrap(np.arctan2(steps[:, 0], steps[:, 1]))
    assert (trajectory[100] - trajectory[40]) / 2.0 == pytest.approx(turn_limit(gaits()), rel=0.1)


def test_a_path_is_followed() -> None:
    path = np.array([[0.0, 0.0], [0.0, 300.0], [300.0, 600.0], [300.0, 2000.0]])
    places = gone(Control(path=path))
    line = np.concatenate([a + (b - a) * np.linspace(0, 1, 300)[:, None] for a, b in itertools.pairwise(path)])
    apart = np.linalg.norm(places[:, None] - line[None], axis=2).min(axis=1)
    assert apart.max() < 60.0 and apart[240:].max() < 15.0  # corners are cut, straights are kept
    assert places[-1, 1] > 1000.0


def test_live_control_is_asked_for_every_frame_and_equals_the_sample() -> None:
    def control(frame: int) -> Control:
        return Control(speed=160.0 + frame / 2, heading=0.01 * frame)

    stream = gaits().stream(np.random.default_rng(0), decode=True, control=control)
    poses = list(itertools.islice(stream, 150))
    assert all(isinstance(pose, ft.Clip) for pose in poses)
    np.testing.assert_allclose(np.concatenate([pose.root for pose in poses])[:, [0, 2]], gone(control, 150), atol=1e-6)


def test_wrong_controls_are_refused() -> None:
    with pytest.raises(UsageError, match="one of them"):
        Control(turn=0.1, heading=0.0)
    with pytest.raises(UsageError, match="two points"):
        Control(path=[[0.0, 0.0]])
    with pytest.raises(UsageError, match="finite"):
        Control(speed=np.nan)
    with pytest.raises(UsageError, match="this model's do not"):
        one_orbit().sample(np.random.default_rng(0), frames=9, control=Control(heading=0.0))
