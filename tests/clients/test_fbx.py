"""FBX files in other programs: Blender's two importers, three, assimp and ufbx find joints and skin."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.formats import fbx, gltf
from freshtake.formats.read_options import ReadOptions
from freshtake.motion import Clip
from tests.clients.conftest import BLENDER, CLIENTS, Imported
from tests.conftest import DATA
from tests.formats.characters import skinned
from tests.formats.made_clips import made_clip, moving_layout, odd_layout, usual_layout

pytestmark = pytest.mark.client
UNIT = 0.05
NODE = shutil.which("node")
IMPORTERS = ("", "@new")
CHARACTERS = ("Fox", "CesiumMan")


def clips() -> dict[str, list[Clip]]:
    """What goes into each file."""
    made = {
        "usual": [made_clip(usual_layout())],
        "odd": [made_clip(odd_layout())],
        "six": [made_clip(moving_layout())],
        "takes": [made_clip(usual_layout(), seed=seed).changed(name=f"take {seed}") for seed in (5, 6, 7)],
    }
    if DATA.is_dir():
        walk = ft.read(DATA / "walk/walk_1.bvh")
        assert isinstance(walk, Clip)
        made["walk"] = [walk]
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("fbx")
    for name, several in clips().items():
        ft.write(place / f"{name}.fbx", several, unit_m=UNIT)
    skinned(bent=True, armature={"scale": [0.5] * 3}).save(place / "hero.glb")
    for name in ("hero", *(CHARACTERS if DATA.is_dir() else ())):
        source = character(place, name)
        ft.write(place / f"{name}.fbx", gltf.read_animations(source, QUIET), character=source)
    return place


QUIET = ReadOptions(warn=lambda message: None)


def character(folder: Path, name: str) -> Path:
    return folder / "hero.glb" if name == "hero" else DATA / "mesh" / f"{name}.glb"


@pytest.fixture(scope="module")
def imported(blender: Callable[[Sequence[Path | str]], Imported], folder: Path) -> Imported:
    return blender([f"{path}{how}" for path in sorted(folder.glob("*.fbx")) for how in IMPORTERS])


@pytest.mark.parametrize("how", IMPORTERS, ids=["python", "c++"])
@pytest.mark.parametrize("name", ["usual", "odd", "six", "takes", "walk"])
def test_blender_finds_the_joints(imported: Imported, name: str, how: str) -> None:
    if name not in clips():
        pytest.skip("real motion data is absent: set FRESHTAKE_DATA to its folder")
    found, (clip, *others) = imported[f"{name}.fbx{how}"], clips()[name]
    assert_joints(found, clip, found["names"], UNIT)
    assert found["fps"] == pytest.approx(clip.fps, rel=1e-6)
    np.testing.assert_allclose(np.diff(found["times"]), 1.0, atol=2e-3)
    if how:
        assert set(found["actions"]) == {clip.name, *[other.name for other in others]}
        for other in others:
            assert_joints(found["others"][other.name], other, found["names"], UNIT)


@pytest.mark.parametrize("how", IMPORTERS, ids=["python", "c++"])
@pytest.mark.parametrize("name", ["hero", *CHARACTERS])
def test_blender_finds_the_skin(imported: Imported, folder: Path, name: str, how: str) -> None:
    if f"{name}.fbx" not in imported:
        pytest.skip("real motion data is absent: set FRESHTAKE_DATA to its folder")
    source, found = character(folder, name), imported[f"{name}.fbx{how}"]
    clip, mesh = gltf.read(source, QUIET), ft.read(source, mesh=True, warn=lambda message: None)
    assert isinstance(clip, Clip) and isinstance(mesh, ft.MeshSequence)
    assert_joints(found, clip, found["names"])
    shown = mesh.vertices[[0, len(mesh) // 2, len(mesh) - 1]]
    np.testing.assert_allclose(found["vertices"], shown, rtol=0, atol=1e-5 * np.ptp(shown))


@pytest.mark.skipif(
    NODE is None or not (CLIENTS / "node_modules" / "three").is_dir(), reason="node or three is absent: make clients"
)
def test_three_finds_every_take(folder: Path) -> None:
    names = ["usual", "odd", "six", "takes"]
    script = Path(__file__).with_name("load_fbx.mjs")
    command = [str(NODE), str(script), "30", *[str(folder / f"{name}.fbx") for name in names]]
    environment = {**os.environ, "FRESHTAKE_CLIENTS": str(CLIENTS)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for name in names:
        for clip in clips()[name]:
            entry = found[str(folder / f"{name}.fbx")]
            assert_joints({"positions": entry["takes"][clip.name]}, clip, entry["names"], UNIT)


ASSIMP = shutil.which("assimp")
SCIENCE = CLIENTS / "science" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
UFBX = sys.executable if find_spec("pufbx") else str(SCIENCE) if SCIENCE.is_file() else None
TAKEN = ["usual", "odd", "six", "takes", "walk"]


@pytest.mark.skipif(ASSIMP is None, reason="assimp is absent: install the package assimp-utils")
@pytest.mark.parametrize("name", TAKEN)
def test_assimp_finds_every_take(folder: Path, tmp_path: Path, name: str) -> None:
    """assimp skips what a lenient reader accepts; it keeps FBX's centimetres."""
    if name not in clips():
        pytest.skip("real motion data is absent: set FRESHTAKE_DATA to its folder")
    command = [str(ASSIMP), "export", str(folder / f"{name}.fbx"), str(tmp_path / "x.gltf")]
    subprocess.run(command, capture_output=True, timeout=120, check=True)
    found = {clip.name: clip for clip in gltf.read_animations(tmp_path / "x.gltf", QUIET)}
    assert list(found) == [clip.name for clip in clips()[name]]
    for clip in clips()[name]:
        theirs = found[clip.name]
        assert_joints({"positions": theirs.positions() / 100}, clip, list(theirs.skeleton.names), UNIT)
        assert theirs.fps == pytest.approx(clip.fps, rel=1e-5)


