"""Kill every writing command at random moments, and meet full disks: python -m tests.faults --kills 300 [--seed 1].

A child is forked from a process in which all code is loaded, so that kills fall into the work and not into the start.
After a kill the result is as it was before or as it should be, never in between; the same command run again completes
it, with the same bytes, and leaves no temporary file. Prints a table, and exits with 1 where anything was otherwise.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.cli.entry import run
from freshtake.formats import files
from tests.faults.commands import COMMANDS, prepare, words_of

# Pages and reports name the moment they were made: they have to be whole, not equal.
SAME_SIZE_ONLY = {"evaluate", "view"}
# Results that grow file by file, each of them whole: shards of a crowd, loops of several clips, samples.
FILE_BY_FILE = {"crowd", "loop", "samples"}


class Row(NamedTuple):
    """What became of one command under its faults."""

    command: str
    kills: int
    during: int
    finished: int
    corrupt: int
    not_completed: int
    leftovers: int


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=300, help="over all commands")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=COMMANDS)
    options = parser.parse_args()
    names = options.only or list(COMMANDS)
    failed = False
    with tempfile.TemporaryDirectory(prefix="freshtake-faults-") as folder:
        home = Path(folder)
        prepare(home)
        os.chdir(home)
        heads = ("kills", "during", "finished", "corrupt", "not completed", "left over")
        print(f"{'command':18}" + "".join(f"{head:>15}" for head in heads))
        for number, name in enumerate(names):
            rng = np.random.default_rng([options.seed, number])
            row = kill_often(home, name, -(-options.kills // len(names)), rng)
            wrong = row.corrupt + row.not_completed + row.leftovers + full_disk(home, name)
            failed |= wrong > 0
            print(f"{row.command:18}" + "".join(f"{value:15}" for value in row[1:]), flush=True)
    return 1 if failed else 0


def content(target: Path) -> dict[str, bytes] | None:
    """Return the files of a result by name, without those that are being written; None where there is none."""
    if target.is_dir():
        files_of = (p for p in sorted(target.rglob("*")) if p.is_file() and not p.name.startswith("."))
        return {str(p.relative_to(target)): p.read_bytes() for p in files_of}
    return {"": target.read_bytes()} if target.exists() else None


def child(work: Callable[[], int]) -> int:
    """Run something in a fork of this process, and return the fork's number."""
    process = os.fork()
    if process == 0:
        os.setsid()
        files._cleared.clear()  # a new process looks for leftovers in every folder once
        code = 70
        try:
            code = work()
        finally:
            os._exit(code)
    return process


def kill_often(home: Path, name: str, kills: int, rng: np.random.Generator) -> Row:
    """Kill one command at random moments of its work."""
    place = home / "place"
    target = place / COMMANDS[name][1]
    words = words_of(name, target)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    assert run(words) == 0, name  # loads and compiles what it needs
    shutil.rmtree(place)
    place.mkdir()
    began = time.monotonic()
    _, status = os.waitpid(child(lambda: run(words)), 0)
    took = time.monotonic() - began
    assert status == 0, name
    expected = content(target)
    during = finished = corrupt = not_completed = leftovers = 0
    for _ in range(kills):
        shutil.rmtree(place)
        place.mkdir()
        process = child(lambda: run(words))
        time.sleep(float(rng.random()) * took * 1.1)
        try:
            os.killpg(process, signal.SIGKILL)
        except ProcessLookupError:  # it has ended, or has not yet become the leader of a group
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        killed = os.WIFSIGNALED(status)
        during, finished = during + killed, finished + (not killed)
        found = content(target)
        partial = name in FILE_BY_FILE and found is not None and len(found) < len(expected or ())
        whole = {key: (expected or {})[key] for key in found or ()} if partial else expected
        if found is not None and not alike(found, whole, name):
            corrupt += 1
        again = [*words] if found is None or (partial and name == "crowd") else [*words, "--force"]
        _, status = os.waitpid(child(lambda again=again: run(again)), 0)  # type: ignore[misc]
        if status != 0 or not alike(content(target), expected, name):
            not_completed += 1
        leftovers += len([p for p in place.rglob("*") if p.name.startswith(".") or (p.parent == place and p != target)])
    return Row(name, kills, during, finished, corrupt, not_completed, leftovers)


def alike(found: dict[str, bytes] | None, expected: dict[str, bytes] | None, name: str) -> bool:
    """Return whether a result is the expected one."""
    if found is None or expected is None or name not in SAME_SIZE_ONLY:
        return found == expected
    return set(found) == set(expected) and all(
        abs(len(found[key]) - len(expected[key])) < 0.01 * len(expected[key]) + 200 for key in found
    )


def full_disk(home: Path, name: str) -> int:
    """Run a command whose files may grow to a few bytes only; returns 1 where anything is left under the final name."""
    place = home / "full"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    target = place / COMMANDS[name][1]

    def work() -> int:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then a write beyond the limit fails, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        return run(words_of(name, target))

    _, status = os.waitpid(child(work), 0)
    code = os.waitstatus_to_exitcode(status)
    wrong = code not in (1, 2, 74) or (target.exists() and name not in FILE_BY_FILE)
    if wrong:
        print(f"  {name}: full disk: exit code {code}, result {'there' if target.exists() else 'absent'}")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
