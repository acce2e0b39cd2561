"""Examples load with the current version and say how to run them; `make test-docs` also runs them."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_loads_and_says_how_it_is_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(path.parent))
    loaded = runpy.run_path(str(path), run_name="example")
    assert f"python examples/{path.name}" in (loaded["__doc__"] or "")


def test_examples_are_numbered_one_by_one() -> None:
    assert [path.name[:2] for path in EXAMPLES] == [f"{k:02d}" for k in range(1, len(EXAMPLES) + 1)]


@pytest.mark.skipif(not os.environ.get("FRESHTAKE_DOCS"), reason="minutes: make test-docs")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_runs(path: Path, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, path, tmp_path], cwd=tmp_path, env={**os.environ, "MPLBACKEND": "Agg"}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
