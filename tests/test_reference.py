"""The API reference lists every public name once, and documents its inputs and outputs."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

PAGES = Path(__file__).parents[1] / "docs/reference"
PACKAGES = ("variation", "style", "density", "texture", "motion", "evaluation", "samples")
# Unions, arrays and types of Python, which the pages do not explain one by one.
PLAIN = {"Alignable", "Any", "Bools", "Floats", "Iterator", "Model", "Motion", "None", "State"}
ARGS = re.compile(r"^Args:\n((?:    .*\n?|\n)*)", re.MULTILINE)


def public_names(package: str) -> dict[str, Any]:
    module = import_module(f"freshtake.{package}" if package else "freshtake")
    values = {name: getattr(module, name) for name in module.__all__ if not name.startswith("_")}
    return {name: value for name, value in values.items() if not isinstance(value, ModuleType)}


def functions(package: str) -> dict[str, FunctionType]:
    """Return the public functions of a package and the public methods of its classes, by name."""
    listed: dict[str, FunctionType] = {}
    for name, value in public_names(package).items():
        if isinstance(value, FunctionType):
            listed[name] = value
        elif inspect.isclass(value):
            plain = {key: getattr(entry, "__func__", entry) for key, entry in vars(value).items()}
            listed |= {
                f"{name}.{key}": entry
                for key, entry in plain.items()
                if isinstance(entry, FunctionType) and not key.startswith("_")
            }
    return {name: value for name, value in listed.items() if value.__module__.startswith("freshtake")}


def missing(function: FunctionType) -> list[str]:
    """Return what the docstring of a function omits."""
    text, signature = inspect.getdoc(function) or "", inspect.signature(function)
    section = ARGS.search(text)
    described = re.findall(r"^    \*{0,2}(\w+)(?: \(.*?\))?:", section[1], re.MULTILINE) if section else []
    left_out = [name for name in signature.parameters if name not in ("self", *described)]
    returns = signature.return_annotation not in (None, "None")
    return left_out + ["Returns"] * (returns and not re.search(r"^(Returns|Yields):", text, re.MULTILINE))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_page_lists_every_name_of_its_package(package: str) -> None:
    (listed,) = re.findall(r"members: \[([^\]]*)\]", (PAGES / f"{package}.md").read_text())
    assert sorted(re.findall(r"\w+", listed)) == sorted(public_names(package))


def test_the_first_page_lists_every_name_that_no_package_has() -> None:
    (listed,) = re.findall(r"members: \[([^\]]*)\]", (PAGES / "files.md").read_text())
    elsewhere = {name for package in PACKAGES for name in public_names(package)}
    assert set(re.findall(r"\w+", listed)) == set(public_names("")) - elsewhere


@pytest.mark.parametrize("package", ("", *PACKAGES))
def test_every_parameter_and_result_is_described(package: str) -> None:
    found = {name: parts for name, function in functions(package).items() if (parts := missing(function))}
    assert not found


def test_the_pages_describe_every_type_of_a_result() -> None:
    listed = re.findall(r"\w+", " ".join(page.read_text() for page in PAGES.glob("*.md")))
    results = " ".join(
        str(inspect.signature(function).return_annotation)
        for package in ("", *PACKAGES)
        for function in functions(package).values()
    )
    assert set(re.findall(r"\b[A-Z]\w*", results)) - PLAIN <= set(listed)
