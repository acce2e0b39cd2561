"""docs/equations.toml: every equation has a row, and what a row names exists."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

HOME = Path(__file__).resolve().parents[1]
TABLE = tomllib.loads((HOME / "docs" / "equations.toml").read_text(encoding="utf-8"))
ROWS: dict[str, dict[str, Any]] = TABLE["equations"]


def named(place: str) -> Any:
    """What `module:name` or `module:Class.method` stands for."""
    module, _, name = place.partition(":")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def numbers(text: str) -> set[str]:
    """The equations that a text cites as `eq. 3` or `eq. 3-4`."""
    out: set[str] = set()
    for first, last in re.findall(r"\beq\.\s*\(?(\d+)\)?(?:-\(?(\d+)\)?)?", text):
        out |= {str(k) for k in range(int(first), int(last or first) + 1)}
    return out


def test_every_equation_of_every_paper_has_a_row() -> None:
    expected = {f"{paper}.{number}" for paper, listed in TABLE["papers"].items() for number in listed}
    assert set(ROWS) == expected


@pytest.mark.parametrize("key", sorted(ROWS))
def test_what_a_row_names_exists(key: str) -> None:
    row = ROWS[key]
    assert row["says"]
    assert set(row) in ({"says", "function", "test"}, {"says", "left_out"})
    for place in row.get("function", []):
        assert place.startswith("freshtake.")
        assert callable(named(place))
    for place in row.get("test", []):
        assert place.startswith("tests.") and place.partition(":")[2].startswith("test_")
        assert callable(named(place))


@pytest.mark.parametrize("key", sorted(key for key in ROWS if key.startswith("lau2009.") and "function" in ROWS[key]))
def test_modules_cite_the_equations_that_they_implement(key: str) -> None:
    """The number stands in the text of at least one of the modules that the row names."""
    modules = {import_module(place.partition(":")[0]).__file__ or "" for place in ROWS[key]["function"]}
    cited = set().union(*(numbers(Path(file).read_text(encoding="utf-8")) for file in modules))
    assert key.partition(".")[2] in cited
