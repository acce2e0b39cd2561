"""Packs for engines: straight ahead from the origin, loops, events and scripts, in engine formats."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.formats import fbx, gltf
from freshtake.formats.fbx.objects import Properties, Scene
from freshtake.formats.fbx.records import parse
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.report_files import pack_schema
from freshtake.motion import Clip
from freshtake.motion.edit import turned
from freshtake.motion.planting.contacts import contact_mask
from freshtake.numeric.rotations import angle_between
from freshtake.requests import Pack
from freshtake.workflows import pack as run
from freshtake.workflows.pack_clips import ENGINES, aim_of, aimed, engine_loop
from tests.workflows.json_schema import faults

QUIET = ReadOptions(warn=lambda message: None)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A walk that goes a few degrees off its facing, as recorded takes do, and a cheer in place."""
    place = tmp_path_factory.mktemp("models")
    out = []
    for name in ("walk", "cheer"):
        takes = [getattr(ft.samples, name)(np.random.default_rng(seed)) for seed in range(4)]
        if name == "walk":
            takes = [sheared(take, 0.05) for take in takes]
        out.append(str(place / f"{name}.ftm"))
        ft.save(out[-1], ft.variation.learn(takes, rng=np.random.default_rng(0)))
    return out


def sheared(clip: Clip, share: float) -> Clip:
    """The same body, drifting to its left by a fraction of its forward travel."""
    root = clip.root.copy()
    root[:, 0] += share * root[:, 2]
    return clip.changed(root=root)


