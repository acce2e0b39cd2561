"""Facing by the hips, whatever the root's rest pose; the forward feature is really forward."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import freshtake
from freshtake.motion import Clip, Skeleton, features
from freshtake.motion.body.orientation import across, facing
from freshtake.motion.edit import turned, with_up
from freshtake.numeric.rotations import about_axis, inverse, multiply, rotate
from freshtake.samples.walking import walk
from tests.conftest import data_files, label


@pytest.fixture(scope="module")
def walking() -> Clip:
    return walk(np.random.default_rng(1), cycles=2)


def sideways_root(clip: Clip, angle: float) -> Clip:
    """The same motion on a rig whose root rests turned about the vertical."""
    turn = about_axis([0.0, 1.0, 0.0], angle)
    children = clip.skeleton.children(0)
    rotations, offsets = clip.rotations.copy(), clip.skeleton.offsets.copy()
    rotations[:, 0] = multiply(rotations[:, 0], turn)
    rotations[:, children] = multiply(inverse(turn), rotations[:, children])
    offsets[children] = rotate(inverse(turn), offsets[children])
    return clip.changed(skeleton=replace(clip.skeleton, offsets=offsets), rotations=rotations)


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("angle", [0.0, 0.7, -2.0])
def test_facing_follows_a_turn(walking: Clip, angle: float, up: str) -> None:
    clip = with_up(walking, up)
    before, after = facing(clip), facing(turned(clip, angle))
    assert before is not None
    assert after is not None
    assert np.abs(np.angle(np.exp(1j * (after - before - angle)))).max() < 1e-9
    assert abs(float(np.mean(before))) < 0.1


def test_forward_is_forward_on_a_rig_that_rests_sideways(walking: Clip) -> None:
    odd = sideways_root(walking, np.pi / 2)
    assert np.abs(odd.positions() - walking.positions()).max() < 1e-9
    for clip in (walking, odd):
        recipe = features.recipe([clip])
        speed = dict(zip(recipe.names, features.encode(recipe, clip).values.mean(axis=0), strict=True))
        assert speed["Hips.forward"] > 100.0
        assert abs(speed["Hips.sideways"]) < 12.0


@pytest.mark.parametrize("up", ["y", "z"])
def test_toes_tell_where_names_have_no_sides(walking: Clip, up: str) -> None:
    names = tuple(
        f"{k}_{name.replace('Left', '').replace('Right', '')}" for k, name in enumerate(walking.skeleton.names)
    )
    names = tuple(name.replace("_L", "_").replace("_R", "_") for name in names)
    clip = with_up(walking, up).changed(skeleton=replace(walking.skeleton, names=names))
    found = facing(clip)
    assert across(clip.skeleton) is None and found is not None and abs(float(np.mean(found))) < 0.2


def test_names_without_sides_do_not_tell() -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.eye(3)[:2])
    assert across(skeleton) is None
    assert facing(Clip(skeleton, 0.1, np.zeros((2, 3)), np.tile([1.0, 0, 0, 0], (2, 2, 1)))) is None


@pytest.mark.parametrize(
    "path", data_files("okwechime/bvh/*walk.bvh") + data_files("okwechime/bvh/*run.bvh"), ids=label
)
def test_real_rigs(path: Path) -> None:
    clip = freshtake.read(path)
    assert isinstance(clip, Clip)
    recipe = features.recipe([clip])
    speed = dict(zip(recipe.names, features.encode(recipe, clip).values.mean(axis=0), strict=True))
    assert speed["Hips.forward"] > 5.0 * abs(speed["Hips.sideways"])
