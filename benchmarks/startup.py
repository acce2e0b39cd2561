"""Measure how long a command takes from start to its last line."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from benchmarks.timing import child_seconds, least_child_cpu, table

HELP, VARY = 0.2, 0.6  # targets, CPU seconds


def startup(path: Path, runs: int = 7) -> str:
    script = Path(sys.executable).with_name("freshtake")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "freshtake"]
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        takes, model = f"{scratch}/takes", f"{scratch}/walk.ftm"
        varying = [*command, "vary", model, "-n", "1", "-o", f"{scratch}/variants", "--force"]
        for words in (["samples", "write", "walk", "-n", "4", "-o", takes], ["learn", takes, "-o", model]):
            least_child_cpu([*command, *words], 1)
        for name, arguments in (
            ("python -c pass", [sys.executable, "-c", "pass"]),
            ("python -c 'import numpy'", [sys.executable, "-c", "import numpy"]),
            ("python -c 'import numba'", [sys.executable, "-c", "import numba"]),
            ("import freshtake", [sys.executable, "-c", "import freshtake"]),
            ("freshtake --version", [*command, "--version"]),
            (f"freshtake --help (target: {HELP})", [*command, "--help"]),
            ("freshtake info FILE", [*command, "info", str(path)]),
            (f"freshtake vary MODEL -n 1 (target: {VARY})", varying),
        ):
            least_child_cpu(arguments, 1)  # compiles, and writes byte code
            cpu, wall = child_seconds(arguments, runs)
            rows.append([name, f"{least_child_cpu(arguments, runs):.2f}", f"{cpu:.2f}", f"{wall:.2f}"])
    load = f"load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores"
    return table(f"Start-up ({load})", ("command", "CPU s, minimum", "CPU s, median", "wall s, median"), rows)
