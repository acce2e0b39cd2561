"""Real takes: every option there and back, no jumps, the same DOFs over all clips of a kind."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import freshtake
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke, features
from freshtake.motion.edit import moved, turned
from tests.conftest import DATA, data_files, label
from tests.motion.features.features_help import ANGLES, OPTIONS, ROOTS, again, apart

GROUPS = ["walk/walk_*.bvh", "swim/swim_*.bvh", "throw/*.bvh", "okwechime/bvh/*walk.bvh"]
SINGLE = data_files("cyclic/*0s.bvh") + data_files("cyclic/*2s.bvh") + data_files("quality/*.bvh")
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="real motion data is absent")


@cache
def clip(path: Path) -> Clip:
    motion = freshtake.read(path)
    assert isinstance(motion, Clip)
    return motion


@needs_data
@pytest.mark.parametrize(("angles", "root"), OPTIONS)
@pytest.mark.parametrize("group", GROUPS)
def test_groups_of_takes_there_and_back(group: str, angles: str, root: str) -> None:
    clips = [clip(path) for path in data_files(group)]
    recipe = features.recipe(clips, angles=angles, root=root, scale="std")
    for one in clips:
        assert apart(again(recipe, one, scaled=True), one) < 1e-9


@pytest.mark.parametrize(("angles", "root"), OPTIONS)
@pytest.mark.parametrize("path", SINGLE, ids=label)
def test_single_takes_there_and_back(path: Path, angles: str, root: str) -> None:
    take = clip(path)
    recipe = features.recipe([take], angles=angles, root=root, scale="none")
    assert apart(again(recipe, take), take) < 1e-9


@pytest.mark.parametrize("angles", ["euler", "expmap"])
@pytest.mark.parametrize("path", [p for p in SINGLE if "wrap_thumb" not in p.name], ids=label)
def test_angles_of_real_takes_do_not_jump(path: Path, angles: str) -> None:
    recipe = features.recipe([clip(path)], angles=angles, scale="none")
    column = [k for k, unit in enumerate(recipe.units) if unit == "angle"]
    values = features.encode(recipe, clip(path)).values[:, column]
    assert np.abs(np.diff(values, axis=0)).max() < 1.6  # the T-pose before a CMU take is the largest


@needs_data
@pytest.mark.parametrize("angles", ["euler", "expmap"])
def test_takes_of_one_kind_lie_on_one_branch(angles: str) -> None:
    for group in GROUPS[:3]:
        clips = [clip(path) for path in data_files(group)]
        recipe = features.recipe(clips, angles=angles)
        column = [k for k, unit in enumerate(recipe.units) if unit == "angle"]
        means = np.stack([features.encode(recipe, one).values[:, column].mean(axis=0) for one in clips])
        assert np.ptp(means, axis=0).max() < 1.5


@needs_data
@pytest.mark.parametrize("angles", ANGLES)
def test_where_a_take_was_recorded_does_not_matter(angles: str) -> None:
    walk, swim = clip(data_files("cyclic/walk_turns*.bvh")[0]), clip(data_files("cyclic/swim*.bvh")[0])
    for take in (walk, swim):
        recipe = features.recipe([take], angles=angles, scale="none")
        there = features.encode(recipe, moved(turned(take, 2.0), np.array([30.0, 0.0, -40.0])))
        np.testing.assert_allclose(there.values, features.encode(recipe, take).values, atol=1e-8)


@needs_data
def test_a_walk_goes_forward_and_a_swimmer_keeps_its_heading() -> None:
    walks = [clip(path) for path in data_files("walk/walk_*.bvh")]
    recipe = features.recipe(walks)
    rows = features.encode(recipe, walks[0])
    column = dict(zip(rows.names, rows.values.T, strict=True))
    assert column["Hips.forward"].mean() > 10 * abs(column["Hips.sideways"].mean())
    swims = [clip(path) for path in data_files("swim/swim_*.bvh")]
    recipe = features.recipe(swims)
    swing = [k for k, name in enumerate(recipe.names) if "swing" in name]
    for swim in swims:
        rows = features.encode(recipe, swim)
        assert np.abs(rows.values[:, swing]).max() < 0.6  # though the pelvis lies flat
        assert np.abs(np.cumsum(rows.values[:, 2]) * recipe.frame_time).max() < 0.6


@needs_data
def test_cmu_clips_have_the_dofs_that_move() -> None:
    recipe = features.recipe([clip(path) for path in data_files("walk/walk_*.bvh")])
    assert len(recipe.names) == 74
    assert not any(name.startswith("LHipJoint") for name in recipe.names)
    assert recipe.names[6:9] == ("LeftUpLeg.z", "LeftUpLeg.y", "LeftUpLeg.x")


@needs_data
@pytest.mark.parametrize(("angles", "root"), OPTIONS)
def test_acclaim_takes_there_and_back(angles: str, root: str) -> None:
    skeleton = data_files("asfamc/walk/*.asf")[0]
    clips = []
    for path in data_files("asfamc/walk/*.amc")[:4]:
        motion = freshtake.read(path, skeleton=skeleton, fps=60.0)
        assert isinstance(motion, Clip)
        clips.append(motion)
    recipe = features.recipe(clips, angles=angles, root=root)
    for one in clips:
        assert apart(again(recipe, one), one) < 1e-9
    if (angles, root) == ("euler", "absolute"):
        assert len(recipe.names) == 56  # the 62 of the AMC less the 6 that never change
        rows = features.encode(recipe, clips[0])
        body = clips[0].skeleton
        columns = [(name, c) for name, own in zip(body.names, body.channels, strict=True) for c in own]
        layout = [f"{name}.{c if c[0] == 't' else c[1]}" for name, c in columns]
        assert clips[0].channels is not None
        file = dict(zip(layout, clips[0].channels.T, strict=True))
        for name, values in zip(rows.names, rows.values.T, strict=True):
            wanted = file[name] if ".t" in name else np.radians(file[name])
            shift = wanted - values
            np.testing.assert_allclose(shift, shift[0], atol=1e-9, err_msg=name)


@needs_data
@pytest.mark.parametrize("root", ROOTS)
def test_points_meshes_and_strokes_there_and_back(root: str) -> None:
    table = np.load(next(p for p in data_files("mesh/*.npz")))
    sequence = MeshSequence(table["vertices"][:20], table["faces"], 1.0 / float(table["fps"]))
    recipe = features.recipe([sequence], root=root)
    back = features.decode(recipe, features.encode(recipe, sequence))
    assert isinstance(back, MeshSequence)
    np.testing.assert_allclose(back.vertices, sequence.vertices, rtol=1e-6, atol=1e-6)
    walk = clip(data_files("okwechime/bvh/*walk.bvh")[0])
    points = PointClip(walk.skeleton.names, walk.positions(), walk.frame_time)
    recipe = features.recipe([points], root=root)
    again_points = features.decode(recipe, features.encode(recipe, points))
    assert isinstance(again_points, PointClip)
    assert np.abs(again_points.positions - points.positions).max() < 1e-9
    for pattern in ("handwriting/kast/a_*.csv", "handwriting/omniglot/Greek_character02/*.csv"):
        read = [freshtake.read(path, warn=lambda _: None) for path in data_files(pattern)[:4]]
        strokes = [motion for motion in read if isinstance(motion, Stroke)]
        assert len(strokes) == 4
        written = features.recipe(strokes)
        for stroke in strokes:
            same = features.decode(written, features.encode(written, stroke))
            assert isinstance(same, Stroke)
            assert np.abs(same.points - stroke.points).max() < 1e-9
            assert np.abs(same.times - stroke.times).max() < 1e-9
