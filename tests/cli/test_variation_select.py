"""`freshtake select` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.motion.edit import resample, take_frames


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Letters: eight "a" by one writer, one "2", a coarser one; and walks, which cannot be compared."""
    place = tmp_path_factory.mktemp("selecting")
    for k in range(8):
        ft.write(place / f"a_{k}.csv", ft.samples.letter_a(np.random.default_rng([3, k])))
    ft.write(place / "two.csv", ft.samples.digit_2(np.random.default_rng([3, 9])))
    walk = ft.samples.walk(np.random.default_rng(1), cycles=1)
    ft.write(place / "walk.bvh", walk)
    ft.write(place / "coarse.bvh", resample(walk, 30.0))
    ft.write(place / "stump.bvh", take_frames(walk, 0, 4))
    (place / "broken.bvh").write_text("HIERARCHY\nROOT")
    return place


TRUSTED = ["--trusted", *[f"a_{k}.csv" for k in range(6)]]


def test_json_holds_kept_and_rejected_and_nothing_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    given = ["a_6.csv", "two.csv", "walk.bvh"]
    assert run(["select", *given, *TRUSTED, "--json", "--picture", "why.png"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"kept", "rejected"}
    assert all(set(one) == {"clip", "reason"} and one["reason"] for one in found["rejected"])
    rejected = {one["clip"]: one["reason"] for one in found["rejected"]}
    assert {*found["kept"], *rejected} == set(given)
    assert "this is a clip, but the trusted ones are strokes" in rejected["walk.bvh"]
    assert rejected["two.csv"].startswith("it ")
    assert (folder / "why.png").read_bytes()[:4] == b"\x89PNG"


def test_lines_say_how_far_off_and_why(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert run(["select", "a_0.csv", "two.csv", *TRUSTED]) == 0
    said = capsys.readouterr().out
    lines = said.splitlines()
    assert lines[0].startswith("kept") and lines[0].endswith("a_0.csv")
    assert lines[1].startswith("rejected  < 0.1 %") and "two.csv: it " in lines[1]
    assert "1 of 2 kept" in lines[2] and "at least 5.0 %" in lines[2]


def test_lines_say_likelihood_threshold_and_reason(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert run(["select", "a_0.csv", "two.csv", *TRUSTED, "--likelihood"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("kept") and lines[0].endswith("a_0.csv")
    assert lines[1].startswith("rejected") and "below" in lines[1] and "least likely" in lines[1]
    assert "1 of 2 kept" in lines[2] and "log-likelihood" in lines[2]


def test_among_themselves(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(folder)
    assert run(["select", "a_6.csv", "a_7.csv", "a_5.csv", "a_4.csv", "two.csv", *TRUSTED, "--among", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "two.csv" not in found["kept"] and len(found["kept"]) >= 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([*TRUSTED], "is missing"),
        (["a_6.csv"], "name clips that are known to be good"),
        (["a_6.csv", "--trusted", "a_0.csv", "a_1.csv"], "2 trusted clips cannot show"),
        (["missing.csv", *TRUSTED], "there is no such file"),
        (["broken.bvh", *TRUSTED], "broken.bvh"),
        (["a_6.csv", "--trusted", "a_0.csv", "a_1.csv", "walk.bvh"], "is not comparable with the first trusted clip"),
        (["a_6.csv", *TRUSTED, "--picture", "why.txt"], "a picture's name ends in one of"),
        (["a_6.csv", *TRUSTED, "--among"], "at least 3 comparable ones, not 1"),
        (["a_6.csv", *TRUSTED, "--seed", "-1"], "seed must lie"),
    ],
)
def test_bad_input_is_one_sentence(
    folder: Path, arguments: list[str], says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert run(["select", *arguments]) == 2
    printed = capsys.readouterr()
    assert says in printed.err and len(printed.err.splitlines()) == 1 and printed.out == ""
