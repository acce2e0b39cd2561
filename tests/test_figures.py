"""Tables of docs/results are what `make figures` printed, or say that they were measured once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
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
