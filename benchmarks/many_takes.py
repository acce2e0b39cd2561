"""Learning from many takes: python -m benchmarks.many_takes [counts]. CPU and wall time and peak memory of `learn`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import freshtake as ft
from benchmarks.timing import table

COUNTS = (4, 12, 40, 100, 400)


def many_takes(counts: tuple[int, ...] = COUNTS) -> str:
    """Run `freshtake learn` on sample walks of one cycle."""
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        paths = [Path(scratch) / f"walk_{number:03d}.bvh" for number in range(max(counts))]
        for number, path in enumerate(paths):
            ft.write(path, ft.samples.walk(np.random.default_rng([5, number])))
        for count in (counts[0], *counts):  # the first run compiles
            command = [sys.executable, "-m", "freshtake", "learn", *map(str, paths[:count])]
            begun = time.perf_counter()
            child = subprocess.Popen([*command, "--force", "-o", f"{scratch}/m.ftm"], stdout=-3, stderr=-3)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            wall, cpu = time.perf_counter() - begun, used.ru_utime + used.ru_stime
            rows.append([f"{count}", f"{cpu:.1f}", f"{wall:.1f}", f"{used.ru_maxrss / 1024:.0f}"])
    return table("Learning from many takes", ["takes", "CPU s", "wall s", "peak memory, MiB"], rows[1:])


if __name__ == "__main__":
    print(many_takes(tuple(int(x) for x in sys.argv[1:]) or COUNTS))
