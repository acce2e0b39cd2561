"""Tables of docs/results match the output of `make figures`, and every picture of the manual has a command."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from benchmarks import figures
from benchmarks.figures import HOME, RECORD, block, digest
from benchmarks.pictures import PICTURES

import freshtake as ft

RECORDED: dict[str, dict[str, dict[str, Any]]] = json.loads(RECORD.read_text(encoding="utf-8"))
PAGES = sorted(RECORD.parent.glob("*.md"))
MARKED = re.compile(r"<!-- figures: (\w+) -->\n.*?<!-- end -->", re.DOTALL)
EARLIER = "*Measured before "


@pytest.mark.parametrize("name", RECORDED["tables"])
def test_table_is_as_its_command_printed_it(name: str) -> None:
    entry = RECORDED["tables"][name]
    page = (HOME / entry["page"]).read_text(encoding="utf-8")
    text = block(page, name)[1].strip()
    assert digest(text.encode()) == entry["text"], f"run make figures ONLY={name} instead of editing {entry['page']}"
    assert text.startswith(EARLIER) == entry.get("earlier", False), "a table of an earlier version says so"


@pytest.mark.parametrize("name", RECORDED["tables"])
def test_page_names_the_command_of_its_table(name: str) -> None:
    entry = RECORDED["tables"][name]
    assert f"`python -m {entry['command']}`" in (HOME / entry["page"]).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", RECORDED["pictures"])
def test_picture_is_as_its_command_drew_it(name: str) -> None:
    assert digest((HOME / name).read_bytes()) == RECORDED["pictures"][name]["bytes"]


def test_every_picture_of_the_manual_has_a_command_and_is_shown() -> None:
    drawn = {*RECORDED["pictures"], *RECORDED["by hand"]}
    files = {
        str(path.relative_to(HOME)) for folder in ("images", "pictures") for path in (HOME / "docs" / folder).iterdir()
    }
    assert files == drawn
    shown = set()
    for page in (HOME / "README.md", *(HOME / "docs").rglob("*.md")):
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            shown.add(str((page.parent / target).resolve().relative_to(HOME)))
    assert shown == drawn


def test_pictures_that_are_drawn_here_are_all_used() -> None:
    commands = [entry["command"].split() for entry in RECORDED["pictures"].values()]
    names = {words[2] for words in commands if words[0] == "benchmarks.pictures"}
    assert {name for name in names if not name.endswith(".md")} == set(PICTURES)
    assert all((HOME / name).is_file() for name in names if name.endswith(".md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_marked_table_has_a_command(page: Path) -> None:
    marked = MARKED.findall(page.read_text(encoding="utf-8"))
    assert marked == [name for name in marked if RECORDED["tables"][name]["page"] == f"docs/results/{page.name}"]
    assert len(marked) == len(set(marked))


@pytest.mark.parametrize("page", [*PAGES, HOME / "README.md"], ids=lambda page: page.stem)
def test_no_table_of_results_is_written_by_hand(page: Path) -> None:
    rest = MARKED.sub("", page.read_text(encoding="utf-8"))
    rows = [line for line in rest.splitlines() if line.startswith("|") and not line.startswith("|---")]
    # The README's tables list commands and programs; rows of figures have cells that are numbers.
    assert [row for row in rows if re.search(r"\| *[-+±<>~]?\d[\d.,]*( %| s| ms| MB)? *\|", row)] == []
    assert page.name == "README.md" or rows == []


def test_a_run_replaces_the_table_and_records_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("Above.\n\n<!-- figures: one -->\n\n| old |\n\n<!-- end -->\n\nBelow.\n")
    monkeypatch.setattr(figures, "HOME", tmp_path)
    monkeypatch.setattr(figures, "output_of", lambda command, data: f"| {command} |")
    record = {"tables": {"one": {"page": "page.md", "command": "new", "earlier": True}}, "pictures": {}}
    figures.make_tables(record, ["one"], tmp_path, None)
    assert page.read_text() == "Above.\n\n<!-- figures: one -->\n\n| new |\n\n<!-- end -->\n\nBelow.\n"
    assert record["tables"]["one"]["text"] == digest(b"| new |")
    assert "earlier" not in record["tables"]["one"]
    assert record["tables"]["one"]["version"].startswith(ft.__version__)
    figures.make_tables(record, ["one"], tmp_path, tmp_path)  # as without recorded takes: pages stay
    assert (tmp_path / "one.md").read_text() == "| new |\n"


def test_pictures_of_one_command_are_drawn_by_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []

    def draw(command: str, data: Path) -> str:
        runs.append(command)
        folder = Path(command.split()[1])
        (folder / "a.png").write_bytes(b"first")
        (folder / "second.png").write_bytes(b"second")
        return ""

    monkeypatch.setattr(figures, "HOME", tmp_path)
    monkeypatch.setattr(figures, "output_of", draw)
    pictures: dict[str, dict[str, Any]] = {
        "a.png": {"command": "draw FOLDER"},
        "b.png": {"command": "draw FOLDER", "file": "second.png"},
    }
    figures.make_pictures({"tables": {}, "pictures": pictures}, ["a.png", "b.png"], tmp_path, None)
    assert len(runs) == 1
    assert (tmp_path / "b.png").read_bytes() == b"second"
    assert pictures["b.png"]["bytes"] == digest(b"second")


def test_tables_are_chosen_by_name_or_page() -> None:
    assert not {Path(name).stem for name in RECORDED["pictures"]} & set(RECORDED["tables"])
    assert figures.chosen(RECORDED, ["goals"]) == ["goals"]
    assert {RECORDED["tables"][name]["page"] for name in figures.chosen(RECORDED, ["paper"])} == {
        "docs/results/paper.md"
    }
    assert figures.chosen(RECORDED, ["selection"]) == ["docs/pictures/selection.png"]
    with pytest.raises(SystemExit, match="there is no table, page or picture nothing"):
        figures.chosen(RECORDED, ["nothing"])


def test_samples_have_the_layout_of_recorded_sets(tmp_path: Path) -> None:
    figures.write_samples(tmp_path)
    assert sorted(path.name for path in (tmp_path / "jump").iterdir())[::4] == ["extra_1.bvh", "jump_1.bvh"]
    assert {path.name for path in tmp_path.iterdir()} >= {"cyclic", "mesh", "okwechime", "style"}
    before = figures.digest_of_folder(tmp_path)
    (tmp_path / "walk" / "walk_1.bvh").write_text("another take")
    assert figures.digest_of_folder(tmp_path) != before


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # of a package that is compared with
@pytest.mark.parametrize("path", sorted((HOME / "benchmarks").glob("[a-z]*.py")), ids=lambda path: path.stem)
def test_every_benchmark_loads(path: Path) -> None:
    if path.stem != "blender_pictures":  # runs in Blender's Python
        importlib.import_module(f"benchmarks.{path.stem}")
