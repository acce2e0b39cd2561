"""The Khronos glTF validator accepts our files without errors or warnings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freshtake.formats import gltf
from freshtake.formats.read_options import ReadOptions, WriteOptions
from freshtake.motion import Clip, Skeleton
from freshtake.motion.cycles.looping import with_root_motion
from freshtake.motion.edit import moved, resample, with_up
from tests.formats.characters import skinned
from tests.formats.gltf.scenes import Scene, rig, turns
from tests.formats.gltf.test_vrma import moving
from tests.formats.made_clips import made_clip, moving_layout, usual_layout

CLIENTS = Path(os.environ.get("FRESHTAKE_CLIENTS", Path(__file__).resolve().parents[2] / ".clients"))
NODE = shutil.which("node")

pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(
        NODE is None or not (CLIENTS / "node_modules" / "gltf-validator").is_dir(),
        reason="node or the glTF validator is absent: install node and run make clients",
    ),
]


def validated(*paths: Path) -> list[dict[str, Any]]:
    """The validator's report on each file."""
    assert NODE is not None
    script = Path(__file__).with_name("validate_gltf.mjs")
    command = [NODE, str(script), *map(str, paths)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env={**os.environ, "FRESHTAKE_CLIENTS": str(CLIENTS)}
    )
    assert done.returncode == 0, done.stderr
    reports: dict[str, dict[str, Any]] = json.loads(done.stdout)
    assert list(reports) == [str(path) for path in paths]
    return list(reports.values())


def troubles(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Errors (severity 0) and warnings (severity 1), and where they are."""
    assert report["errors"] + report["warnings"] == sum(entry["severity"] < 2 for entry in report["messages"])
    return [(entry["code"], entry.get("pointer", "")) for entry in report["messages"] if entry["severity"] < 2]


def one_joint() -> Clip:
    still = np.tile([1.0, 0.0, 0.0, 0.0], (1, 1, 1))
    return Clip(Skeleton(("only",), np.array([-1]), np.zeros((1, 3))), 0.1, np.zeros((1, 3)), still)


def many_joints() -> Clip:
    """More than 256 joints, so joint numbers take two bytes."""
    names = tuple(f"j{k}" for k in range(300))
    rng = np.random.default_rng(1)
    skeleton = Skeleton(names, np.arange(300) - 1, rng.normal(size=(300, 3)) * 0.02)
    return Clip(skeleton, 1 / 30, rng.normal(size=(3, 3)), turns(rng, 3, 300))


def test_figures_are_valid(tmp_path: Path) -> None:
    usual, moving = made_clip(usual_layout()), made_clip(moving_layout())
    made = {
        "usual.glb": usual,
        "usual.gltf": usual,
        "moving.glb": moving,
        "upright.glb": with_up(usual, "z"),
        "one.glb": one_joint(),
        "many.glb": many_joints(),
        "several.glb": [usual, usual.changed(name='Ünicode / "quoted"'), moved(usual, np.ones(3))],
    }
    for name, motion in made.items():
        gltf.write(tmp_path / name, motion, WriteOptions(unit_m=0.01))
    for name, report in zip(made, validated(*[tmp_path / name for name in made]), strict=True):
        assert troubles(report) == [], name


def test_our_own_scenes_and_what_is_written_onto_them_are_valid(tmp_path: Path) -> None:
    scene = rig(np.random.default_rng(3), armature={"scale": [2.0, 2.0, 2.0]})
    scene.json["nodes"][1] = {"children": [2, 5], "matrix": np.eye(4).ravel().tolist(), "name": "hips"}
    clip = gltf.read(scene.save(tmp_path / "source.glb"), ReadOptions())
    assert isinstance(clip, Clip)
    gltf.write(tmp_path / "new.gltf", moved(clip, np.ones(3)), WriteOptions(character=tmp_path / "source.glb"))
    assert [troubles(report) for report in validated(tmp_path / "new.gltf")] == [[]]


def test_root_joints_and_vrm_animations_are_valid(tmp_path: Path) -> None:
    source = skinned(bent=True, armature={"scale": [0.5] * 3}).save(tmp_path / "hero.glb")
    clip = gltf.read(source, ReadOptions())
    assert isinstance(clip, Clip)
    gltf.write(tmp_path / "root.glb", with_root_motion(clip, "joint"), WriteOptions(character=source))
    gltf.write(tmp_path / "human.vrma", moving("mixamo"), WriteOptions())
    before, rooted, human = [
        troubles(report) for report in validated(source, tmp_path / "root.glb", tmp_path / "human.vrma")
    ]
    assert set(rooted) <= set(before) and human == []  # bounds that the source lacks


@pytest.mark.parametrize("name", ["Fox", "CesiumMan"])
def test_real_characters_stay_as_valid_as_they_were(data: Path, tmp_path: Path, name: str) -> None:
    source = data / "mesh" / f"{name}.glb"
    clips = gltf.read_animations(source, ReadOptions(warn=lambda message: None))
    changed = [resample(clip, 30.0) for clip in clips]
    paths = [tmp_path / "new.glb", tmp_path / "new.gltf"]
    for path in paths:
        gltf.write(path, changed, WriteOptions(character=source))
    gltf.write(tmp_path / "figure.glb", clips, WriteOptions())
    before, *after, figure = [troubles(report) for report in validated(source, *paths, tmp_path / "figure.glb")]
    assert after == [before, before] and figure == []
    assert name != "Fox" or before == []


def test_the_validator_finds_what_is_wrong(tmp_path: Path) -> None:
    gltf.write(tmp_path / "good.gltf", made_clip(usual_layout()), WriteOptions(unit_m=0.01))
    document = json.loads((tmp_path / "good.gltf").read_text())
    document["accessors"][0]["max"][1] += 1.0
    document["nodes"][3]["rotation"] = [1.0, 1.0, 0.0, 0.0]
    (tmp_path / "bad.gltf").write_text(json.dumps(document))
    (tmp_path / "cut.glb").write_bytes(Scene(nodes=[{}]).glb()[:-4])
    bad, cut = validated(tmp_path / "bad.gltf", tmp_path / "cut.glb")
    assert {code for code, _ in troubles(bad)} == {"ACCESSOR_MAX_MISMATCH", "ROTATION_NON_UNIT"}
    assert troubles(cut)
