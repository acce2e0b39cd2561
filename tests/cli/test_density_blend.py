from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run as command
from tests.density.made import run, walk


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blend")
    ft.write(folder / "walk.bvh", walk())
    ft.write(folder / "run.bvh", run())
    assert command(["blend", "learn", f"walk={folder}/walk.bvh", f"run={folder}/run.bvh", "-o", f"{folder}/g.ftm"]) == 0
    return folder


def test_sample_writes_exactly_the_frames(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = files / "blend.bvh"
    asked = ["blend", "sample", f"{files}/g.ftm", "--weights", "walk:1->run:1", "--frames", "150", "-o", str(out)]
    assert command([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["frames"] == 150
    first = ft.read(out)
    assert len(first) == 150 and first.skeleton.names == walk().skeleton.names
    assert command([*asked, "--force"]) == 0
    np.testing.assert_array_equal(ft.read(out).root, first.root)
    assert command([*asked, "--seed", "1", "--force"]) == 0
    assert not np.array_equal(ft.read(out).root, first.root)


def test_feet_are_planted_unless_told_not_to(files: Path) -> None:
    made = []
    for words in ([], ["--no-plant"]):
        out = files / "feet.bvh"
        asked = ["blend", "sample", f"{files}/g.ftm", "--weights", "walk:1->run:1", "--frames", "90", "-o", str(out)]
        assert command([*asked, *words]) == 0
        made.append(ft.read(out))
        out.unlink()
    model = ft.load(files / "g.ftm")
    for clip, plant in zip(made, (True, False), strict=True):
        again = model.sample(np.random.default_rng(0), frames=90, weights="walk:1->run:1", plant=plant)
        np.testing.assert_allclose(clip.root, again.root, atol=1e-3)
    assert np.abs(made[0].rotations - made[1].rotations).max() > 1e-2


def test_a_way_and_a_speed_are_followed(files: Path) -> None:
    (files / "way.csv").write_text("x,z\n0,0\n0,200\n400,200\n2000,200\n")
    asked = ["blend", "sample", f"{files}/g.ftm", "--frames", "300", "-o", f"{files}/way.bvh", "--speed", "200"]
    assert command([*asked, "--path", f"{files}/way.csv"]) == 0
    root = ft.read(files / "way.bvh").root
    assert np.abs(root[150:, 2] - 200.0).max() < 20.0 and root[-1, 0] > 1200.0
    assert command([*asked, "--force", "--weights", "walk:1"]) != 0
    assert command([*asked, "--turn", "10", "--heading", "0"]) != 0


def test_classes_that_switch_are_told(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    takes = [f"walk={files}/walk.bvh", f"run={files}/run.bvh"]
    assert command(["blend", "learn", *takes, "-o", f"{files}/a.ftm", "--acyclic", "run"]) == 0
    assert "run does not repeat" in " ".join(capsys.readouterr().err.split())
    asked = ["blend", "sample", f"{files}/a.ftm", "--frames", "60", "-o", f"{files}/a.bvh", "--no-plant"]
    assert command([*asked, "--weights", "walk:1->run:1"]) == 0
    assert "run does not repeat" in " ".join(capsys.readouterr().err.split())
    assert command([*asked, "--force", "--weights", "walk:1"]) == 0
    assert "go round" not in capsys.readouterr().err


def test_info_tells_about_the_model(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["info", f"{files}/g.ftm", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["files"][0]
    assert facts["classes"] == ["walk", "run"] and facts["energy"] >= 0.95
    assert set(facts["error_cm"]) == {"walk", "run"}


def test_report_has_the_papers_figures(files: Path) -> None:
    assert command(["blend", "report", f"{files}/g.ftm", "-o", f"{files}/report"]) == 0
    page = (files / "report" / "report.html").read_text()
    for figure in range(1, 7):
        assert f"fig. {figure}" in page
    figures = json.loads((files / "report" / "figures.json").read_text())
    assert figures["holding"]["walk"]["stalls"] == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["learn", "walk={}/walk.bvh", "-o", "{}/x.ftm"], "needs two classes"),
        (["learn", "{}/walk.bvh", "-o", "{}/x.ftm"], "names no class: write NAME=CLIP"),
        (["learn", "walk={}/none.bvh", "run={}/run.bvh", "-o", "{}/x.ftm"], "there is no such file"),
        (["learn", "walk={}/walk.bvh", "run={}/run.bvh", "-o", "{}/x.txt"], "a model's name ends in .ftm"),
        (["sample", "{}/g.ftm", "--frames", "9", "--weights", "hop:1", "-o", "{}/x.bvh"], "there is no class 'hop'"),
        (["sample", "{}/g.ftm", "--frames", "9", "--weights", "run:0.4", "-o", "{}/x.bvh"], "must sum to 1"),
        (["sample", "{}/g.ftm", "--frames", "0", "-o", "{}/x.bvh"], "number of frames"),
        (["sample", "{}/walk.bvh", "--frames", "9", "-o", "{}/x.bvh"], "walk.bvh"),
    ],
)
def test_refusals(files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str) -> None:
    before = sorted(path.name for path in files.iterdir())
    assert command(["blend", *[part.format(files) for part in arguments]]) == 2
    said = capsys.readouterr().err.strip()
    assert sentence in said and len(said.splitlines()) == 1
    assert sorted(path.name for path in files.iterdir()) == before


def test_one_class_alone_can_be_synthesized(files: Path) -> None:
    assert command(["blend", "learn", f"walk={files}/walk.bvh", "--alone", "-o", f"{files}/one.ftm"]) == 0
    assert command(["blend", "sample", f"{files}/one.ftm", "--frames", "60", "-o", f"{files}/one.bvh"]) == 0
    assert len(ft.read(files / "one.bvh")) == 60
