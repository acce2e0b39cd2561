"""The pages in docs/: all are linked and listed, links are valid, and the map names only existing files and names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[1]
DOCS = HOME / "docs"
PACKAGE = HOME / "src" / "freshtake"
PAGES = sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))
MAP = (DOCS / "architecture.md").read_text(encoding="utf-8")
PARTS_OF_ANY_METHOD = {"settings.py", "examples.py", "synthesize.py", "model.py", "learning.py", "learn.py"}
PATHS = sorted(set(re.findall(r"`([\w/]+(?:\.\w+|/))`", MAP)) - PARTS_OF_ANY_METHOD)
NAMED = [  # "`name` in `path`", "`name`, `other` in `path`", "`name` of `path`"
    (name, path)
    for names, path in re.findall(r"((?:`\w+`(?:, | and )?)+) (?:in|of) `([\w/]+\.\w+)`", MAP)
    for name in re.findall(r"\w+", names.replace(" and ", " "))
]
SYMBOLS = [
    tuple(cell.strip() for cell in line.strip("|").split("|"))
    for line in MAP.partition("## Symbols")[2].splitlines()
    if line.startswith("| ") and not line.startswith("| letter")
]


def links(page: Path) -> list[str]:
    """Return the pages and pictures of this manual that a page links to."""
    found = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    return [link for link in found if not link.startswith("http")]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    assert [link for link in links(DOCS / page) if not (DOCS / page).parent.joinpath(link).exists()] == []


def test_the_start_page_links_every_page_and_the_menu_lists_it() -> None:
    menu = re.findall(r":\s(\S+\.md)$", (HOME / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(menu) == PAGES
    assert set(PAGES) - set(links(DOCS / "index.md")) == {"index.md"}


@pytest.mark.parametrize("path", PATHS)
def test_what_the_map_names_exists(path: str) -> None:
    assert (PACKAGE / path).exists() or (HOME / path).exists()


@pytest.mark.parametrize(("name", "path"), NAMED)
def test_a_file_that_the_map_names_has_what_is_to_be_found_in_it(name: str, path: str) -> None:
    home = next(folder for folder in (PACKAGE, HOME) if (folder / path).exists())
    text = (home / path).read_text(encoding="utf-8")
    assert re.search(rf"^\s*(export )?(async )?(def|class|function|const) {name}\b|^{name}\b.*=", text, re.MULTILINE)


@pytest.mark.parametrize("letter, ours, where", SYMBOLS, ids=[row[0] for row in SYMBOLS])
def test_our_name_of_a_symbol_stands_where_the_map_says(letter: str, ours: str, where: str) -> None:
    if where:
        text = (PACKAGE / where.strip("`")).read_text(encoding="utf-8")
        missing = [name for name in re.findall(r"`(\w+)`", ours) if not re.search(rf"\b{name}\b", text)]
        assert missing == [], f"{letter} is not in {where}"


@pytest.mark.parametrize("paper", ["Lau 2009", "Hsu 2005", "Okwechime 2008", "Sattler 2004"])
def test_every_numbered_equation_has_its_symbols_explained(paper: str) -> None:
    table = MAP.partition(f"### {paper}")[2].partition("###")[0]
    explained: set[int] = set()
    for listed in re.findall(r"\(eq\. ([\d, -]+)\)", table):
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", listed):
            explained |= set(range(int(first), int(last or first) + 1))
    count = {"Lau 2009": 7, "Hsu 2005": 8, "Okwechime 2008": 14, "Sattler 2004": 13}[paper]
    assert explained == set(range(1, count + 1))
