"""The countdown of compiling: what is expected, less what is done, at the pace of this machine."""

from __future__ import annotations

import importlib
from importlib import resources

import pytest

from freshtake.workflows.compiling import Countdown, expected_times
from tests.cli.test_grammar import COMMANDS

ROWS = [
    line.split(",")
    for line in resources.files("freshtake.workflows").joinpath("compile_times.csv").read_text().splitlines()[1:]
]


def test_the_countdown_learns_the_pace_and_counts_what_is_inside_a_kernel_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("freshtake.workflows.compiling.LEAST_ANNOUNCED", 3.0)
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
    monkeypatch.setattr("freshtake.workflows.compiling.LEAST_ANNOUNCED", 3.0)
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
