"""Each fuzz target for a moment, always with the same inputs; and tests that the fuzzer finds bugs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from tests.fuzz import child, runner
from tests.fuzz.mutate import mutate
from tests.fuzz.runner import fuzz
from tests.fuzz.seeds import TARGETS, make_target

SLOW = ("usdc", "usd shard", "abc", "paper")  # a second for each file, and half a minute to learn: `make fuzz` has them
NEEDED = {"c3d": "ezc3d", "usda": "pxr", "urdf": "mujoco", "mjcf": "mujoco"}


@pytest.mark.parametrize("target", [target for target in TARGETS if target not in SLOW])
def test_only_our_own_errors_come_back(tmp_path: Path, target: str) -> None:
    if target in NEEDED:
        pytest.importorskip(NEEDED[target])
    # Opening a stage takes 50 ms, an FBX file 20; a model that loads is used by commands.
    count = {"usda": 25, "fbx": 80, "ftm": 60, "texture": 40, "density": 60, "style": 30, "mjcf": 100, "urdf": 100}.get(
        target, 250
    )
    result = fuzz(target, seed=7, seconds=1e4, count=count, keep=tmp_path)  # a number of inputs, whatever the load
    assert result.done == count
    assert [f"{failure.kept.name}: {failure.problem}" for failure in result.failures] == []


def test_damage_depends_on_seed_and_number_alone(tmp_path: Path) -> None:
    target = make_target("bvh", tmp_path)
    assert child.damaged(target, 1, 2) == child.damaged(target, 1, 2)
    different = {child.damaged(target, 1, number) for number in range(50)}
    assert len(different - set(target.seeds)) >= 40


def test_every_way_of_damage_keeps_to_bytes_of_bounded_length() -> None:
    for number in range(300):
        out = mutate(b"HIERARCHY\n1 2 3\n", b"4,5\n", np.random.default_rng(number))
        assert isinstance(out, bytes)
        assert len(out) < 1 << 17


def of_two_lines() -> ft.FormatError:
    error = ft.FormatError("x", "two lines")
    error.args = ("two\nlines",)  # where errors are made, line ends become blanks
    return error


@pytest.mark.parametrize(
    ("error", "seen"),
    [
        (KeyError("x"), "KeyError"),
        (of_two_lines(), "not one sentence"),
        (ft.FormatError("x", "the file needs more memory than is available"), "last net"),
        (ft.FormatError("x", "fine"), ""),
    ],
)
def test_the_fuzzer_sees_what_should_not_happen(monkeypatch: pytest.MonkeyPatch, error: Exception, seen: str) -> None:
    def read(path: Path, **options: object) -> None:
        raise error

    monkeypatch.setattr(ft, "read", read, raising=False)
    problem = child.complaint(Path("x"))
    assert (seen in problem) if seen else problem == ""


@pytest.mark.parametrize(("act", "code"), [("os.abort()", -6), ("while True: pass", -27)], ids=["crash", "endless"])
def test_the_fuzzer_survives_a_dead_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str, code: int) -> None:
    """If a reader kills or blocks its process, its input is kept, and another child is started."""
    program = f"""
import os
import freshtake as ft
from tests.fuzz import child
child.SECONDS = 0.2
true_read = ft.read
def read(path, **options):
    if "good" in str(path):
        return true_read(path, **options)
    {act}
ft.read = read
child.main()
"""
    script = tmp_path / "program.py"
    script.write_text(program)
    starter = tmp_path / "python"
    starter.write_text(
        f'#!/bin/sh\nshift 2\nPYTHONPATH="{runner.ROOT}" exec "{runner.sys.executable}" "{script}" "$@"\n'
    )
    starter.chmod(0o755)
    monkeypatch.setattr(runner.sys, "executable", str(starter))
    result = fuzz("asf", seed=1, seconds=1e4, count=2, keep=tmp_path / "kept")
    assert [failure.number for failure in result.failures] == [0, 1]
    assert all(f"code {code}" in failure.problem for failure in result.failures)
    assert all(failure.kept.is_file() for failure in result.failures)
