"""Conversion writes what it was given, or says why not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake
from freshtake.cli.entry import run
from freshtake.formats.gltf import read_animations
from freshtake.motion import Clip, MeshSequence, PointClip, Skeleton
from freshtake.motion.edit import sampled_at


@pytest.fixture
def walks(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "one.bvh", tmp_path / "two.bvh"]
    for seed, path in enumerate(paths):
        freshtake.write(path, freshtake.samples.walk(np.random.default_rng(seed), frames=10 + seed))
    return paths


def test_several_clips_all_reach_the_file_and_the_message(
    walks: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "both.glb"
    assert run(["convert", *map(str, walks), str(target), "--unit", "0.01"]) == 0
    said = capsys.readouterr().out
    assert "'one'" in said and "'two'" in said
    assert [(clip.name, len(clip)) for clip in read_animations(target)] == [("one", 10), ("two", 11)]


def test_what_is_no_clip_is_refused_beside_clips_not_dropped(
    walks: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    points, target = tmp_path / "points.csv", tmp_path / "both.glb"
    assert run(["convert", str(walks[1]), str(points)]) == 0
    for sources in ([walks[0], points], [points, walks[0]], [points, points]):
        assert run(["convert", *map(str, sources), str(target), "--unit", "0.01"]) == 2
        assert "points.csv: this is a point clip" in capsys.readouterr().err
        assert not target.exists()


def test_errors_in_a_new_folder_name_the_file_that_was_asked_for(
    walks: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "pieces"
    assert run(["cut", str(walks[0]), "-o", str(folder), "--range", "0:5", "--format", "obj"]) == 2
    said = capsys.readouterr().err
    assert f"{folder / 'one_001.obj'}: " in said and ".tmp" not in said
    assert not folder.exists()
    assert run(["cut", str(walks[0]), "-o", str(walks[1]), "--range", "0:5"]) == 2
    assert "there is a file of this name" in capsys.readouterr().err


def test_numbers_that_overflow_are_null_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "far.bvh"
    channels = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    hierarchy = f"HIERARCHY\nROOT A\n{{\nOFFSET 0 0 0\n{channels}\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\n"
    path.write_text(hierarchy + "MOTION\nFrames: 2\nFrame Time: 0.01\n1e308 0 0 0 0 0\n-1e308 0 0 0 0 0\n")
    assert run(["info", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"][0]["travel"] is None


def converted(source: Path, target: Path, *options: str) -> object:
    assert run(["convert", str(source), str(target), *options]) == 0
    return freshtake.read(target)


def test_up_turns_the_motion(walks: list[Path], tmp_path: Path) -> None:
    before = freshtake.read(walks[0])
    after = converted(walks[0], tmp_path / "z.npz", "--to-up", "z")
    assert isinstance(before, Clip) and isinstance(after, Clip)
    assert after.up == "z"
    np.testing.assert_allclose(after.positions(), before.positions()[..., [0, 2, 1]] * [1, -1, 1], atol=1e-9)


def test_repairs_happen_only_when_asked_for(walks: list[Path], tmp_path: Path) -> None:
    clip = freshtake.read(walks[0])
    assert isinstance(clip, Clip)
    frozen = sampled_at(clip, np.array([0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 5, 6, 7.0]))
    path = tmp_path / "frozen.bvh"
    freshtake.write(path, frozen)
    assert len(converted(path, tmp_path / "same.bvh")) == 16  # type: ignore[arg-type]
    shorter = converted(path, tmp_path / "shorter.bvh", "--repair", "drop-frozen")
    assert isinstance(shorter, Clip)
    np.testing.assert_allclose(shorter.positions(), clip.positions()[:8], atol=1e-6)


def test_other_rates_of_points_and_meshes_lie_between_the_frames(tmp_path: Path) -> None:
    places = np.arange(5.0)[:, None, None] * np.ones((1, 3, 3)) + np.eye(3)
    freshtake.write(tmp_path / "p.csv", PointClip(("a", "b", "c"), places, 0.1))
    points = converted(tmp_path / "p.csv", tmp_path / "p20.csv", "--fps", "20")
    assert isinstance(points, PointClip) and len(points) == 9
    np.testing.assert_allclose(points.positions[:, 1, 1], 1.0 + np.arange(9) / 2, atol=1e-9)
    freshtake.write(tmp_path / "m.npz", MeshSequence(places, np.array([[0, 1, 2]]), 0.1))
    mesh = converted(tmp_path / "m.npz", tmp_path / "m20.npz", "--fps", "20", "--start", "0.1s")
    assert isinstance(mesh, MeshSequence)
    np.testing.assert_allclose(mesh.vertices[:, 0, 2], 1.0 + np.arange(7) / 2, atol=1e-6)


def test_a_character_is_baked_or_animated_when_asked_for(walks: list[Path], tmp_path: Path) -> None:
    figure = tmp_path / "figure.glb"
    assert run(["convert", str(walks[0]), str(figure), "--unit", "0.01"]) == 0
    mesh = converted(figure, tmp_path / "mesh.npz", "--mesh")
    assert isinstance(mesh, MeshSequence) and len(mesh) == 10
    animated = tmp_path / "animated.glb"
    assert run(["convert", str(walks[1]), str(animated), "--unit", "0.01", "--character", str(figure)]) == 0
    assert len(freshtake.read(animated)) == 11
    spine = tmp_path / "spine.bvh"
    skeleton = Skeleton(("Other", "Names"), np.array([-1, 0]), np.array([[0.0, 0, 0], [0, 1, 0]]))
    freshtake.write(spine, Clip(skeleton, 0.1, np.zeros((1, 3)), np.array([[[1.0, 0, 0, 0]] * 2])))
    for sources in ([spine], [spine, spine]):
        given = [*map(str, sources), str(tmp_path / "no.glb")]
        assert run(["convert", *given, "--unit", "1", "--character", str(figure)]) == 2


def test_a_file_that_cannot_be_read_leaves_nothing_behind(walks: list[Path], tmp_path: Path) -> None:
    (tmp_path / "three.bvh").write_text("HIERARCHY nothing")
    out = tmp_path / "out"
    assert run(["convert", *map(str, walks), str(tmp_path / "three.bvh"), "-o", str(out), "--format", "npz"]) == 2
    assert not out.exists() or not list(out.iterdir())
    assert run(["convert", *map(str, walks), "-o", str(out), "--format", "npz"]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["one.npz", "two.npz"]
