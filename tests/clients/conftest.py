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
