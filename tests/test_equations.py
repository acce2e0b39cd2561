"""docs/equations.toml: every equation is computed, cited and tested in one place, and all names of a row exist."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

HOME = Path(__file__).resolve().parents[1]
TABLE = tomllib.loads((HOME / "docs" / "equations.toml").read_text(encoding="utf-8"))
ROWS: dict[str, dict[str, Any]] = TABLE["equations"]
COMPUTED = sorted(key for key in ROWS if "function" in ROWS[key])
STEPS = 2  # at most, from a function to the caller that a test calls
PACKAGE = HOME / "src" / "freshtake"
# `Lau 2009, eq. 3`, `eq. 3-4`, `eq. 10, 12 and 14`, with the section before the equation or without
CITATION = (
    r"\b(Hsu 2005|Lau 2009|Okwechime 2008|Sattler 2004),(?:\s+§[\d.]+,)?\s+eq\.\s+((?:\d+|-|,\s(?=\d)|\sand\s(?=\d))+)"
)


def named(place: str) -> Any:
    """Return the object that `module:name` or `module:Class.method` names."""
    module, _, name = place.partition(":")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found.fget if isinstance(found, property) else found


def cited(text: str) -> set[str]:
    """Return the equations that a text cites, as keys of the table."""
    out: set[str] = set()
    for paper, listed in re.findall(CITATION, text):
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", listed):
            out |= {f"{paper.lower().replace(' ', '')}.{k}" for k in range(int(first), int(last or first) + 1)}
    return out


def definitions(tree: ast.AST, before: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    """Return every function, method and class of a module by its name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield before + node.name, node
            yield from definitions(node, f"{before}{node.name}.")


@cache
def trees() -> dict[str, ast.Module]:
    """Return all modules of the package."""
    return {
        ".".join(("freshtake", *file.relative_to(PACKAGE).with_suffix("").parts)): ast.parse(file.read_text())
        for file in sorted(PACKAGE.rglob("*.py"))
    }


@cache
def citing() -> dict[str, set[str]]:
    """Return, by key of an equation, the functions and classes whose docstrings cite it."""
    out: dict[str, set[str]] = {}
    for module, tree in trees().items():
        for name, node in definitions(tree):
            for key in cited(ast.get_docstring(node) or ""):
                out.setdefault(key, set()).add(f"{module}:{name}")
    return out


def names_in(tree: ast.AST) -> set[str]:
    """Return names and attributes that a piece of code reads."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return names | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


@cache
def callers() -> dict[str, set[str]]:
    """Return, by name of a function, the names of its callers in the package, and of their classes."""
    out: dict[str, set[str]] = {}
    for tree in trees().values():
        for name, node in definitions(tree):
            for read in names_in(node):
                out.setdefault(read, set()).update(name.split("."))
    return out


def reached_by(name: str, steps: int) -> set[str]:
    """Return a function with its callers, their callers, and so on."""
    found = {name}
    for _ in range(steps):
        found |= {caller for each in found for caller in callers().get(each, set())}
    return found


def test_citations_are_read() -> None:
    assert cited("(Lau 2009, §5.2, eq. 5-6)") == {"lau2009.5", "lau2009.6"}
    assert cited("Okwechime 2008, eq. 10, 12 and 14, and so on") == {f"okwechime2008.{k}" for k in (10, 12, 14)}
    assert cited("see Hsu 2005, §4") == set()


def test_every_equation_of_every_paper_has_a_row() -> None:
    expected = {f"{paper}.{number}" for paper, listed in TABLE["papers"].items() for number in listed}
    assert set(ROWS) == expected


@pytest.mark.parametrize("key", sorted(ROWS))
def test_what_a_row_names_exists(key: str) -> None:
    row = ROWS[key]
    assert row["says"]
    assert set(row) - {"also", "used"} in ({"says", "function", "test"}, {"says", "left_out"})
    assert row.get("used") in (("default", "option", "paper only") if key.startswith("lau2009.") else (None,))
    assert ("also" in row) == (len(row.get("function", [])) > 1)
    for place in row.get("function", []):
        assert place.startswith("freshtake.")
        assert callable(named(place))
    for place in row.get("test", []):
        assert place.startswith("tests.") and place.partition(":")[2].startswith("test_")
        assert callable(named(place))


@pytest.mark.parametrize("key", COMPUTED)
def test_an_equation_is_cited_where_it_is_computed_and_nowhere_else(key: str) -> None:
    assert citing().get(key, set()) == set(ROWS[key]["function"])


@pytest.mark.parametrize("key", COMPUTED)
def test_what_computes_an_equation_is_used_and_is_what_the_test_runs(key: str) -> None:
    """Refuse twins that only tests call: the package uses the function, and tests call it or one of its callers."""
    files = [Path(import_module(place.partition(":")[0]).__file__ or "") for place in ROWS[key]["test"]]
    read = set().union(*(names_in(ast.parse(file.read_text())) for file in files))
    for place in ROWS[key]["function"]:
        name = place.rpartition(":")[2].rpartition(".")[2]
        assert callers().get(name, set()) - {name}, f"nothing in the package uses {place}"
        assert read & reached_by(name, STEPS), f"no test of {key} runs {name}"
