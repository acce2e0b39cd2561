"""`freshtake explain` as a user meets it, and networks in the report of `evaluate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from freshtake.cli.entry import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("explaining")
    assert run(["samples", "write", "letter_a", "walk", "-o", str(place)]) == 0
    for name, pattern in (("a", "letter_a_*.csv"), ("walk", "walk_*.bvh")):
        takes = [str(path) for path in sorted(place.glob(pattern))]
        assert run(["learn", *takes, "-o", str(place / f"{name}.ftm")]) == 0
    return place


def test_a_joint_as_a_table_and_a_page(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "leg.html"
    clip = str(folder / "walk_1.bvh")
    assert run(["explain", str(folder / "walk.ftm"), "--joint", "LeftLeg", "--clip", clip, "-o", str(page)]) == 0
    said = capsys.readouterr().out
    assert "LeftLeg.x" in said and "own past" in said and "nats per frame and DOF" in said
    assert f"wrote {page}" in said
    html = page.read_text()
    assert "What varies together with LeftLeg" in html and html.count("<img") == 2
    assert "predict" not in said + html


def test_an_overview_as_json_and_as_a_folder(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", str(folder / "a.ftm"), "--json", "-o", str(tmp_path / "out")]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["model"]["dofs"] == 2 and facts["dofs"] == ["x", "y"] and facts["clip"] is None
    own = [edge for edge in facts["parents"] if edge["own"]]
    assert len(own) == 2 and all(edge["strength"] is None for edge in own)
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {
        "report.html",
        "figures.json",
        "network_transition.png",
    }
    assert run(["explain", str(folder / "walk.ftm")]) == 0
    assert "summed strength" in capsys.readouterr().out
    assert run(["explain", str(folder / "walk.ftm"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert len(facts["dofs"]) == facts["model"]["dofs"] > 40


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["walk.ftm", "--joint", "LeftLge"], "did you mean LeftLeg"),
        (["walk.ftm", "--joint", "LHipJoint"], "does not move in the examples"),
        (["walk.ftm", "--clip", "letter_a_1.csv"], "letter_a_1 is a stroke, but the model is of clips: give a clip"),
        (["a.ftm", "--clip", "missing.csv"], "missing.csv"),
        (["walk_1.bvh"], "not a freshtake model"),
        (["walk.ftm", "-o", "report.pdf"], "a report is a page (.html) or a folder"),
    ],
)
def test_bad_input_is_one_sentence(
    folder: Path, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert run(["explain", *arguments]) == 2
    printed = capsys.readouterr()
    assert says in printed.err and len(printed.err.splitlines()) == 1 and printed.out == ""
    assert not (folder / "report.pdf").exists()


def test_the_report_of_evaluate_shows_the_networks(folder: Path, tmp_path: Path) -> None:
    letters = [str(path) for path in sorted(folder.glob("letter_a_*.csv"))]
    files = ["evaluate", "--inputs", *letters[:2], "--outputs", *letters[2:]]
    assert run([*files, "-o", str(tmp_path / "with.html"), "--model", str(folder / "a.ftm")]) == 0
    assert run([*files, "-o", str(tmp_path / "without.html")]) == 0
    assert "Transition network" in (tmp_path / "with.html").read_text()
    assert "Transition network" not in (tmp_path / "without.html").read_text()
