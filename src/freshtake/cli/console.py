"""Carry out requests and print: results on stdout, progress and warnings on stderr, colors on terminals only."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from freshtake.methods.progress import Countdown

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from freshtake.methods.progress import Progress as Step
    from freshtake.methods.progress import Report
    from freshtake.requests.fields import Request

# The options that commands have in addition to the fields of their requests.
Force = Annotated[bool, Parameter(negative="", help="Replace existing files; other files in a folder stay unchanged.")]
Json = Annotated[bool, Parameter(name="--json", negative="", help="Print only a machine-readable summary on stdout.")]

BETWEEN_LINES = 30.0  # seconds
PIPE_WIDTH = 160  # columns of tables if there is no terminal to give a width

_quiet: ContextVar[bool] = ContextVar("quiet", default=False)
_command: ContextVar[str] = ContextVar("command", default="")
_repeats: ContextVar[dict[str, int] | None] = ContextVar("repeats", default=None)


def begin(command: str, quiet: bool) -> None:
    """Set the running command; a quiet one prints only errors and, with --json, its JSON."""
    _command.set(command)
    _quiet.set(quiet)
    _repeats.set({})


def end() -> None:
    """Print how many files each repeated warning concerns."""
    for what, count in (_repeats.get() or {}).items():
        if count > 1 and not _quiet.get():
            more = counted(count - 1, "more file")
            print(f"freshtake: note: the same for {more}: {what.partition(';')[0]}", file=sys.stderr)


def output() -> Console:
    """Return the console for results, on stdout."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True, quiet=_quiet.get())


def messages() -> Console:
    """Return the console for all other output, on stderr."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True, quiet=_quiet.get())


def carry_out(request: Request, *targets: Path | None, force: bool = False, folder: bool = False, **more: Any) -> Any:
    """Carry out a request with a progress bar, and return the workflow's result.

    `targets` are the files or folders to write. Existing targets are refused before any work is done, unless `force`
    is set; files in other folders are refused one by one as they are written. With `folder`, `request.out` must not
    look like a file name. The workflow gets `more` as additional arguments.
    """
    from freshtake import workflows
    from freshtake.formats.files import Existing, check_free, choose_existing

    if folder and request.out.suffix:  # type: ignore[attr-defined]
        from freshtake.workflows.outputs import check_folder_name

        check_folder_name(request.out)  # type: ignore[attr-defined]
    choose_existing(Existing.REPLACE if force else Existing.REFUSE)
    for target in targets:
        if target is not None:
            check_free(target)
    with progress_bar() as report:
        return getattr(workflows, request.task())(request, report, warn, **more)


def show(json: bool, facts: Any, *lines: str) -> None:
    """Print the result of a command: its facts as JSON, or lines of text."""
    if json:
        print_json(facts)
    else:
        say(*lines)


def say(*lines: str) -> None:
    """Print lines of the result without rich, which takes 20 ms to load."""
    for line in lines if not _quiet.get() else ():
        print(line)


def print_json(value: Any) -> None:
    """Print one JSON document to stdout; numbers that JSON cannot represent become null."""
    ascii_only = str(getattr(sys.stdout, "encoding", None) or "utf-8").lower() not in ("utf-8", "utf8")
    sys.stdout.write(json.dumps(_plain(value), indent=2, ensure_ascii=ascii_only, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    """Convert a value to JSON types; a result is converted by its `as_dict` or, without one, field by field."""
    if hasattr(value, "as_dict"):
        value = value.as_dict()
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    elif is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, such as "1 clip" or "2 clips"."""
    return f"{count} {noun}{'s' * (count != 1)}"


