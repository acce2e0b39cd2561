"""Every command that makes motion refuses what the verdict calls red, writes nothing, and continues when told to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.crowd import characters
from freshtake.motion import Clip
from freshtake.motion.verdict import RED, Remark, Verdict
from freshtake.numeric.rotations import about_axis, multiply
from freshtake.variation.goals.guidance import Guided
from freshtake.workflows import pack_clips


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("verdicts")
    for k in range(2):
        ft.write(place / f"walk_{k}.bvh", ft.samples.walk(np.random.default_rng(k), cycles=3.0))
        ft.write(place / f"limp_{k}.bvh", ft.samples.walk(np.random.default_rng(k), cycles=3.0, style="limp"))
    walks, limps = ([str(place / f"{name}_{k}.bvh") for k in range(2)] for name in ("walk", "limp"))
    assert run(["texture", "learn", walks[0], "-o", str(place / "texture.ftm")]) == 0
    assert run(["style", "learn", "--source", *walks, "--target", *limps, "-o", str(place / "style.ftm")]) == 0
    assert run(["blend", "learn", f"walk={walks[0]}", f"limp={limps[0]}", "-o", str(place / "blend.ftm")]) == 0
    return place


@pytest.mark.parametrize(
    "command",
    [
        ["texture", "sample", "texture.ftm", "--frames", "60"],
        ["style", "apply", "style.ftm", "walk_0.bvh"],
        ["blend", "sample", "blend.ftm", "--weights", "walk:1", "--frames", "60"],
        ["retarget", "walk_0.bvh", "--onto", "limp_1.bvh"],
        ["loop", "walk_0.bvh"],
    ],
    ids=lambda command: command[0],
)
def test_red_is_refused(
    command: list[str],
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    out = tmp_path / "out.bvh"
    assert run([*command, "-o", str(out)]) == 0
    out.unlink()
    remark = Remark("bend", RED, "LeftLeg bends 90° the wrong way", 7, "try another --seed")
    monkeypatch.setattr("freshtake.motion.verdict.assess", lambda *_, name, **__: Verdict(name, (remark,)))
    capsys.readouterr()
    assert run([*command, "-o", str(out)]) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert ", frame 7: LeftLeg bends 90° the wrong way" in said and "--keep-going" in said
    assert list(tmp_path.iterdir()) == []
    assert run([*command, "-o", str(out), "--keep-going"]) == 0
    assert out.is_file() and "LeftLeg bends 90° the wrong way" in capsys.readouterr().err


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walks") / "walk.ftm"
    takes = [ft.samples.walk(np.random.default_rng(k), cycles=1) for k in range(3)]
    ft.save(path, ft.variation.learn(takes, rng=np.random.default_rng(0), cyclic=True))
    return path


def knee_backwards(made: Guided) -> Guided:
    clip: Clip = made.motion
    rotations, knee = clip.rotations.copy(), clip.skeleton.index("LeftLeg")
    rotations[:, knee] = multiply(rotations[:, knee], about_axis(np.array([1.0, 0.0, 0.0]), np.radians(-150.0)))
    return made._replace(motion=clip.changed(rotations=rotations, playback=clip.playback))


@pytest.mark.parametrize("mode", ["unique", "library"])
def test_a_crowd_with_an_impossible_character_is_refused(
    mode: str, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, drawn = tmp_path / "crowd", characters._draw
    command = ["crowd", str(model), "-n", "3", "--seconds", "1", "--workers", "1", "--mode", mode, "-o", str(folder)]
    command += ["--variants", "2"] if mode == "library" else []
    monkeypatch.setattr(
        characters, "_draw", lambda a, b, c, asked: knee_backwards(drawn(a, b, c, asked)) if asked.number == 2
        else drawn(a, b, c, asked),
    )  # fmt: skip
    assert run(command) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert "walk, motion 2, frame " in said and "LeftLeg bends" in said and "--keep-going" in said
    assert not (folder / "manifest.json").exists()
    assert run([*command, "--keep-going"]) == 0
    assert "1 motion fails the body checks" in capsys.readouterr().err
    assert '"red": 1' in (folder / "manifest.json").read_text()


def test_a_pack_with_an_impossible_clip_is_refused(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["pack", str(model), "-n", "2", "--format", "bvh", "--no-preview", "-o", str(tmp_path / "pack")]
    assert run(command) == 0
    assert "checked 2 clips" in capsys.readouterr().out
    drawn = pack_clips.GroupMaker._drawn
    monkeypatch.setattr(pack_clips.GroupMaker, "_drawn", lambda *given: knee_backwards(drawn(*given)))
    assert run([*command, "--force"]) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert said.startswith("freshtake: walk_001, frame ") and "LeftLeg bends" in said
    assert run([*command, "--force", "--keep-going"]) == 0
    assert "LeftLeg bends" in capsys.readouterr().err
