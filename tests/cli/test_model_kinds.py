"""Every command that takes a model says in one sentence if it gets one of another method, and which command to use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.formats.ftm.io import METHODS
from freshtake.style import bilinear
from freshtake.variation import paper
from tests.density.made import two_orbits
from tests.formats.made_clips import made_clip, usual_layout
from tests.style.pairs_of_clips import model as limp
from tests.style.warping.known_warps import walk_clip
from tests.texture.made import sheet

COMMANDS = {
    "vary {model} -n 1 -o {out}/v": "variation",
    "pack {model} -n 1 -o {out}/p": "variation",
    "stream {model} --frames 9 -o {out}/s.bvh": "variation",
    "crowd {model} -n 1 -o {out}/c": "variation",
    "explain {model}": "variation",
    "evaluate --inputs {clip} {clip} --outputs {clip} --model {model} -o {out}/e.html": "variation",
    "learn {clip} -o {out}/l.ftm --structure {model}": "variation",
    "blend sample {model} --frames 9 -o {out}/b.bvh": "density",
    "blend report {model} -o {out}/b.html": "density",
    "style apply {model} {clip} -o {out}/y.bvh": "style",
    "style gaits sample {model} --style normal --speed slow -o {out}/g.bvh": "gaits",
    "texture sample {model} --frames 9 -o {out}/t.npz": "texture",
}
TAKE_PAPER = ("vary", "explain", "learn")  # take models of both the default method and the paper's own


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kinds")
    clips = [made_clip(usual_layout(), frames=frames) for frames in (8, 9)]
    ft.save(folder / "variation.ftm", ft.variation.learn(clips, rng=np.random.default_rng(0), cyclic=False))
    ft.save(folder / "paper.ftm", paper.learn(clips, rng=np.random.default_rng(0), cyclic=False))
    ft.save(folder / "density.ftm", two_orbits())
    ft.save(folder / "style.ftm", limp())
    takes = {(s, v): walk_clip(1, speed=v, style=s, amount=0.3) for s in ("normal", "crouch") for v in (0.9, 1.7)}
    ft.save(folder / "gaits.ftm", bilinear.fit(takes))
    ft.save(folder / "texture.ftm", ft.texture.learn(sheet(60), ft.texture.Settings(components=2, candidates=2)))
    ft.write(folder / "clip.bvh", made_clip(usual_layout(), frames=12))
    return folder


@pytest.mark.parametrize("given", METHODS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_model_of_another_method_is_one_sentence(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, given: str
) -> None:
    needed = COMMANDS[command]
    if given == needed or (given == "paper" and command.split()[0] in TAKE_PAPER):
        return
    words = command.format(model=models / f"{given}.ftm", clip=models / "clip.bvh", out=tmp_path).split()
    assert run(words) == 2
    said = capsys.readouterr().err.strip()
    assert len(said.splitlines()) == 1 and f"{given}.ftm" in said
    assert f"a model of the method {given}, for freshtake {METHODS[given].uses};" in said
    assert f"freshtake {METHODS[needed].learns} writes" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["explain {model}", "blend report {model} -o {out}/b.html"])
def test_a_clip_is_no_model(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert run(command.format(model=models / "clip.bvh", out=tmp_path).split()) == 2
    assert "this is not a freshtake model: write one with freshtake" in capsys.readouterr().err


@pytest.mark.parametrize("method", METHODS)
def test_commands_that_are_named_exist(method: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (METHODS[method].learns, METHODS[method].uses):
        assert run([*words.split(), "--help"]) == 0
    capsys.readouterr()
