"""`--method paper` and `freshtake paper figures` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from freshtake.cli.entry import run

QUICK = ["--method", "paper", "--prior-starts", "0", "--neighbors", "30", "--velocity-weight", "0.3"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("paper")
    assert run(["samples", "write", "letter_a", "walk", "-o", str(place)]) == 0
    for name, pattern in (("a", "letter_a_*.csv"), ("walk", "walk_*.bvh")):
        takes = [str(path) for path in sorted(place.glob(pattern))[:4]]
        assert run(["learn", *takes, "-o", str(place / f"{name}.ftm"), *QUICK]) == 0
    return place


def test_variants_are_written_in_the_format_of_the_takes(folder: Path, tmp_path: Path) -> None:
    for name, ending in (("a", ".csv"), ("walk", ".bvh")):
        out = tmp_path / name
        assert run(["vary", str(folder / f"{name}.ftm"), "-n", "3", "-o", str(out)]) == 0
        assert sorted(path.name for path in out.iterdir()) == [f"variant_00{k}{ending}" for k in (1, 2, 3)]


def test_the_same_seed_gives_the_same_variants_however_many(folder: Path, tmp_path: Path) -> None:
    for count in ("1", "2"):
        assert run(["vary", str(folder / "a.ftm"), "-n", count, "-o", str(tmp_path / count), "--seed", "4"]) == 0
    first = [(tmp_path / count / "variant_001.csv").read_bytes() for count in ("1", "2")]
    assert first[0] == first[1]
    assert first[0] != (tmp_path / "2" / "variant_002.csv").read_bytes()


def test_info_and_explain_show_both_networks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["info", str(folder / "walk.ftm")]) == 0
    said = capsys.readouterr().out
    assert "paper (Lau 2009)" in said and "prior kernel width" in said
    assert run(["explain", str(folder / "walk.ftm"), "--joint", "LeftLeg"]) == 0
    said = capsys.readouterr().out
    assert "LeftLeg.x" in said and "every DOF is predicted by" in said
    assert run(["explain", str(folder / "a.ftm"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert set(facts["transition"]) == {"x", "y"} and set(facts["prior"]) == {"x[0]", "x[1]", "y[0]", "y[1]"}
    assert {"x[t]", "x[t+1]"} <= set(facts["transition"]["x"])


def test_one_take_gets_the_structure_of_a_model(folder: Path, tmp_path: Path) -> None:
    take, model = str(folder / "letter_a_1.csv"), str(tmp_path / "one.ftm")
    assert run(["learn", take, "-o", model, "--structure", str(folder / "a.ftm")]) == 0
    assert run(["vary", model, "-n", "2", "-o", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["vary", "walk.ftm", "-o", "OUT", "--loop"], "--loop"),
        (["vary", "walk.ftm", "-o", "OUT", "--cycles", "2"], "--cycles"),
        (["vary", "walk.ftm", "-o", "OUT", "--seconds", "3"], "--seconds"),
        (["vary", "walk.ftm", "-o", "OUT", "--speed", "3"], "goals"),
        (["vary", "walk.ftm", "-o", "OUT", "--part", "arms=2"], "one amount"),
        (["vary", "walk.ftm", "-o", "OUT", "--amount", "-1"], "amount"),
        (["stream", "walk.ftm", "--frames", "9", "-o", "OUT.bvh"], "method paper"),
        (["explain", "walk.ftm", "--joint", "Tail"], "there is no 'Tail'"),
        (["explain", "walk.ftm", "-o", "OUT.html"], "leave --clip and --out out"),
        (["learn", "walk_1.bvh", "walk_2.bvh", "-o", "OUT.ftm", "--method", "paper", "--thorough"], "--thorough"),
        (["learn", "walk_1.bvh", "-o", "OUT.ftm", "--method", "paper"], "at least two"),
        (["paper", "figures", "-o", "OUT", "--only", "3"], "no figure 3"),
        (["paper", "figures", "-o", "OUT", "--data", "nowhere"], "this folder does not exist"),
    ],
)
def test_what_it_cannot_do_is_refused_in_one_sentence(
    command: list[str], sentence: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        str(folder / word) if word.endswith((".ftm", ".bvh")) and not word.startswith("OUT")
        else word.replace("OUT", str(tmp_path / "out"))
        for word in command
    ]  # fmt: skip
    capsys.readouterr()
    assert run(words) == 2
    said = capsys.readouterr().err.strip()
    assert sentence in said and "\n" not in said and "Traceback" not in said
    assert not list(tmp_path.iterdir())


def test_the_circles_of_figure_7_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FRESHTAKE_DATA", raising=False)
    assert run(["paper", "figures", "-o", str(tmp_path / "figures"), "--only", "7"]) == 0
    assert (tmp_path / "figures" / "figure_7.png").read_bytes().startswith(b"\x89PNG")
    assert len(list((tmp_path / "figures").iterdir())) == 1
