from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from tests.style.warping.known_warps import walk_clip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("pair")
    paths = folder / "normal.bvh", folder / "crouch.bvh"
    for path, clip in zip(paths, (walk_clip(1), walk_clip(2, style="crouch")), strict=True):
        ft.write(path, clip)
    return str(paths[0]), str(paths[1])


def test_a_plot_is_a_picture_or_a_page(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["align", *files, "--plot", "warp.txt"]) == 2
    assert "a picture's name ends in one of .png, .svg, .pdf, a page's in .html" in capsys.readouterr().err


def test_a_summary_for_machines(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["align", *files, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["path"][0] == 0.0
    assert len(told["path"]) == told["first"]["stop"] - told["first"]["start"]
    assert (np.diff(told["energy"]) <= 0.0).all()
    assert sum(told["differential"]) == pytest.approx(told["second"]["stop"] - told["second"]["start"])


def test_words_for_people(files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["align", *files, "-o", str(tmp_path / "out.bvh")]) == 0
    told = capsys.readouterr().out
    assert "aligned: " in told
    assert "rounds" in told
    assert str(tmp_path / "out.bvh") in told


def test_the_same_file_twice_is_noted(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["align", files[0], files[0]]) == 0
    assert "same motion" in capsys.readouterr().err


def test_bad_input_is_one_sentence(files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short = tmp_path / "short.bvh"
    ft.write(short, ft.motion.edit.take_frames(walk_clip(1), 0, 3))
    for arguments in (
        [files[0], str(short)],
        [files[0], files[1], "--method", "magic"],
        [files[0], files[1], "--slope", "1"],
        [files[0], str(tmp_path / "absent.bvh")],
        [files[0], files[1], "-o", str(tmp_path / "x.unknown")],
    ):
        assert run(["align", *arguments]) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.count("\n") == 1
        assert "Traceback" not in told.err
