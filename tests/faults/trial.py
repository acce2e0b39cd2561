"""One command, run in a fork, and a check of its result after a fault."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path

from tests.faults.commands import COMMANDS, FILE_BY_FILE, SAME_SIZE_ONLY, run_words, words_of
from tests.faults.forks import Counts, ended, forked

Content = dict[str, bytes]


def content(target: Path) -> Content | None:
    """Return the files of a result by name, without unfinished files; None if there is no result."""
    if target.is_dir():
        paths = (p for p in sorted(target.rglob("*")) if p.is_file() and not p.name.startswith("."))
        return {str(p.relative_to(target)): p.read_bytes() for p in paths}
    return {"": target.read_bytes()} if target.exists() else None


class Trial:
    """A command with a folder for its result, and the result of an undisturbed run."""

    def __init__(self, home: Path, name: str) -> None:
        self.name, self.home = name, home
        self.place = home / "place"
        self.target = self.place / COMMANDS[name][1]
        self.words = words_of(name, self.target)
        self.clear()
        # Loads and compiles what the command needs, in this process, so forks have it.
        assert run_words(self.words) == 0, name
        self.clear()
        began = time.monotonic()
        assert ended(forked(lambda: run_words(self.words))) == 0, name
        self.seconds = time.monotonic() - began
        self.expected = content(self.target)
        assert self.expected, name

    def clear(self) -> None:
        """Empty the folder."""
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()

    def killed_after(self, seconds: float) -> bool:
        """Run the command and kill it; return whether the kill came before its end."""
        process = forked(lambda: run_words(self.words))
        time.sleep(seconds)
        try:
            os.killpg(process, signal.SIGKILL)
        except ProcessLookupError:  # it has ended, or has not yet become the leader of a group
            os.kill(process, signal.SIGKILL)
        return ended(process) < 0

    def judged(self, in_work: bool) -> Counts:
        """Check the files after a fault, rerun the command, and check the result."""
        counts = Counts(faults=1, in_work=int(in_work))
        left = content(self.target)
        partial = self.name in FILE_BY_FILE and left is not None and len(left) < len(self.expected or ())
        if left is not None:
            complete = {key: (self.expected or {}).get(key, b"") for key in left} if partial else self.expected
            counts.corrupt = int(not self.alike(left, complete))
        # A crowd continues where it was; any other result has to be replaced.
        again = [*self.words] if left is None or (partial and self.name == "crowd") else [*self.words, "--force"]
        code = ended(forked(lambda: run_words(again)))
        counts.not_completed = int(code != 0 or not self.alike(content(self.target), self.expected))
        counts.left_over = len(self.leftovers())
        if counts.wrong:
            counts.problems = [f"{self.name}: exit code {code} when run again, left over: {self.leftovers()}"]
        return counts

    def leftovers(self) -> list[str]:
        """Return the files that belong to no result."""
        every = self.place.rglob("*")
        return [p.name for p in every if p.name.startswith(".") or (p.parent == self.place and p != self.target)]

    def alike(self, result: Content | None, expected: Content | None) -> bool:
        """Return whether a result is the expected one."""
        if result is None or expected is None or self.name not in SAME_SIZE_ONLY:
            return result == expected
        sizes = {key: (len(result.get(key, b"")), len(value)) for key, value in expected.items()}
        return set(result) == set(expected) and all(abs(a - b) < 0.01 * b + 200 for a, b in sizes.values())
