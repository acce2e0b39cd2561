"""Crowd previews: everybody stands where the shards say, on pages and in pictures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from freshtake.cli.entry import run
from freshtake.crowd import Group, Placement, Plan, crowd_make, read_shard
from freshtake.crowd.previewing import crowd_scene
from freshtake.reports.viewport.crowd_picture import pose_of


@pytest.fixture(scope="module")
def folder(walk: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("preview")
    groups = (Group(walk, heading=(40.0, 90.0), phase=(0.0, 0.0)),)
    crowd_make(Plan(groups, 4, 0.5, placement=Placement(spacing=2.0)), place / "unique", workers=1)
    plan = Plan(groups, 30, 1.0, mode="library", variants=2, fps=30.0)
    crowd_make(plan, place / "library", workers=1)
    return place


def test_figures_walk_where_the_shards_have_them(folder: Path) -> None:
    scene, every = crowd_scene(folder / "unique")
    shard = read_shard(folder / "unique" / "shard_000001.npz")
    assert every == len(scene.placements) == len(scene.shapes) == 4
    for placed, root in zip(scene.placements, shard.roots, strict=True):
        frames = len(scene.shapes[placed.shape])
        for moment, frame in ((0.0, 0), ((frames - 1) / 30.0, 2 * (frames - 1))):
            hips = pose_of(scene, placed, moment)[0]
            np.testing.assert_allclose(hips[[0, 2]], root[frame, [0, 2]], atol=1e-4)


def test_loops_of_a_library_go_on_instead_of_jumping_back(folder: Path) -> None:
    scene, every = crowd_scene(folder / "library")
    assert every == 2 and len(scene.placements) == 30
    for shape in scene.shapes:
        steps = np.linalg.norm(np.diff(shape.points[:, 0], axis=0), axis=1)
        assert steps.max() < 3.0 * np.median(steps) and (len(shape) - 1) * shape.frame_time > 2.0


def test_a_page_and_a_picture_are_written(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, picture = tmp_path / "crowd.html", tmp_path / "crowd.png"
    words = ["crowd", "preview", str(folder / "library"), "-o", str(page), "--png", str(picture), "--json"]
    assert run(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["characters"] == 30 and told["motions"] == told["motions_of_the_crowd"] == 2
    assert picture.read_bytes().startswith(b"\x89PNG") and '"placements"' in page.read_text(encoding="utf-8")
    assert run(["crowd", "preview", str(folder / "library")]) == 2
    assert run(["crowd", "preview", str(tmp_path), "-o", str(tmp_path / "none.html")]) == 2
    assert "this is not the folder of a crowd" in capsys.readouterr().err
    (tmp_path / "crowd.json").write_text("{}", encoding="utf-8")
    assert run(["crowd", "preview", str(tmp_path), "-o", str(tmp_path / "none.html")]) == 2
    assert "finish the crowd with the command that began it" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["bvh", "zarr", "usd"])
def test_a_crowd_looks_the_same_in_every_format(walk: Path, folder: Path, tmp_path: Path, kind: str) -> None:
    pytest.importorskip({"bvh": "numpy", "zarr": "zarr", "usd": "pxr"}[kind])
    groups = (Group(walk, heading=(40.0, 90.0), phase=(0.0, 0.0)),)
    crowd_make(Plan(groups, 4, 0.5, placement=Placement(spacing=2.0)), tmp_path / kind, workers=1, format=kind)
    _look_alike(tmp_path / kind, folder / "unique")


@pytest.mark.parametrize("kind", ["glb", "fbx"])
def test_a_library_looks_the_same_in_every_format(walk: Path, folder: Path, tmp_path: Path, kind: str) -> None:
    groups = (Group(walk, heading=(40.0, 90.0), phase=(0.0, 0.0)),)
    plan = Plan(groups, 30, 1.0, mode="library", variants=2, fps=30.0)
    crowd_make(plan, tmp_path / kind, workers=1, format=kind)
    _look_alike(tmp_path / kind, folder / "library")


def _look_alike(folder: Path, other: Path) -> None:
    scene, expected = crowd_scene(folder)[0], crowd_scene(other)[0]
    assert len(scene.placements) == len(expected.placements) and len(scene.shapes) == len(expected.shapes)
    for placed, same in zip(scene.placements, expected.placements, strict=True):
        for moment in (0.0, 0.4):
            pose, known = pose_of(scene, placed, moment), pose_of(expected, same, moment)
            np.testing.assert_allclose(pose[0, [0, 2]], known[0, [0, 2]], atol=0.001)
            # The floor is below the lowest point, and BVH adds tips to hands and feet: compare heights to the hips.
            joints = min(len(pose), len(known))
            np.testing.assert_allclose(pose[:joints] - pose[0], known[:joints] - known[0], atol=0.001)
