"""Machine code is found again where nothing that it was compiled from has changed, and only there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

INNER = """
from freshtake.numeric.compiled import compiled

FACTOR = 2

@compiled
def inner(value):
    return FACTOR * value
"""
OUTER = """
import inner as module
from inner import inner, FACTOR
from freshtake.numeric.compiled import compiled

@compiled
def outer(value):
    return inner(value) + 1

@compiled
def by_module(value):
    return module.inner(value) + 1

@compiled
def reads(value):
    return FACTOR + value

@compiled
def alone(value):
    return 7 * value
"""
PROGRAM = """
import sys
from freshtake.numeric.compiled import tell_of_compiling
from freshtake.numeric.machine_code import keep_machine_code_in
keep_machine_code_in(*sys.argv[1:])
import outer
tell_of_compiling(lambda name, begins: begins and print(name))
print(outer.outer(4), outer.by_module(4), outer.reads(4), outer.alone(4))
"""
ALL = ["outer.outer", "inner.inner", "outer.by_module", "outer.reads", "outer.alone"]


def run(place: Path, *folders: Path) -> tuple[list[str], str]:
    """Kernels that compiled, and the results."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(place), *sys.path])}
    command = [sys.executable, "-B", "-c", PROGRAM, *map(str, folders)]
    lines = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    return lines[:-1], lines[-1]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kernels and their machine code."""
    folder = tmp_path_factory.mktemp("first")
    (folder / "source").mkdir()
    (folder / "source/inner.py").write_text(INNER)
    (folder / "source/outer.py").write_text(OUTER)
    assert run(folder / "source", folder / "code") == (ALL, "9 9 6 28")
    return folder


@pytest.fixture
def moved(first: Path, tmp_path: Path) -> Path:
    """A copy elsewhere, as young as can be."""
    shutil.copytree(first, tmp_path / "moved", copy_function=shutil.copyfile)
    return tmp_path / "moved"


def test_a_copy_elsewhere_compiles_nothing_and_writes_nothing(moved: Path) -> None:
    before = sorted(moved.rglob("*"))
    assert run(moved / "source", moved / "code", moved / "cache") == ([], "9 9 6 28")
    assert sorted(moved.rglob("*")) == before


def test_an_edit_of_a_kernel_that_others_call_is_noticed_by_them(moved: Path) -> None:
    (moved / "source/inner.py").write_text(INNER.replace("FACTOR * value", "FACTOR * value + 0"))
    compiled, results = run(moved / "source", moved / "code", moved / "cache")
    assert compiled == ["outer.outer", "inner.inner", "outer.by_module"] and results == "9 9 6 28"
    assert run(moved / "source", moved / "code", moved / "cache")[0] == []  # found in the second folder


def test_an_edit_of_a_constant_in_another_file_is_noticed(moved: Path) -> None:
    (moved / "source/inner.py").write_text(INNER.replace("FACTOR = 2", "FACTOR = 3"))
    compiled, results = run(moved / "source", moved / "code", moved / "cache")
    assert compiled == ALL[:-1] and results == "13 13 7 28"


def test_a_folder_that_cannot_be_written_costs_compiling_and_nothing_else(moved: Path) -> None:
    (moved / "cache").write_text("a file in the way")
    (moved / "source/outer.py").write_text(OUTER.replace("7 * value", "8 * value"))
    assert run(moved / "source", moved / "code", moved / "cache") == (["outer.alone"], "9 9 6 32")