@pytest.mark.skipif(ASSIMP is None, reason="assimp is absent: install the package assimp-utils")
def test_assimp_finds_the_skin(folder: Path) -> None:
    command = [str(ASSIMP), "info", str(folder / "hero.fbx")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    facts = dict(line.split(":", 1) for line in done.stdout.splitlines() if ":" in line)
    assert int(facts["Animations"]) >= 1 and int(facts["Bones"]) >= 2 and int(facts["Vertices"]) >= 3


@pytest.mark.skipif(UFBX is None, reason="pufbx is absent: run make clients")
def test_ufbx_finds_every_take(folder: Path, tmp_path: Path) -> None:
    names = [name for name in TAKEN if name in clips()]
    out, script = tmp_path / "out.json", Path(__file__).with_name("pufbx_read.py")
    for fps in {clips()[name][0].fps for name in names}:
        files = [folder / f"{name}.fbx" for name in names if clips()[name][0].fps == fps]
        command = [str(UFBX), str(script), str(out), repr(fps), *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        found = json.loads(out.read_text())
        for path in files:
            for clip in clips()[path.stem]:
                take = found[str(path)]["takes"][clip.name]
                listed = list(take)
                assert_joints({"positions": np.stack([take[n] for n in listed], axis=1)}, clip, listed, UNIT)


def assert_joints(found: dict[str, Any], clip: Clip, listed: list[str], unit: float = 1.0) -> None:
    theirs = np.array(found["positions"])[:, [listed.index(name) for name in clip.skeleton.names]]
    ours = clip.positions() * unit
    assert theirs.shape == ours.shape
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-5 * np.ptp(ours, axis=(0, 1)).max())


@pytest.mark.skipif(not BLENDER.is_file(), reason="Blender's module is not installed: run make clients")
def test_what_blender_exports_is_read(tmp_path: Path) -> None:
    clip = made_clip(usual_layout())
    ft.write(tmp_path / "x.bvh", clip)
    out, script = tmp_path / "out.json", Path(__file__).with_name("blender_export.py")
    command = [str(BLENDER), str(script), str(out), str(tmp_path / "x.bvh"), str(tmp_path / "x.fbx"), str(len(clip))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert out.is_file(), done.stderr[-2000:]
    theirs = json.loads(out.read_text())
    found = fbx.read(tmp_path / "x.fbx", QUIET)
    assert found.up == "y" and found.unit_m is not None
    ours = found.positions()[:, [found.skeleton.index(name) for name in theirs["names"]]] * found.unit_m
    wanted = np.array(theirs["places"])[..., [0, 2, 1]] * [1, 1, -1]  # from z up to y up
    np.testing.assert_allclose(ours, wanted, rtol=0, atol=1e-5 * np.ptp(wanted))


def reexported(source: Path, target: Path, fps: int) -> Path:
    script = Path(__file__).with_name("blender_reexport.py")
    command = [str(BLENDER), str(script), str(source), str(target), str(fps)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert target.is_file(), done.stderr[-2000:]
    return target


@pytest.mark.skipif(not BLENDER.is_file(), reason="Blender's module is not installed: run make clients")
@pytest.mark.parametrize("frame_time", [0.033333, 0.0333333, 1 / 30])
def test_blender_keeps_every_frame_of_a_rounded_rate(tmp_path: Path, frame_time: float) -> None:
    """A last key a hair before its frame is cut off when Blender exports the file again."""
    clip = made_clip(usual_layout(), frames=32).changed(frame_time=frame_time)
    ft.write(tmp_path / "x.fbx", clip, unit_m=UNIT)
    found = ft.read(reexported(tmp_path / "x.fbx", tmp_path / "y.fbx", 30), warn=lambda note: None)
    assert len(found) == 32 and found.fps == pytest.approx(30.0)  # type: ignore[union-attr]


@pytest.mark.skipif(not BLENDER.is_file(), reason="Blender's module is not installed: run make clients")
@pytest.mark.parametrize("name", ["hero", "CesiumMan"])
def test_the_skin_of_what_blender_exports_is_read(
    folder: Path, tmp_path: Path, name: str, blender: Callable[[Sequence[Path | str]], Imported]
) -> None:
    """Our vertices among those of Blender's importer, which also shows the balls that its glTF importer draws."""
    source = character(folder, name)
    if not source.is_file():
        pytest.skip("real motion data is absent: set FRESHTAKE_DATA to its folder")
    path = reexported(source, tmp_path / "x.fbx", 30)
    ours, theirs = ft.read(path, mesh=True, warn=lambda note: None), blender([path])["x.fbx"]["vertices"]
    assert isinstance(ours, ft.MeshSequence)
    for first, last in zip(ours.vertices[[0, len(ours) // 2, len(ours) - 1]], np.array(theirs), strict=True):
        apart = np.linalg.norm(first[:, None] - last[None], axis=-1)
        assert apart.min(axis=1).max() < 1e-5 * np.ptp(first)
