# SPDX-License-Identifier: GPL-3.0-or-later
"""Compile once after installing: in a few separate processes at a time, in the background."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from .client import Child, Failed, Handle, Progress, Result

MARK = "prepared.json"
MOST_PROCESSES = 3


def _made(cache: Path) -> Child:
    return Child(cache, low_priority=True)


class Preparation:
    """Call `tick` from a timer until it returns False; it never waits. `sentence` is for the status line."""

    def __init__(self, cache: Path, processes: int | None = None, made: Callable[[Path], Child] = _made) -> None:
        from freshtake.workflows.compiling import STEPS, expected_of_steps  # reads only a table

        self._after = {name: step.after for name, step in STEPS.items()}
        self._mark = cache / MARK
        self._expected = {step: sum(times.values()) for step, times in expected_of_steps().items()}
        self._waiting: list[str] = []
        self._question: Handle | None = None  # asks which steps the shipped machine code does not cover
        self._answered = False
        count = processes or max(1, min(MOST_PROCESSES, os.cpu_count() or 1))
        self.children = [made(cache) for _ in range(count)]
        self._running: dict[int, tuple[str, Handle]] = {}
        self._left: dict[str, float] = {}
        self.sentence = ""
        self.done = read_mark(self._mark) == release()
        if self._mark.exists() and not self.done:  # of another release: its code can no longer be used
            shutil.rmtree(cache, ignore_errors=True)

    def tick(self) -> bool:
        """Continue; return False when there is nothing left to do."""
        if self.done:
            return False
        if not self._answered:
            self._ask()
            return not self.done
        for number, child in enumerate(self.children):
            if number in self._running:
                self._hear(number)
            step = None if number in self._running or self.done else self._next()
            if step is not None:
                self._waiting.remove(step)
                self._running[number] = (step, child.request("warm_up", {"steps": [step]}))
        if not self._running and not self.done:
            self._mark.parent.mkdir(parents=True, exist_ok=True)
            self._mark.write_text(json.dumps(release()), encoding="utf-8")
            self._end("")
        elif not self.done:
            self.sentence = f"preparing, {self.seconds_left:.0f} s left"
        return not self.done

    def _ask(self) -> None:
        """Ask the child which steps need compiling."""
        if self._question is None:
            self._question = self.children[0].request("unprepared", {})
        for event in self._question.poll():
            match event:
                case Result():
                    self._waiting, self._answered = list(event.values["steps"]), True
                case Failed():
                    self._fail(event.sentence)

    def _next(self) -> str | None:
        """Return a step whose dependencies are all compiled, so nothing is compiled twice."""
        open_steps = {*self._waiting, *[step for step, _ in self._running.values()]}
        return next((step for step in self._waiting if not open_steps & {*self._after[step]}), None)

    @property
    def seconds_left(self) -> float:
        """Return the seconds left of running steps (as reported) and of waiting steps (as expected), in parallel."""
        running = [self._left.get(step, self._expected[step]) for step, _ in self._running.values()]
        work = sum(running) + sum(self._expected[step] for step in self._waiting)
        return max(work / len(self.children), *running, 1.0)

    def close(self) -> None:
        """End all processes; code compiled so far is kept."""
        self._end("")

    def _hear(self, number: int) -> None:
        step, handle = self._running[number]
        for event in handle.poll():
            match event:
                case Progress():
                    if event.seconds_left is not None:
                        self._left[step] = event.seconds_left
                case Result():
                    del self._running[number]
                case Failed():
                    self._fail(event.sentence)
                    return

    def _fail(self, sentence: str) -> None:
        self._end(f"freshtake could not be prepared: {sentence}")

    def _end(self, sentence: str) -> None:
        self.done, self.sentence = True, sentence
        for child in self.children:
            child.close()


def release() -> str:
    """Identify the installed release of freshtake and Python: code for another release is compiled again."""
    import freshtake

    text = f"{freshtake.__version__} {Path(freshtake.__file__).stat().st_mtime_ns} {sys.version}"
    return hashlib.sha256(text.encode()).hexdigest()


def read_mark(path: Path) -> str:
    """Return the release that was compiled last."""
    try:
        return str(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return ""
