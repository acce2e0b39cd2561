"""What the commands print with: results on stdout, progress and warnings on stderr, colors on terminals only."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from freshtake.methods.progress import Progress as Step
    from freshtake.methods.progress import Report

BETWEEN_LINES = 30.0  # seconds
COMPILING = "compiling once, up to a minute in all; freshtake warm-up does it ahead"


def output() -> Console:
    """For results."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


def messages() -> Console:
    """For everything that is not the result."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """One JSON document, alone on stdout; numbers that JSON does not have become null."""
    sys.stdout.write(json.dumps(_finite(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def warn(sentence: str) -> None:
    """One warning on stderr."""
    print(f"freshtake: note: {sentence}", file=sys.stderr)


@contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Report]:
    """A report callable that draws a bar on stderr while the block runs; lines where that is no terminal."""
    if quiet:
        from freshtake.methods.progress import silent

        yield silent
        return
    console = messages()
    if not console.is_terminal:
        yield occasional_lines(lambda line: print(f"freshtake: {line}", file=sys.stderr), time.monotonic)
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from freshtake.numeric.compiled import tell_of_compiling

    tell_of_compiling(lambda: console.print(COMPILING, markup=False))
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=1.0)

        def report(step: Step) -> None:
            bar.update(task, completed=step.share, description=step.what)

        yield report


def occasional_lines(say: Callable[[str], None], clock: Callable[[], float]) -> Report:
    """A report callable for logs: a line with phase, share and time left, every half minute at most."""
    began = last = clock()

    def report(step: Step) -> None:
        nonlocal last
        now = clock()
        if now - last < BETWEEN_LINES:
            return
        last = now
        left = f", about {(now - began) * (1.0 / step.share - 1.0):.0f} s left" if step.share > 0.0 else ""
        say(f"{step.what}: {100 * step.share:.0f} %{left}")

    return report
