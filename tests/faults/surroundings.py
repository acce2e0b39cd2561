"""Faults in a command's environment: disks, clocks, and kills when it flushes files."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from freshtake.formats import files
from tests.faults.commands import FILE_BY_FILE, run_words
from tests.faults.forks import Counts, ended, forked, silence
from tests.faults.trial import Trial

REFUSED = (1, 2, 74)  # exit codes of a command that cannot write; one file of several may have failed
YEARS = 365.25 * 86400.0
CLOCKS = (-time.time(), 35.0 * YEARS)  # seconds off: 1970, as of a machine whose battery is empty, and decades ahead
LOCKED = f".other.{files._machine()}-{'0' * 16}.tmp"
ABANDONED = f".other.{files._machine()}-{'1' * 16}.tmp"


def every_flush(trial: Trial) -> Counts:
    """Kill a command at each flush, before and after the system has flushed a file, or the names in a folder."""
    counts = Counts()
    for number in range(1000):
        for after in (False, True):
            trial.clear()
            in_work = ended(forked(lambda number=number, after=after: _killed_at_flush(trial, number, after))) < 0  # type: ignore[misc]
            if not in_work:  # there are no more flushes
                return counts
            counts += trial.judged(in_work)
    raise AssertionError(f"{trial.name} flushes without end")


def _killed_at_flush(trial: Trial, number: int, after: bool) -> int:
    flush, count = os.fsync, 0

    def fsync(descriptor: int) -> None:
        nonlocal count
        if count == number and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        flush(descriptor)
        if count == number:
            os.kill(os.getpid(), signal.SIGKILL)
        count += 1

    os.fsync = fsync  # type: ignore[assignment]
    return run_words(trial.words)


def full_disk(trial: Trial) -> Counts:
    """Simulate a full disk: no file may grow beyond a few bytes."""
    trial.clear()

    def work() -> int:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then a write beyond the limit fails, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
        silence()
        return run_words(trial.words)

    return _refused(trial, ended(forked(work)))


def _run_silently(trial: Trial) -> int:
    silence()
    return run_words(trial.words)


def small_disk(trial: Trial) -> Counts:
    """Use up the disk or quota after half of the result, or nearly all of it; then free space."""
    counts = Counts()
    needed = sum(-(-len(data) // 4096) * 4 for data in (trial.expected or {}).values())  # kilobytes, in pages
    for share in (0.5, 0.9):
        shutil.rmtree(trial.place, ignore_errors=True)
        trial.place.mkdir()
        with _mounted(trial.place, max(int(share * needed) // 4 * 4, 4)) as mounted:
            if not mounted:
                counts.problems = ["no permission to mount a small disk: not tried"]
                return counts
            code = ended(forked(partial(_run_silently, trial)))
            subprocess.run(["mount", "-o", "remount,size=1g", str(trial.place)], check=True)
            counts += _refused(trial, code)
    return counts


@contextlib.contextmanager
def _mounted(place: Path, kilobytes: int) -> Iterator[bool]:
    """Mount a disk in memory of this size, if this user may."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", str(place)]
    mounted = shutil.which("mount") is not None and subprocess.run(command, capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(place)], check=True)


def _refused(trial: Trial, code: int) -> Counts:
    """Check a command that could not write all files."""
    counts = Counts(other=int(code not in REFUSED or (trial.target.exists() and trial.name not in FILE_BY_FILE)))
    if counts.other:
        there = "there" if trial.target.exists() else "absent"
        counts.problems = [f"{trial.name}: exit code {code} where there is no space, result {there}"]
    return counts + trial.judged(True)


def wrong_clock(trial: Trial) -> Counts:
    """Set the clock decades off: leftovers are removed whatever their dates, files of a running process stay."""
    counts = Counts()
    for off in CLOCKS:
        trial.clear()
        # A command that writes file by file clears its target folder, and another command's file there is a refusal.
        inside = trial.name in FILE_BY_FILE
        places = [trial.target / ABANDONED] if inside else [trial.place / ABANDONED, trial.place / LOCKED]
        for path in places:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"unfinished")
            os.utime(path, (86400.0, 86400.0) if off > 0.0 else (90.0 * YEARS, 90.0 * YEARS))
        lock = None if inside else files._locked(places[1])
        code = ended(forked(lambda off=off: _at_another_time(trial, off)))  # type: ignore[misc]
        stays, goes = inside or places[1].exists(), not places[0].exists()
        if code != 0 or not stays or not goes:
            counts.other += 1
            counts.problems.append(f"{trial.name}: {off / YEARS:.0f} years off: {code}, stays {stays}, goes {goes}")
        if lock is not None:
            os.close(lock)
            places[1].unlink(missing_ok=True)
        counts += trial.judged(True)
    return counts


def _at_another_time(trial: Trial, off: float) -> int:
    true_time = time.time
    time.time = lambda: true_time() + off
    return run_words(trial.words)
