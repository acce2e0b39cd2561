"""What the commands print with: results on stdout, progress and warnings on stderr, colors on terminals only."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from freshtake.methods.progress import Progress as Step
    from freshtake.methods.progress import Report
    from freshtake.workflows.compiling import Countdown

BETWEEN_LINES = 30.0  # seconds
PIPE_WIDTH = 160  # columns of tables where there is no terminal that has a width


_quiet: ContextVar[bool] = ContextVar("quiet", default=False)
_command: ContextVar[str] = ContextVar("command", default="")
_repeats: ContextVar[dict[str, int] | None] = ContextVar("repeats", default=None)


def begin(command: str, quiet: bool) -> None:
    """Set the command that runs; a quiet one prints only errors and, with --json, its JSON."""
    _command.set(command)
    _quiet.set(quiet)
    _repeats.set({})


def end() -> None:
    """Print how many files each repeated warning concerns."""
    for what, count in (_repeats.get() or {}).items():
        if count > 1 and not _quiet.get():
            more = "1 more file" if count == 2 else f"{count - 1} more files"
            print(f"freshtake: note: the same for {more}: {what.partition(';')[0]}", file=sys.stderr)


def output() -> Console:
    """Return the console for results, on stdout."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True, quiet=_quiet.get())


def messages() -> Console:
    """Return the console for everything else, on stderr."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True, quiet=_quiet.get())


def print_json(value: Any) -> None:
    """Print one JSON document to stdout; numbers that JSON does not have become null."""
    ascii_only = str(getattr(sys.stdout, "encoding", None) or "utf-8").lower() not in ("utf-8", "utf8")
    sys.stdout.write(json.dumps(_finite(value), indent=2, ensure_ascii=ascii_only, allow_nan=False) + "\n")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def in_words(motion: Any) -> str:
    """Describe the length of a motion in frames and seconds, and what it consists of."""
    from freshtake.workflows.outputs import seconds_of

    count = len(motion)
    parts = {"skeleton": "joints", "names": "points", "faces": "faces"}
    of = next((f", {len(getattr(motion, key))} {word}" for key, word in parts.items() if hasattr(motion, key)), "")
    if not hasattr(motion, "fps"):
        return f"{count} points"
    return f"{count} frame{'' if count == 1 else 's'} at {motion.fps:g} fps ({seconds_of(motion):.2f} s){of}"


def say(sentence: str) -> None:
    """Print one line of the result without rich, which takes 20 ms to load."""
    if not _quiet.get():
        print(sentence)


def made_facts(result: Any) -> dict[str, Any]:
    """Return file, length, verdicts and path error of a motion that was written, for JSON."""
    from freshtake.workflows.outputs import seconds_of

    facts = {"written": str(result.path), "frames": len(result.motion), "duration_s": seconds_of(result.motion)}
    facts["verdicts"] = [{"color": one.color, "remarks": one.sentences} for one in result.verdicts]
    return facts if result.followed is None else {**facts, "path": result.followed._asdict()}


def say_made(result: Any) -> None:
    """Print the facts of `made_facts` in words."""
    from freshtake.motion.verdict import verdict_line
    from freshtake.workflows.making import path_sentence

    say(f"wrote {result.path}: {in_words(result.motion)}")
    if result.verdicts:
        say(verdict_line(result.verdicts, "it"))
    if result.followed is not None:
        say(path_sentence([result.followed], result.motion))


def warn(sentence: str) -> None:
    """Print a warning to stderr; repeats of it for further files are only counted."""
    file, colon, what = sentence.partition(": ")
    repeats = _repeats.get()
    if repeats is not None and colon and " " not in file:
        repeats[what] = repeats.get(what, 0) + 1
        if repeats[what] > 1:
            return
    if not _quiet.get():
        print(f"freshtake: note: {sentence}", file=sys.stderr)


@contextmanager
def progress_bar() -> Iterator[Report]:
    """Yield a report callable that draws a bar on stderr, or prints lines where stderr is no terminal."""
    if _quiet.get():
        yield lambda step: None
        return
    from freshtake.numeric.compiled import tell_of_compiling

    # Without a terminal rich is not loaded: 20 ms of every command in a script.
    console = messages() if sys.stderr.isatty() or "FORCE_COLOR" in os.environ else None
    drawn = _drawn_bar(console) if console is not None and console.is_terminal else _lines()
    with drawn as (report, countdown):
        tell_of_compiling(countdown.heard)
        try:
            yield report
        finally:
            tell_of_compiling(None)


@contextmanager
def _lines() -> Iterator[tuple[Report, Countdown]]:
    def say(line: str) -> None:
        print(f"freshtake: {line}", file=sys.stderr)

    countdown = _countdown(say)
    yield occasional_lines(say, time.monotonic, lambda: countdown.seconds_spent), countdown


@contextmanager
def _drawn_bar(console: Console) -> Iterator[tuple[Report, Countdown]]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.text import Text

    countdown = _countdown(lambda line: console.print(line, markup=False))

    class CompilingColumn(TextColumn):
        def render(self, task: Any) -> Text:
            return Text(str(countdown))

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), CompilingColumn(""))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=1.0)

        def report(step: Step) -> None:
            bar.update(task, completed=step.share, description=step.what)

        yield report, countdown


def _countdown(say: Callable[[str], None]) -> Countdown:
    command = _command.get()
    from freshtake.workflows.compiling import Countdown, expected_times

    return Countdown(lambda: expected_times(command), say, time.monotonic)


def occasional_lines(
    say: Callable[[str], None], clock: Callable[[], float], compiled: Callable[[], float] = lambda: 0.0
) -> Report:
    """Return a report callable for logs: a line with phase, share and time left, every half minute at most.

    `compiled` returns the seconds spent compiling, which are left out of the estimate.
    """
    began = last = clock()

    def report(step: Step) -> None:
        nonlocal last
        now = clock()
        if now - last < BETWEEN_LINES:
            return
        last = now
        rest = f", about {(now - began - compiled()) * (1.0 / step.share - 1.0):.0f} s left" if step.share > 0.0 else ""
        say(f"{step.what}: {100 * step.share:.0f} %{rest}")

    return report
