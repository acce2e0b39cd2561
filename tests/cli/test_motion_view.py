"""`freshtake view`: pages, strips and moving pictures of files and models, and refusals of other files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run


@pytest.fixture(scope="module")
def takes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("takes")
    for seed in range(2):
        ft.write(folder / f"walk_{seed}.bvh", ft.samples.walk(np.random.default_rng(seed)))
    ft.write(folder / "letter.csv", ft.samples.letter_a(np.random.default_rng(0)))
    return folder


def test_files_folders_and_patterns(takes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "new" / "page.html"
    pattern = str(takes / "walk_*.bvh")
    assert run(["view", str(takes), "--variants", pattern, "-o", str(page), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["written"] == [str(page)] and told["opened"] is False
    assert [(shown["name"], shown["role"]) for shown in told["shown"]] == [
        ("letter", "input"), ("walk_0", "input"), ("walk_1", "input"), ("walk_0", "variant"), ("walk_1", "variant"),
    ]  # fmt: skip
    assert page.read_text().startswith("<!doctype html>")


def test_strips_and_moving_pictures_need_no_browser(takes: Path, tmp_path: Path) -> None:
    from PIL import Image

    png, gif = tmp_path / "strip.png", tmp_path / "moving.gif"
    assert run(["view", str(takes / "walk_0.bvh"), "--png", str(png), "--gif", str(gif)]) == 0
    with Image.open(png) as still, Image.open(gif) as moving:
        assert still.size == (1200, 150) and moving.n_frames > 10
    assert sorted(path.name for path in tmp_path.iterdir()) == ["moving.gif", "strip.png"]


def test_variants_of_a_model_by_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    letters = [ft.samples.letter_a(np.random.default_rng(seed)) for seed in range(4)]
    ft.save(tmp_path / "a.ftm", ft.variation.learn(letters, rng=np.random.default_rng(0)))
    pages = []
    for seed in ("1", "1", "2"):
        page = tmp_path / f"{len(pages)}.html"
        assert run(["view", str(tmp_path / "a.ftm"), "-n", "3", "--seed", seed, "-o", str(page), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert [(shown["name"], shown["role"]) for shown in told["shown"]] == [(f"a_{k}", "variant") for k in (1, 2, 3)]
        pages.append(page.read_bytes())
    assert pages[0] == pages[1] != pages[2]


def test_without_a_target_a_browser_opens(takes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import webbrowser

    asked: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: asked.append(url) or True)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert run(["view", str(takes / "walk_0.bvh")]) == 0
    assert len(asked) == 1 and asked[0].startswith("file://") and asked[0].endswith("view.html")
    assert len(list(tmp_path.glob("freshtake-*/view.html"))) == 1


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["missing.bvh", "-o", "a.html"], "there is no such file"),
        (["{walk}", "-o", "a.txt"], "must end in .html"),
        (["{walk}", "--png", "a.gif"], "must end in .png"),
        (["{walk}", "--gif", "a.png"], "must end in .gif"),
        (["{walk}", "-n", "0", "-o", "a.html"], "count must lie"),
        (["{walk}", "--layout", "heap", "-o", "a.html"], "heap"),
        (["empty/", "-o", "a.html"], "empty"),
    ],
)
def test_refusals(
    arguments: list[str], says: str, takes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    assert run(["view", *[word.format(walk=takes / "walk_0.bvh") for word in arguments]]) == 2
    said = capsys.readouterr().err
    assert says in said and len(said.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]
