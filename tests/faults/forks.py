"""Processes forked for faults, and counts of what happened to their results."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field

from freshtake.formats import files


@dataclass
class Counts:
    """Counts of faults and of their effects on results."""

    faults: int = 0
    in_work: int = 0  # faults that came before the command ended
    corrupt: int = 0  # results that are neither unchanged nor complete
    not_completed: int = 0  # by the same command, run again
    left_over: int = 0  # temporary files after that
    other: int = 0  # wrong exit codes or sentences
    problems: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> int:
        """Return the number of failures."""
        return self.corrupt + self.not_completed + self.left_over + self.other

    def __add__(self, more: Counts) -> Counts:
        names = ("faults", "in_work", "corrupt", "not_completed", "left_over", "other", "problems")
        return Counts(*[getattr(self, name) + getattr(more, name) for name in names])


def forked(work: Callable[[], int]) -> int:
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


def ended(process: int) -> int:
    """Wait for a fork and return its exit code, or its signal as a negative number."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def silence() -> None:
    """Discard what this process reports, if that is expected."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
