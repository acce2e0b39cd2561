"""`augment`: groups by name or likeness, labels that say where every file is from, nothing lost."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.workflows.variation_augmenting import grouped


@pytest.fixture(scope="module")
def takes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("takes")
    assert run(["samples", "write", "letter_a", "digit_2", "-n", "4", "-o", str(place)]) == 0
    (place / "more").mkdir()
    (place / "digit_2_4.csv").rename(place / "more" / "stranger.csv")
    (place / "notes.txt").write_text("no take")
    return place


def table(folder: Path) -> list[dict[str, str]]:
    with (folder / "labels.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_groups_are_names_without_their_number() -> None:
    root = Path("x")
    paths = [
        root / name for name in ("walk_1.bvh", "walk_02.bvh", "walk10.bvh", "3.bvh", "b/walk_1.bvh", "run-fast.bvh")
    ]
    found = grouped(paths, root)
    assert {name: len(group) for name, group in found.items()} == {"walk": 3, "3": 1, "b/walk": 1, "run-fast": 1}


def test_takes_are_copied_and_variants_stand_beside_them(
    takes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(["augment", str(takes), "-o", str(out), "-n", "3", "--seed", "5", "--json"]) == 0
    told = capsys.readouterr()
    said, rows = json.loads(told.out), table(out)
    assert said["files"] == json.loads((out / "labels.json").read_text())["files"]
    assert [row["file"] for row in rows] == [entry["file"] for entry in said["files"]]
    assert "more/stranger: one take alone" in told.err and list(said["only_copied"]) == ["more/stranger"]
    files = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert files == {row["file"] for row in rows} | {"labels.csv", "labels.json"}
    for row in rows:
        if row["kind"] == "real":
            assert (out / row["file"]).read_bytes() == (takes / row["file"]).read_bytes()
            assert row["sources"] == row["file"] and row["seed"] == ""
        else:
            assert row["seed"] == "5" and row["group"] in ("letter_a", "digit_2")
            assert all(source.startswith(row["group"]) for source in row["sources"].split(";"))
    kinds = [row["kind"] for row in rows]
    assert kinds.count("real") == 8 and kinds.count("variant") == 6


def test_a_variant_is_that_of_vary_with_its_seed_and_number(takes: Path, tmp_path: Path) -> None:
    out, model = tmp_path / "out", tmp_path / "a.ftm"
    assert run(["augment", str(takes), "-o", str(out), "-n", "2", "--seed", "5", "--quiet"]) == 0
    letters = [str(takes / f"letter_a_{k}.csv") for k in range(1, 5)]
    assert run(["learn", *letters, "-o", str(model), "--seed", "5"]) == 0
    assert run(["vary", str(model), "-n", "2", "-o", str(tmp_path / "v"), "--seed", "5"]) == 0
    again = ft.read(tmp_path / "v" / "variant_002.csv")
    np.testing.assert_allclose(ft.read(out / "letter_a_variant_002.csv").points, again.points, atol=1e-6)


def test_by_likeness_a_stranger_joins_its_kind(takes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert run(["augment", str(takes), "-o", str(out), "-n", "1", "--by-likeness"]) == 0
    assert "stranger.csv is like the takes of digit_2" in capsys.readouterr().err
    (row,) = [row for row in table(out) if row["file"] == "more/stranger.csv"]
    assert row["group"] == "digit_2"


def test_bad_requests_are_one_sentence_and_leave_nothing(
    takes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "a_1.csv").write_bytes((takes / "letter_a_1.csv").read_bytes())
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "a_1.bvh").write_text("HIERARCHY nonsense")
    for source, target, more, word in (
        (tmp_path / "none", "o", [], "not a folder"),
        (tmp_path / "empty", "o", [], "no takes"),
        (tmp_path / "alone", "o", ["--quiet"], "one take alone"),
        (tmp_path / "broken", "o", [], "a_1.bvh"),
        (takes, "o", ["-n", "0"], "number of variants"),
        (takes, "o", ["--seed", "-1"], "seed"),
    ):
        assert run(["augment", str(source), "-o", str(tmp_path / target), *more]) == 2
        said = capsys.readouterr().err
        assert word in said and len(said.splitlines()) == 1, said
        assert not (tmp_path / target).exists()
    assert run(["augment", str(takes), "-o", str(takes / "more"), "--force"]) == 2
    assert "outside" in capsys.readouterr().err
