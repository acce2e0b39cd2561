"""Tables of docs/results are what `make figures` printed, or say that they were measured once."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from benchmarks import figures
from benchmarks.figures import HOME, RECORD, block, digest

RECORDED: dict[str, dict[str, dict[str, Any]]] = json.loads(RECORD.read_text(encoding="utf-8"))
PAGES = sorted(RECORD.parent.glob("*.md"))
MARKED = re.compile(r"<!-- figures: (\w+) -->\n.*?<!-- end -->", re.DOTALL)


@pytest.mark.parametrize("name", RECORDED["tables"])
def test_table_is_as_its_command_printed_it(name: str) -> None:
    entry = RECORDED["tables"][name]
    page = (HOME / entry["page"]).read_text(encoding="utf-8")
    text = block(page, name)[1].strip()
    assert digest(text.encode()) == entry["text"], f"run make figures NAMES={name} instead of editing {entry['page']}"


@pytest.mark.parametrize("name", RECORDED["pictures"])
def test_picture_is_as_its_command_drew_it(name: str) -> None:
    assert digest((HOME / name).read_bytes()) == RECORDED["pictures"][name]["bytes"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_marked_table_has_a_command(page: Path) -> None:
    marked = MARKED.findall(page.read_text(encoding="utf-8"))
    assert marked == [name for name in marked if RECORDED["tables"][name]["page"] == f"docs/results/{page.name}"]
    assert len(marked) == len(set(marked))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_other_tables_say_that_they_were_measured_once(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    introduction, *sections = re.split(r"^## ", MARKED.sub("", text), flags=re.MULTILINE)
    # A page that make figures does not touch may say it once, at its top.
    if not MARKED.search(text) and once(introduction):
        return
    for section in (introduction, *sections):
        above = section.partition("\n|")
        assert not above[1] or once(above[0]), section.partition("\n")[0]


def once(text: str) -> bool:
    return "measured once" in text.lower()


def test_a_run_replaces_the_table_and_records_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("Above.\n\n<!-- figures: one -->\n\n| old |\n\n<!-- end -->\n\nBelow.\n")
    monkeypatch.setattr(figures, "HOME", tmp_path)
    monkeypatch.setattr(figures, "output_of", lambda command, data: f"| {command} |")
    record = {"tables": {"one": {"page": "page.md", "command": "new"}}, "pictures": {}}
    figures.make_tables(record, ["one"], tmp_path, None)
    assert page.read_text() == "Above.\n\n<!-- figures: one -->\n\n| new |\n\n<!-- end -->\n\nBelow.\n"
    assert record["tables"]["one"]["text"] == digest(b"| new |")
    figures.make_tables(record, ["one"], tmp_path, tmp_path)  # as without recorded takes: pages stay
    assert (tmp_path / "one.md").read_text() == "| new |\n"


def test_samples_have_the_layout_of_recorded_sets(tmp_path: Path) -> None:
    figures.write_samples(tmp_path)
    assert sorted(path.name for path in (tmp_path / "jump").iterdir())[::4] == ["extra_1.bvh", "jump_1.bvh"]
    before = figures.digest_of_folder(tmp_path)
    (tmp_path / "walk" / "walk_1.bvh").write_text("another take")
    assert figures.digest_of_folder(tmp_path) != before


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # of a package that is compared with
@pytest.mark.parametrize("path", sorted((HOME / "benchmarks").glob("[a-z]*.py")), ids=lambda path: path.stem)
def test_every_benchmark_loads(path: Path) -> None:
    if path.stem != "blender_pictures":  # runs in Blender's Python
        importlib.import_module(f"benchmarks.{path.stem}")
