"""Godot imports an engine pack unmodified: loops, root motion straight ahead from the origin, and foot events."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run

pytestmark = pytest.mark.client
GODOT = shutil.which("godot3-server") or shutil.which("godot3-headless")
PROJECT = 'config_version=4\n\n[application]\n\nconfig/name="check"\n'


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Godot project with a pack of walks and cheers, imported by the editor."""
    if GODOT is None:
        pytest.skip("Godot 3 without a window is absent: install the package godot3-server")
    place = tmp_path_factory.mktemp("godot")
    models = []
    for name, make in (("walk", ft.samples.walk), ("cheer", ft.samples.cheer)):
        takes = [make(np.random.default_rng(seed)) for seed in range(4)]
        models.append(str(place / f"{name}.ftm"))
        ft.save(models[-1], ft.variation.learn(takes, rng=np.random.default_rng(0)))
    words = ["-n", "3", "--engine", "godot", "--unit", "cm", "--quiet", "-o", str(place / "pack")]
    assert run(["pack", *models, *words]) == 0
    (place / "project.godot").write_text(PROJECT)
    shutil.copy(Path(__file__).with_name("godot_check.gd"), place / "check.gd")
    imported(place)
    return place


def imported(place: Path) -> None:
    """Let the editor import; this version does not exit on its own, so it is killed when all scenes are there."""
    log = place / "editor.log"
    with log.open("wb") as stream:
        editor = subprocess.Popen(
            [str(GODOT), "--path", str(place), "--editor", "--quit"], stdout=stream, stderr=subprocess.STDOUT
        )
        try:
            until = time.monotonic() + 120.0
            while len(list(place.glob(".import/*.glb-*.md5"))) < 2 and time.monotonic() < until:
                if editor.poll() is not None:
                    break
                time.sleep(0.2)
        finally:
            editor.kill()
            editor.wait()
    said = log.read_text(errors="replace")
    assert "SCRIPT ERROR" not in said and len(list(place.glob(".import/*.scn"))) == 2, said[:3000]


@pytest.fixture(scope="module")
def found(project: Path) -> dict[str, Any]:
    environment = {**os.environ, "FRESHTAKE_SCENES": "walk,cheer"}
    done = subprocess.run(
        [str(GODOT), "--path", str(project), "-s", "check.gd"], capture_output=True, text=True, timeout=120,
        check=False, env=environment,
    )  # fmt: skip
    lines = [line.removeprefix("FOUND ") for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    assert len(lines) == 2 and "SCRIPT ERROR" not in done.stdout + done.stderr, (
        done.stdout[-2000:] + done.stderr[-2000:]
    )
    return {entry["scene"]: entry for entry in map(json.loads, lines)}


def facts(project: Path) -> dict[str, Any]:
    listed = json.loads((project / "pack" / "engine.json").read_text())["animations"]
    return {entry["name"]: entry for entry in listed}


def test_loops_repeat_and_actions_do_not(found: dict[str, Any], project: Path) -> None:
    for scene, repeats in (("walk", True), ("cheer", False)):
        animations = found[scene]["animations"]
        assert len(animations) == 3
        for name, theirs in animations.items():
            assert theirs["loop"] is repeats and name.endswith("-loop") is repeats
            assert theirs["length"] == pytest.approx(facts(project)[name]["seconds"], abs=1e-5)
            assert theirs["keys"] == round(60 * theirs["length"]) + 1  # Godot's default of 15 per second is overridden


def test_root_motion_goes_straight_ahead_from_the_origin(found: dict[str, Any], project: Path) -> None:
    for name, theirs in found["walk"]["animations"].items():
        assert found["walk"]["root_motion_track"].endswith(":root")
        np.testing.assert_allclose(theirs["start"], 0.0, atol=1e-6)
        np.testing.assert_allclose(theirs["way"], [0.0, 0.0, 2 * facts(project)[name]["travel"]], atol=1e-4)
        assert theirs["sideways"] < 1e-5
    assert found["walk"]["space"] == 1  # a point of the blend space: its speed


def test_feet_are_heard(found: dict[str, Any], project: Path) -> None:
    for name, theirs in found["walk"]["animations"].items():
        wanted = [event["name"] for event in facts(project)[name]["events"]]
        assert theirs["heard"] == wanted and theirs["events"] == len(wanted) == 4
        assert sorted(wanted) == ["LeftFoot_down", "LeftFoot_up", "RightFoot_down", "RightFoot_up"]