@pytest.fixture(scope="module", params=ENGINES)
def pack(request: pytest.FixtureRequest, models: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp(request.param) / "pack"
    run(Pack(models=models, out=place, count=3, engine=request.param, preview=False, unit=0.01))
    return place


def listed(pack: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((pack / "engine.json").read_text())
    return found


def clips(pack: Path, group: str) -> list[Clip]:
    (path,) = [path for path in pack.iterdir() if path.name in (f"{group}.glb", f"{group}.fbx")]
    return (fbx if path.suffix == ".fbx" else gltf).read_animations(path, QUIET)


def test_the_root_starts_at_the_origin_and_goes_straight_ahead(pack: Path) -> None:
    travel = {entry["name"]: entry["travel"] for entry in listed(pack)["animations"]}
    for clip in clips(pack, "walk"):
        assert clip.skeleton.names[0] == listed(pack)["root_joint"] == "Root"
        assert clip.unit_m is not None
        root = clip.root * clip.unit_m
        np.testing.assert_allclose(root[0], 0.0, atol=1e-6)
        np.testing.assert_allclose(root[:, :2], 0.0, atol=1e-6)  # metres: neither sideways nor up
        np.testing.assert_allclose(np.diff(root[:, 2]), travel[clip.name] / (len(clip) - 1), rtol=1e-3)
        np.testing.assert_allclose(angle_between(clip.rotations[:, 0], np.array([1.0, 0, 0, 0])), 0.0, atol=1e-6)


def test_any_clip_still_follows_any_other(pack: Path) -> None:
    for group in ("walk", "cheer"):
        ends = [clip.rotations[k] for clip in clips(pack, group) for k in (0, -1)]
        assert max(float(angle_between(ends[0], other).max()) for other in ends) < 2e-3  # single precision
    facts = json.loads((pack / "pack.json").read_text())
    assert faults(facts, pack_schema()) == []
    assert all(group["changes"]["step"] <= 1.0 for group in facts["groups"])


def test_files_say_what_repeats_and_when_feet_touch_down(pack: Path) -> None:
    for group, repeats in (("walk", True), ("cheer", False)):
        for clip in clips(pack, group):
            (entry,) = [one for one in listed(pack)["animations"] if one["name"] == clip.name]
            assert entry["loop"] is repeats and clip.playback is not None
            events = [(event["seconds"], event["name"]) for event in entry["events"]]
            assert list(clip.playback.events) == events == sorted(events)
            if repeats:
                assert sorted(name for _, name in events) == [
                    "LeftFoot_down", "LeftFoot_up", "RightFoot_down", "RightFoot_up"
                ]  # fmt: skip
                frame = round(next(time for time, name in events if name == "LeftFoot_down") * clip.fps)
                ankle = clip.positions()[:, clip.skeleton.index("LeftFoot")]
                speed = np.linalg.norm(np.diff(ankle, axis=0), axis=1)
                assert speed[min(frame + 3, len(speed) - 1)] < 0.3 * speed.max()
    assert [point["state"] for point in listed(pack)["blend_space"]] == ["walk"]


def test_scripts_come_with_the_pack(pack: Path) -> None:
    engine = ENGINES[listed(pack)["engine"]]
    for target, _ in engine.scripts:
        text = (pack / target).read_text()
        assert "engine.json" in text or target == "freshtake_events.gd"
        if target.endswith(".py"):
            ast.parse(text)
        if target.endswith(".cs"):
            assert text.count("{") == text.count("}") and text.count("(") == text.count(")")
    assert "@" not in "".join(path.read_text() for path in pack.glob("*.import"))
    assert "tested" in (pack / "IMPORT.txt").read_text() or listed(pack)["engine"] == "gltf"


def test_fbx_has_the_same_as_a_user_property(models: list[str], tmp_path: Path) -> None:
    run(Pack(models=models[:1], out=tmp_path / "pack", count=2, engine="unity", preview=False, unit=0.01))
    path = tmp_path / "pack" / "walk.fbx"
    scene = Scene(path, parse(path, path.read_bytes()))
    (root,) = [n for n in scene.of_kind("Model") if scene.name(n) == "Root"]
    noted = json.loads(Properties(scene.objects[root]).text("freshtake"))
    assert {name: len(entry["events"]) for name, entry in noted.items()} == {"walk_001": 4, "walk_002": 4}


@pytest.mark.parametrize("degrees", [-170.0, -93.0, -4.0, 3.0, 92.0, 178.0])
def test_back_and_sideways_stay_what_they_are(degrees: float) -> None:
    """A body that walks backwards is not turned to face where it goes: its travel is brought to the nearest axis."""
    loop = travelling(degrees)
    aim = aim_of(loop)
    assert aim is not None
    assert np.degrees(aim) == pytest.approx(90.0 * round(degrees / 90.0))
    straight = aimed(loop, aim)
    assert straight.playback is not None
    np.testing.assert_allclose(straight.root[-1] - straight.root[0], straight.playback.travel * 9 / 10, atol=1e-9)


def test_diagonals_and_bodies_that_stay_are_left_alone() -> None:
    assert aim_of(travelling(40.0)) == pytest.approx(np.radians(40.0))
    still = travelling(3.0, distance=0.1)
    assert aim_of(still) is None and aimed(still, 0.0) is still


@pytest.mark.parametrize("where", ["hips", "joint", "none"])
def test_feet_stay_where_they_stand(where: str) -> None:
    """Aiming rotates a clip as a whole and moves the root: joints keep their relative positions."""
    loop = travelling(4.0)
    made = engine_loop(aimed(loop, 0.0), where, False, aimed(loop, 0.0))
    hips = made.positions()[:, 1 if where == "joint" else 0]
    way = hips - hips[0]
    expected = np.zeros(3) if where == "none" else np.array([0.0, 0.0, 90.0])
    np.testing.assert_allclose(way[-1], expected, atol=1e-9)
    np.testing.assert_array_equal(contact_mask(loop), contact_mask(turned(loop, 0.2)))


def travelling(degrees: float, distance: float = 100.0) -> Clip:
    """A standing sample body, pushed along the ground as a loop of ten frames."""
    clip = ft.samples.cheer(np.random.default_rng(0), amount=0.0)
    angle = np.radians(degrees)
    travel = distance * np.array([np.sin(angle), 0.0, np.cos(angle)])
    root = np.repeat(clip.root[:1], 10, axis=0) + travel * np.arange(10)[:, None] / 10
    from freshtake.motion.clip import Playback

    info = Playback(travel, 10 * clip.frame_time, loop=True)
    return clip.changed(root=root, rotations=np.repeat(clip.rotations[:1], 10, axis=0)).changed(playback=info)
