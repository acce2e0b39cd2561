"""First commands after an installation, run in parallel: each compiles, one is killed, and all share one cache."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from freshtake.numeric.compiled import MARK
from tests.faults.commands import words_of
from tests.faults.forks import Counts
from tests.faults.trial import content

AT_ONCE = 3
NAME = "plant"  # compiles within seconds


def compile_at_once(home: Path) -> Counts:
    """Start commands with an empty cache at once, and kill a further one; then run a command with a full cache."""
    cache, counts = home / "cache", Counts(faults=AT_ONCE + 1, in_work=AT_ONCE)
    targets = [home / f"first_{number}" / "planted.bvh" for number in range(AT_ONCE + 2)]
    processes = [_started(target, cache) for target in targets[:-1]]
    while not list(cache.rglob("*.nbc")) and processes[-1].poll() is None:
        time.sleep(0.01)
    counts.in_work += int(processes[-1].poll() is None)
    processes[-1].kill()
    codes = [process.wait() for process in processes[:-1]]
    processes[-1].wait()
    before = _code_files(cache)
    codes.append(_started(targets[-1], cache).wait())
    results = [content(target) for target in (*targets[:AT_ONCE], targets[-1])]
    counts.not_completed = sum(code != 0 for code in codes) + sum(result != results[-1] for result in results)
    counts.corrupt = sum(not data.startswith(MARK) for data in before.values())
    # A complete cache is only read; a damaged one would be rewritten.
    counts.other = int(_code_files(cache) != before or not before)
    # The killed command may leave one file, which is removed when it is ten minutes old.
    counts.left_over = max(len(list(cache.rglob("*.tmp"))) - 1, 0)
    return counts


def _code_files(cache: Path) -> dict[str, bytes]:
    return {str(path.relative_to(cache)): path.read_bytes() for path in sorted(cache.rglob("*.nbc"))}


def _started(target: Path, cache: Path) -> subprocess.Popen[bytes]:
    target.parent.mkdir(exist_ok=True)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    return subprocess.Popen([sys.executable, "-m", "freshtake", *words_of(NAME, target)], env=environment)
