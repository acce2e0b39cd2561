"""Time the first and the second learn and vary after an installation, with an empty cache and an empty home.

python -m benchmarks.first_use; targets: `learn` and `vary` together 20 s of CPU, 12 s of wall time on two free cores.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.timing import table, usual_environment

COMMANDS = {
    "learn": ["learn", "takes", "-o", "walk.ftm", "--force"],
    "vary": ["vary", "walk.ftm", "-n", "15", "-o", "variants", "--force"],
    "vary -n 1": ["vary", "walk.ftm", "-n", "1", "-o", "one", "--force"],
}


def spent(words: list[str], folder: Path, environment: dict[str, str], core: str) -> tuple[float, float]:
    """Return CPU and wall seconds of one command; `core`, unless empty, is the only core that it may use."""
    command = [*(["taskset", "-c", core] if core else []), sys.executable, "-m", "freshtake", *words, "-q"]
    before, start = os.times(), time.perf_counter()
    subprocess.run(command, check=True, cwd=folder, env=environment)
    after, wall = os.times(), time.perf_counter() - start
    return after.children_user - before.children_user + after.children_system - before.children_system, wall


def main() -> None:
    rows = []
    for cores, core in (("two cores", ""), ("one core", "0")):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            environment = {**usual_environment(), "HOME": f"{name}/home", "NUMBA_CACHE_DIR": f"{name}/code"}
            spent(["samples", "write", "walk", "-n", "4", "-o", "takes"], folder, environment, "")
            first = {command: spent(words, folder, environment, core) for command, words in COMMANDS.items()}
            second = {command: spent(words, folder, environment, core) for command, words in COMMANDS.items()}
        for command in COMMANDS:
            numbers = (*first[command], *second[command])
            rows.append([command, cores, *[f"{value:.1f}" for value in numbers]])
    head = ("command", "on", "first, CPU s", "first, wall s", "second, CPU s", "second, wall s")
    load = f"load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores"
    print(table(f"First use, empty cache and home ({load})", head, rows))


if __name__ == "__main__":
    main()
