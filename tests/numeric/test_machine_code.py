"""Cached machine code is reused if and only if nothing it was compiled from has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from freshtake.numeric.processors import processors

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
from freshtake.numeric.compiled import keep_machine_code_in
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


def damaged_by(damage: str, path: Path, other: Path) -> None:
    """Damage a machine code file as disks, crashes and other programs do."""
    data = path.read_bytes()
    content = {
        "empty": b"",
        "cut short": data[:-1],
        "cut in the head": data[:40],
        "half written": data[: len(data) // 2],
        "one bit": data[:500] + bytes([data[500] ^ 1]) + data[501:],
        "zeros": bytes(len(data)),
        "text": b"not machine code",
        "another program's": b"\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00cos\nnothing\n.",
        "of another kernel": other.read_bytes(),
    }
    path.unlink()
    if damage == "folder":
        path.mkdir()
    elif damage == "dangling link":
        path.symlink_to(path.parent / "gone" / "away")
    else:
        path.write_bytes(content[damage])


DAMAGES = ["empty", "cut short", "cut in the head", "half written", "one bit", "zeros", "text", "another program's",
           "of another kernel", "folder", "dangling link"]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_machine_code_is_as_if_absent_and_healed_in_passing(moved: Path, damage: str) -> None:
    damaged, other = (next((moved / "code").rglob(f"outer.{name}.*.nbc")) for name in ("alone", "reads"))
    damaged_by(damage, damaged, other)
    assert run(moved / "source", moved / "code") == (["outer.alone"], "9 9 6 28")
    assert run(moved / "source", moved / "code") == ([], "9 9 6 28")


def test_what_an_edit_made_useless_and_what_a_killed_process_left_is_cleared(moved: Path) -> None:
    (code,) = (moved / "code").rglob("outer.alone.*.nbc")
    left, recent = code.with_name(f"{code.name}.01234567.tmp"), code.with_name(f"{code.name}.89abcdef.tmp")
    left.write_bytes(b"half")
    recent.write_bytes(b"half")
    os.utime(left, (1e9, 1e9))
    (moved / "source/outer.py").write_text(OUTER.replace("7 * value", "8 * value"))
    assert run(moved / "source", moved / "code") == (["outer.alone"], "9 9 6 32")
    assert not code.exists() and not left.exists() and recent.exists()  # another process may be writing the recent one
    assert len(list((moved / "code").rglob("outer.alone.*.nbc"))) == 1


def test_processes_that_compile_at_once_do_not_disturb_each_other(moved: Path) -> None:
    shutil.rmtree(moved / "code")
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda _: run(moved / "source", moved / "code"), range(3)))
    assert [result for _, result in results] == ["9 9 6 28"] * 3
    assert run(moved / "source", moved / "code") == ([], "9 9 6 28")
    assert not list((moved / "code").rglob("*.tmp"))


def test_code_next_to_a_package_that_cannot_be_written_is_still_read(moved: Path, tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in {"NUMBA_CACHE_DIR", "XDG_CACHE_HOME"}}
    environment |= {"HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join([str(moved / "source"), *sys.path])}

    def compiled() -> list[str]:
        command = [sys.executable, "-B", "-c", PROGRAM]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[:-1]

    assert compiled() == ALL
    shutil.rmtree(tmp_path / ".cache", ignore_errors=True)
    beside = moved / "source/__pycache__"
    damaged = next(beside.glob("outer.alone.*.nbc"))
    damaged.unlink()
    damaged.mkdir()
    (damaged / "in the way").write_text("")  # an administrator may write everywhere, but not over this
    assert compiled() == ["outer.alone"]
    assert len(list((tmp_path / ".cache").rglob("*.nbc"))) == 1
    assert compiled() == []


SHIPPED = """
import sys
from pathlib import Path
from freshtake.numeric import compiled
compiled.SHIPPED = Path(sys.argv[1])
sys.argv[1:] = []
""" + PROGRAM.replace("keep_machine_code_in(*sys.argv[1:])\n", "")


@pytest.mark.skipif(not processors(), reason="machine code is not shipped for this processor")
def test_machine_code_that_came_with_the_package_is_used_where_it_runs(
    moved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(moved / "code")
    for name in processors():
        monkeypatch.setenv("NUMBA_CPU_NAME", name)
        monkeypatch.setenv("NUMBA_CPU_FEATURES", "")
        assert run(moved / "source", moved / "code" / name) == (ALL, "9 9 6 28")
    monkeypatch.delenv("NUMBA_CPU_NAME")
    monkeypatch.delenv("NUMBA_CPU_FEATURES")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(moved / "source"), *sys.path])}
    environment["NUMBA_CACHE_DIR"] = str(tmp_path / "cache")

    def compiled(**more: str) -> list[str]:
        command = [sys.executable, "-B", "-c", SHIPPED, str(moved / "code")]
        done = subprocess.run(command, env={**environment, **more}, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "9 9 6 28"
        return done.stdout.splitlines()[:-1]

    assert compiled() == [] and not (tmp_path / "cache").exists()
    assert compiled(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") == ALL, "whoever aims elsewhere gets that"
    next((moved / "code" / processors()[0]).rglob("outer.alone.*")).write_bytes(b"damaged")
    assert compiled() == ["outer.alone"] and compiled() == []
