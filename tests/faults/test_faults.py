"""The fault suite detects faults, and one command passes all of the suite."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from freshtake.cli.entry import run
from freshtake.formats import files
from tests.faults import surroundings
from tests.faults.forks import Counts
from tests.faults.trial import Trial

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="faults are tried in forks")


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trial:
    """Return a command that plants a walk."""
    assert run(["samples", "write", "walk", "-n", "1", "-o", str(tmp_path / "walk"), "-q"]) == 0
    monkeypatch.chdir(tmp_path)
    return Trial(tmp_path, "plant")


@pytest.mark.parametrize("fault", ["every_flush", "full_disk", "small_disk", "wrong_clock"])
def test_a_command_passes(trial: Trial, fault: str) -> None:
    counts = getattr(surroundings, fault)(trial)
    assert counts.wrong == 0, counts.problems


def test_a_command_that_is_killed_is_completed(trial: Trial) -> None:
    trial.clear()
    counts = trial.judged(trial.killed_after(0.0))
    assert (counts.faults, counts.in_work, counts.wrong) == (1, 1, 0)


def test_half_a_file_and_leftovers_are_seen(trial: Trial) -> None:
    trial.clear()
    trial.target.write_bytes((trial.expected or {})[""][:-10])
    assert trial.judged(True).corrupt == 1
    (trial.place / ".half.tmp").touch()
    (trial.place / "half.bvh").touch()
    assert trial.judged(True).left_over == 2
    trial.words = ["plant", "nothere.bvh", "-o", str(trial.target), "--quiet"]
    assert trial.judged(True).not_completed == 1


def test_a_file_of_a_living_process_that_is_removed_is_seen(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that is decades off reveals a rule that recognizes leftovers by their age alone."""

    def by_age(folder: Path) -> None:
        for path in folder.glob(".*.tmp"):
            if time.time() - path.stat().st_mtime > 86400.0:
                path.unlink()

    monkeypatch.setattr(files, "_clear_leftovers", by_age)
    assert surroundings.wrong_clock(trial).other == 2


def test_counts_add_up() -> None:
    total = Counts(faults=1, corrupt=2, problems=["a"]) + Counts(faults=3, other=1, problems=["b"])
    assert total == Counts(faults=4, corrupt=2, other=1, problems=["a", "b"]) and total.wrong == 3
