"""`freshtake style gaits` from the shell's side."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.motion import Clip
from tests.style.warping.known_warps import walk_clip

GAITS = ["style", "gaits"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gaits")
    cells = []
    for style in ("normal", "crouch"):
        for speed in (0.9, 1.7):
            path = folder / f"{style}_{speed}.bvh"
            ft.write(path, walk_clip(1, speed=speed, style=style, amount=0.3))
            cells.append(f"{style}@{speed}={path}")
    assert run([*GAITS, "learn", *cells, "-o", str(folder / "g.ftm")]) == 0
    return folder


def test_a_walk_between_the_speeds_travels_at_the_speed_asked_for(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "walk.bvh"
    arguments = ["--style", "normal=0.5,crouch=0.5", "--speed", "1.3", "--cycles", "3", "-o", str(out), "--json"]
    assert run([*GAITS, "sample", str(folder / "g.ftm"), *arguments]) == 0
    told = json.loads(capsys.readouterr().out)
    clip = ft.read(out)
    assert isinstance(clip, Clip) and len(clip) == told["frames"] and told["cycles"] == 3
    travelled = np.linalg.norm(clip.root[-1] - clip.root[0]) / ((len(clip) - 1) * clip.frame_time) / 100.0
    assert travelled == pytest.approx(1.3, rel=0.05)
    assert run(["info", str(folder / "g.ftm")]) == 0
    assert "normal, crouch" in capsys.readouterr().out


CASES = {
    "style": (["--style", "proud", "--speed", "1.3"], "not a style"),
    "weights": (["--style", "normal=0.4", "--speed", "1.3"], "sum to 1"),
    "no weight": (["--style", "normal=much", "--speed", "1.3"], "not a weight"),
    "speed": (["--style", "normal", "--speed", "fast"], "not a speed"),
    "far": (["--style", "normal", "--speed", "900"], "too far"),
    "nan": (["--style", "normal", "--speed", "nan"], "not a speed"),
    "cycles": (["--style", "normal", "--speed", "1", "--cycles", "0"], "cycles must be 1 or more"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_made_is_one_sentence(
    case: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, words = CASES[case]
    out = tmp_path / "bad.bvh"
    assert run([*GAITS, "sample", str(folder / "g.ftm"), *arguments, "-o", str(out)]) == 2
    assert words in capsys.readouterr().err
    assert not out.exists()


CELLS = {
    "no speed": (["normal={0}"], "STYLE@SPEED=CLIP"),
    "missing": (["normal@0.9={0}", "crouch@1.7={0}"], "is missing"),
    "twice": (["normal@0.9={0}", "normal@0.90={0}"], "given twice"),
    "one": (["normal@0.9={0}"], "second style or speed"),
}


@pytest.mark.parametrize("case", CELLS)
def test_what_cannot_be_learned_is_one_sentence(
    case: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells, words = CELLS[case]
    named = [cell.format(folder / "normal_0.9.bvh") for cell in cells]
    assert run([*GAITS, "learn", *named, "-o", str(tmp_path / "m.ftm")]) == 2
    assert words in capsys.readouterr().err.replace("\n", " ")
    assert not (tmp_path / "m.ftm").exists()
