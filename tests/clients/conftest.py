"""The separate programs that read our files: where they are, and how to run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = Path(os.environ.get("FRESHTAKE_CLIENTS", ROOT / ".clients"))
ENVIRONMENT = CLIENTS / "venv"
BLENDER = ENVIRONMENT / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

Imported = dict[str, dict[str, Any]]


def blenders() -> dict[str, Path]:
    """The Pythons that have Blender as a module, by its version; FRESHTAKE_BLENDERS names others, by colons."""
    given = os.environ.get("FRESHTAKE_BLENDERS")
    homes = [BLENDER, *[CLIENTS / name / "bin/python" for name in ("blender45", "blender42", "blender52")]]
    paths = [Path(text) for text in given.split(os.pathsep)] if given else homes
    return {path.parents[1].name: path for path in paths if path.is_file()}


BLENDERS = blenders()
CHECKS = Path(__file__).with_name("blender_checks")


def run_in_blender(python: Path, script: str, *arguments: str | Path, seconds: float = 600.0) -> str:
    """Run one of blender_checks' scripts; its output is returned, and shown when it fails."""
    environment = {**os.environ, "FRESHTAKE_CHILD_PYTHON": sys.executable}
    done = subprocess.run(
        [python, CHECKS / script, *arguments], capture_output=True, text=True, timeout=seconds, check=False,
        env=environment,
    )  # fmt: skip
    assert done.returncode == 0, f"{script} failed in Blender:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="session", params=BLENDERS or ["none"])
def each_blender(request: pytest.FixtureRequest) -> Path:
    """The Python of every available Blender, in turn."""
    if request.param not in BLENDERS:
        pytest.skip("Blender's module is not installed: run make clients")
    return BLENDERS[request.param]


@pytest.fixture(scope="session")
def blender(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Sequence[Path | str]], Imported]:
    """A function that imports files in one Blender process (30 fps) and returns what it found in each.

    `FILE@new` is imported by the newer of Blender's two FBX importers, with all its actions.
    """
    if not BLENDER.is_file():
        pytest.skip("Blender's module is not installed: run make clients")

    def run(paths: Sequence[Path | str]) -> Imported:
        out = tmp_path_factory.mktemp("blender") / "found.json"
        script = Path(__file__).with_name("blender_import.py")
        done = subprocess.run(
            [BLENDER, script, out, "30", *paths], capture_output=True, text=True, timeout=300, check=False
        )
        assert out.is_file(), f"Blender could not import our files:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return {path.rpartition("/")[2]: found for path, found in json.loads(out.read_text()).items()}

    return run
