"""Every command that makes motion refuses what the verdict calls red, writes nothing, and goes on when told to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.motion.verdict import RED, Remark, Verdict


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
    monkeypatch.setattr("freshtake.motion.verdict.judge", lambda *_, name, **__: Verdict(name, (remark,)))
    capsys.readouterr()
    assert run([*command, "-o", str(out)]) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert ", frame 7: LeftLeg bends 90° the wrong way" in said and "--keep-going" in said
    assert list(tmp_path.iterdir()) == []
    assert run([*command, "-o", str(out), "--keep-going"]) == 0
    assert out.is_file() and "LeftLeg bends 90° the wrong way" in capsys.readouterr().err
