"""Blender imports our USD stages and finds the joints, and the skin of a character, where they are."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.crowd import Group, Plan, crowd_make, read_shard
from freshtake.crowd.shards import clips_of
from freshtake.motion import Clip
from tests.clients.conftest import BLENDER, Imported, run_in_blender
from tests.formats.characters import skinned
from tests.formats.made_clips import made_clip, moving_layout, usual_layout

pytestmark = pytest.mark.client
UNIT = 0.05


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pxr")
    place = tmp_path_factory.mktemp("usd")
    ft.write(place / "usual.usda", made_clip(usual_layout()), unit_m=UNIT)
    ft.write(place / "six.usdc", made_clip(moving_layout()), unit_m=UNIT)
    source = skinned(bent=True, armature={"scale": [0.5] * 3}).save(place / "hero.glb")
    ft.write(place / "hero.usda", ft.read(source), character=source)
    ft.write(place / "takes.usda", takes(), unit_m=UNIT)
    return place


def takes() -> list[Clip]:
    """Several clips of different lengths, with the rounded frame time of a BVH file."""
    made = [made_clip(usual_layout(), seed=seed, frames=20 + 5 * seed) for seed in (1, 2, 3)]
    return [clip.changed(name=f"take_{k}", frame_time=0.0166667) for k, clip in enumerate(made)]


@pytest.fixture(scope="module")
def imported(blender: Callable[[Sequence[Path | str]], Imported], folder: Path) -> Imported:
    single = [path for path in sorted(folder.glob("*.usd*")) if path.stem != "takes"]
    return blender([*single, f"{folder / 'takes.usda'}@all"])


def test_every_take_reaches_blender_and_moves_the_character(imported: Imported) -> None:
    """Each take is an action; on the character's armature it places every joint correctly, including travel."""
    found = imported["takes.usda@all"]
    assert set(found["actions"]) == {clip.name for clip in takes()}
    first, *others = takes()
    for clip, theirs in [(first, found), *[(clip, found["others"][clip.name]) for clip in others]]:
        assert theirs["times"] == list(range(len(clip)))
        order = [found["names"].index(joint) for joint in clip.skeleton.names]
        ours = clip.positions() * UNIT
        size = np.ptp(ours, axis=(0, 1)).max()
        np.testing.assert_allclose(np.array(theirs["positions"])[:, order], ours, rtol=0, atol=1e-5 * size)


@pytest.mark.parametrize("name", ["usual.usda", "six.usdc", "hero.usda"])
def test_blender_finds_the_joints(imported: Imported, folder: Path, name: str) -> None:
    found = imported[name]
    layout = moving_layout() if name == "six.usdc" else usual_layout()
    clip, unit = (ft.read(folder / "hero.glb"), 1.0) if name == "hero.usda" else (made_clip(layout), UNIT)
    assert isinstance(clip, Clip)
    order = [found["names"].index(joint) for joint in clip.skeleton.names]
    ours = clip.positions() * unit
    size = np.ptp(ours, axis=(0, 1)).max()
    np.testing.assert_allclose(np.array(found["positions"])[:, order], ours, rtol=0, atol=1e-5 * size)


def test_blender_finds_the_skin(imported: Imported, folder: Path) -> None:
    mesh = ft.read(folder / "hero.glb", mesh=True)
    assert isinstance(mesh, ft.MeshSequence)
    shown = mesh.vertices[[0, len(mesh) // 2, len(mesh) - 1]]
    np.testing.assert_allclose(imported["hero.usda"]["vertices"], shown, rtol=0, atol=1e-5 * np.ptp(shown))


def test_a_crowd_moves_in_blenders_default_import(tmp_path: Path) -> None:
    """Joints of every character are where the archive has them, and the skin moves against its hips."""
    pytest.importorskip("pxr")
    if not BLENDER.is_file():
        pytest.skip("Blender's module is not installed: run make clients")
    rng = np.random.default_rng(3)
    takes = [ft.samples.walk(rng) for _ in range(4)]
    ft.save(tmp_path / "walk.ftm", ft.variation.learn(takes, rng=rng))
    plan = Plan((Group(tmp_path / "walk.ftm", size=(0.8, 1.2)),), 3, 0.4, shard_size=2)
    for kind in ("usd", "npz"):
        crowd_make(plan, tmp_path / kind, format=kind, workers=1)
    frames = (0, 10, 20)
    stage, out = tmp_path / "usd" / "crowd_blender.usda", tmp_path / "found.json"
    run_in_blender(BLENDER, "usd_crowd.py", stage, out, *map(str, frames))
    found = json.loads(out.read_text())
    shards = [read_shard(path) for path in sorted((tmp_path / "npz").glob("*.npz"))]
    clips = [clip for shard in shards for clip in clips_of(shard)]
    assert sorted(found) == ["character_000001", "character_000002", "character_000003"]
    for clip, name in zip(clips, sorted(found), strict=True):
        entry = found[name]
        order = [entry["names"].index(joint) for joint in clip.skeleton.names]
        theirs = np.array(entry["joints"])[:, order][..., [0, 2, 1]] * [1, 1, -1]  # from z up to y up
        np.testing.assert_allclose(theirs, clip.positions()[list(frames)], atol=1e-4)
        skin = np.array(entry["vertices"])
        assert np.ptp(skin - skin.mean(axis=1, keepdims=True), axis=0).max() > 0.1  # metres: limbs swing