def plain_table(headings: Sequence[str], right: Collection[str] = ()) -> Table:
    """Return an empty table without lines; the columns named in `right` are right-aligned."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left")
    return table


def print_table(table: Table, console: Console) -> None:
    """Print a table, at a default width if there is no terminal."""
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    console.print(table)


def in_words(motion: Any) -> str:
    """Describe the length of a motion in frames and seconds, and its content."""
    from freshtake.workflows.outputs import seconds_of

    if not hasattr(motion, "fps"):
        return f"{len(motion)} points"
    parts = {"skeleton": "joints", "names": "points", "faces": "faces"}
    of = next((f", {len(getattr(motion, key))} {word}" for key, word in parts.items() if hasattr(motion, key)), "")
    plural = "" if len(motion) == 1 else "s"
    return f"{len(motion)} frame{plural} at {motion.fps:g} fps ({seconds_of(motion):.2f} s){of}"


def show_motion(json: bool, result: Any, **more: Any) -> None:
    """Print the file, length, verdicts and path error of a written motion; `more` facts are added to the JSON."""
    from freshtake.motion.verdict import verdict_line
    from freshtake.workflows.outputs import path_sentence, seconds_of

    facts = {"written": result.path, "frames": len(result.motion), "duration_s": seconds_of(result.motion)}
    facts["verdicts"] = result.verdicts
    lines = [f"wrote {result.path}: {in_words(result.motion)}"]
    if result.verdicts:
        lines.append(verdict_line(result.verdicts, "it"))
    if result.followed is not None:
        facts["path"] = result.followed
        lines.append(path_sentence([result.followed], result.motion))
    show(json, {**facts, **more}, *lines)


def warn(sentence: str) -> None:
    """Print a warning to stderr; repeats for other files are only counted."""
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
    """Yield a report callable that draws a bar on stderr, or prints lines if stderr is not a terminal."""
    if _quiet.get():
        yield lambda step: None
        return
    from freshtake.numeric.compiled import tell_of_compiling

    # Without a terminal, rich is not loaded: this saves each command in a script 20 ms.
    console = messages() if sys.stderr.isatty() or "FORCE_COLOR" in os.environ else None
    drawn = _drawn_bar(console) if console is not None and console.is_terminal else _lines()
    with drawn as (report, compiling):
        tell_of_compiling(compiling.heard)
        try:
            yield report
        finally:
            tell_of_compiling(None)


def _countdown(say: Callable[[str], None]) -> Countdown:
    def times() -> dict[str, float]:
        from freshtake.workflows.compiling import expected_times  # most commands compile nothing

        return expected_times(_command.get())

    return Countdown(times, say, time.monotonic)


@contextmanager
def _lines() -> Iterator[tuple[Report, Countdown]]:
    def say(line: str) -> None:
        print(f"freshtake: {line}", file=sys.stderr)

    compiling = _countdown(say)
    yield occasional_lines(say, time.monotonic, lambda: compiling.seconds_spent), compiling


@contextmanager
def _drawn_bar(console: Console) -> Iterator[tuple[Report, Countdown]]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.text import Text

    compiling = _countdown(lambda line: console.print(line, markup=False))

    class CompilingColumn(TextColumn):
        def render(self, task: Any) -> Text:
            return Text(str(compiling))

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), CompilingColumn(""))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=1.0)

        def report(step: Step) -> None:
            bar.update(task, completed=step.share, description=step.what)

        yield report, compiling


def occasional_lines(
    say: Callable[[str], None], clock: Callable[[], float], compiled: Callable[[], float] = lambda: 0.0
) -> Report:
    """Return a report callable for logs: a line with phase, percentage and time left, at most every half minute.

    `compiled` returns the seconds spent compiling, which the estimate does not count.
    """
    began = last = clock()

    def report(step: Step) -> None:
        nonlocal last
        now = clock()
        if now - last < BETWEEN_LINES:
            return
        last = now
        left = f", about {(now - began - compiled()) * (1.0 / step.share - 1.0):.0f} s left" if step.share > 0.0 else ""
        say(f"{step.what}: {100 * step.share:.0f} %{left}")

    return report
