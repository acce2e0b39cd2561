"""The countdown of compiling: expected minus done, at the pace of this machine."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from freshtake.methods.progress import Countdown
from freshtake.numeric import compiled
from freshtake.workflows import compiling
from freshtake.workflows.compiling import STEP_AFTER, STEPS, compile_after, expected_times
from tests.cli.test_grammar import COMMANDS

ROWS = [
    line.split(",")
    for line in resources.files("freshtake.workflows").joinpath("compile_times.csv").read_text().splitlines()[1:]
]


def test_the_countdown_learns_the_pace_and_counts_what_is_inside_a_kernel_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("freshtake.methods.progress.LEAST_ANNOUNCED", 3.0)
    said: list[str] = []
    now = [0.0]
    countdown = Countdown(lambda: {"a": 4.0, "inner": 2.0, "b": 6.0}, said.append, lambda: now[0])
    assert str(countdown) == ""
    countdown.heard("a", True)
    assert said == ["compiling once, up to about 12 s (freshtake warm-up does it in advance)"]
    now[0] = 2.0
    assert countdown.seconds_left == 10.0
    countdown.heard("inner", True)
    now[0] = 8.0
    countdown.heard("inner", False)
    now[0] = 12.0
    countdown.heard("a", False)  # 12 s where 6 were expected: half as fast
    assert str(countdown) == ""
    countdown.heard("b", True)
    assert str(countdown) == "compiling once, about 12 s left"
    countdown.heard("b", False)
    assert len(said) == 1


def test_little_is_not_worth_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("freshtake.methods.progress.LEAST_ANNOUNCED", 3.0)
    said: list[str] = []
    countdown = Countdown(lambda: {"a": 1.0}, said.append, lambda: 0.0)
    countdown.heard("a", True)
    assert said == []


@pytest.mark.parametrize("module", sorted({kernel.rpartition(".")[0] for kernel, _, _ in ROWS}))
def test_the_table_names_kernels_that_exist(module: str) -> None:
    found = importlib.import_module(f"freshtake.{module}")
    missing = [k for k, _, _ in ROWS if k.rpartition(".")[0] == module and not hasattr(found, k.rpartition(".")[2])]
    assert missing == [], "run python -m benchmarks.compiling"


def test_the_table_knows_commands() -> None:
    assert {name for _, _, used_by in ROWS for name in used_by.split(";")} <= set(COMMANDS)
    for command in ("learn", "vary", "style apply", "blend sample", "texture sample", "demo", "warm-up"):
        assert sum(expected_times(command).values()) > 1.0
    assert sum(expected_times("samples list").values()) == 0.0


@pytest.mark.parametrize(
    ("command", "switch", "starts"), [("learn", "", True), ("learn", "0", False), ("cut", "", False)]
)
def test_what_the_next_command_needs_is_compiled_by_a_process_of_its_own(
    monkeypatch: pytest.MonkeyPatch, command: str, switch: str, starts: bool
) -> None:
    started: list[tuple[Sequence[str], dict[str, Any]]] = []
    monkeypatch.setenv("FRESHTAKE_COMPILE_AHEAD", switch)
    monkeypatch.setattr(subprocess, "Popen", lambda words, **options: started.append((words, options)))
    compile_after(command)
    assert len(started) == starts
    for words, options in started:
        assert list(words[1:]) == ["-P", "-m", "freshtake.workflows.compiling", "variants"]
        assert options["start_new_session"] and options["stdout"] == options["stdin"] == subprocess.DEVNULL


def test_steps_after_commands_exist() -> None:
    assert {*STEP_AFTER} <= {*COMMANDS} and {*STEP_AFTER.values()} <= {*STEPS}


@pytest.mark.parametrize("rival", [True, False])
def test_compiling_in_the_background_ends_when_another_process_compiles_the_same(
    monkeypatch: pytest.MonkeyPatch, rival: bool
) -> None:
    on_disk: set[str] = set()
    compiled_by_us: list[str] = []
    kernels = list(expected_times("vary"))[:3]

    def warm_up(steps: list[str]) -> None:
        for number, kernel in enumerate(kernels):
            compiled._listeners[0](kernel, True)
            compiled_by_us.append(kernel)
            on_disk.add(kernel)
            compiled._listeners[0](kernel, False)
            if rival and number == 0:
                on_disk.add(kernels[2])

    monkeypatch.setattr(os, "nice", lambda by: by, raising=False)
    monkeypatch.setattr(compiled, "has_machine_code", on_disk.__contains__)
    monkeypatch.setattr(compiling, "warm_up", warm_up)
    try:
        compiling.compile_in_background("variants")
    finally:
        compiled.tell_of_compiling(None)
    assert compiled_by_us == (kernels[:1] if rival else kernels)


COMMAND = """
import sys
from freshtake.numeric import compiled
from freshtake.workflows import compiling
compiling.compile_after = lambda command: print("after", command)
if sys.argv.pop(1) == "compiled":
    compiled._compiled_here.append("something")
from freshtake.cli import main
main()
"""


@pytest.mark.parametrize("had_to", ["compiled", "not"])
def test_only_a_command_that_had_to_compile_prepares_the_next_one(tmp_path: Path, had_to: str) -> None:
    words = [had_to, "samples", "write", "walk", "-n", "1", "-o", "walks"]
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ("after samples write" in done.stdout) == (had_to == "compiled")
