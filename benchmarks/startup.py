"""How long a command takes from the return key to its last line."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.timing import child_seconds, table


def startup(path: Path) -> str:
    script = Path(sys.executable).with_name("freshtake")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "freshtake"]
    rows = []
    for name, arguments in (
        ("python -c pass", [sys.executable, "-c", "pass"]),
        ("python -c 'import numpy'", [sys.executable, "-c", "import numpy"]),
        ("import freshtake", [sys.executable, "-c", "import freshtake"]),
        ("freshtake --help", [*command, "--help"]),
        ("freshtake info FILE", [*command, "info", str(path)]),
    ):
        cpu, wall = child_seconds(arguments)
        rows.append([name, f"{cpu:.2f}", f"{wall:.2f}"])
    return table("Start-up (target for --help: below 0.4 s)", ("command", "CPU s", "wall s"), rows)
