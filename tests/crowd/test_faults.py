"""What goes wrong while a crowd is made: workers that are killed, a full disk; the same command continues."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from freshtake.crowd import Group, Plan, crowd_make

LIMITED = """
import resource, signal, sys
from freshtake.cli.entry import run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then a write beyond the limit fails, as on a full disk
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.exit(run(sys.argv[2:]))
"""


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def children(process: int) -> list[int]:
    """Processes that a process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            after = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(after[1]) == process:
            found.append(int(path.parent.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found by /proc")
def test_a_killed_worker_of_this_machine_costs_what_it_was_at(walk: Path, tmp_path: Path) -> None:
    plan, folder = Plan((Group(walk),), 24, 0.4, shard_size=1), tmp_path / "pool"
    killed: list[int] = []
    others = {*children(os.getpid())}  # processes of other tests that still run here

    def working(process: int) -> bool:  # the pool's workers, not the process that looks after shared memory
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()

    def kill() -> None:
        until = time.monotonic() + 300.0
        while len(list(folder.glob("records/*.json"))) < 2 and time.monotonic() < until:
            time.sleep(0.002)
        for process in [p for p in children(os.getpid()) if p not in others and working(p)][:1]:
            os.kill(process, signal.SIGKILL)
            killed.append(len(list(folder.glob("records/*.json"))))

    killer = threading.Thread(target=kill)
    killer.start()
    made = crowd_make(plan, folder, workers=2)
    killer.join()
    assert killed and killed[0] < 24 and made.missing == 0
    crowd_make(plan, tmp_path / "one", workers=1)
    assert content(folder) == content(tmp_path / "one")


def test_a_full_disk_is_one_sentence_and_the_same_command_goes_on(walk: Path, tmp_path: Path) -> None:
    folder = tmp_path / "crowd"
    words = ["crowd", str(walk), "-n", "6", "--seconds", "0.4", "-o", str(folder), "--workers", "1"]
    limit = ["20000"]  # less than a shard, more than the settings
    command = [sys.executable, "-c", LIMITED, *limit, *words]
    stopped = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert stopped.returncode == 2 and len(stopped.stderr.strip().splitlines()) == 1, stopped.stderr
    assert "shard_000001.npz" in stopped.stderr and "Traceback" not in stopped.stderr
    assert not list(folder.glob("shard_*")) and not list(folder.glob("records/*")) and not list(folder.rglob("*.tmp"))
    subprocess.run([sys.executable, "-m", "freshtake", *words, "--quiet"], check=True, timeout=300)
    crowd_make(Plan((Group(walk),), 6, 0.4), tmp_path / "whole", workers=1)
    assert content(folder) == content(tmp_path / "whole")
