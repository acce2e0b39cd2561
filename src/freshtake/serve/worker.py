"""The main loop of a worker process: takes jobs from a pipe, and says on it how they go."""

from __future__ import annotations

import shutil
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from freshtake.errors import FreshtakeError
from freshtake.serve.processes import memory_limit, prepare_process, reported
from freshtake.serve.project import Project
from freshtake.serve.tasks import TASKS, Task

BETWEEN_REPORTS = 0.1  # seconds
OFTEN_USED = ("freshtake.serve.tasks.reading", "freshtake.serve.tasks.varying", "freshtake.workflows.variation_varying")


def work(folder: Path, pipe: Connection) -> None:
    """Run jobs until the server ends or closes the pipe."""
    prepare_process()
    project = Project(folder, read_only=True)
    for module in OFTEN_USED:
        import_module(module)
    with suppress(EOFError, OSError):
        while True:
            job, task, settings = pipe.recv()
            _run(project, pipe, job, task, settings)


def _run(project: Project, pipe: Connection, job: str, name: str, settings: dict[str, Any]) -> None:
    """One job; whatever happens in it, the process lives on."""
    from freshtake.serve.tasks.context import Context

    task, reporter = TASKS[name], _Reporter(pipe)
    context = Context(project, job, reporter.send)
    try:
        with _warnings_as_notes(context.warn), _compiling(task, context), memory_limit(task.memory):
            task.load()(context, **settings)
        pipe.send(("done",))
    except FreshtakeError as error:
        pipe.send(("failed", context.in_words(str(error))))
    except MemoryError:
        pipe.send(("failed", "this needs more memory than it may have: use a shorter or smaller file"))
    except Exception as error:
        pipe.send(("failed", reported(error, f"job {name}")))
    finally:
        shutil.rmtree(context.folder, ignore_errors=True)


class _Reporter:
    """Says things on the pipe; of many reports only some."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._last, self._phase = pipe, 0.0, ""

    def send(self, kind: str, *words: Any) -> None:
        if kind == "report":
            now = time.monotonic()
            if words[0] == self._phase and now - self._last < BETWEEN_REPORTS:
                return
            if now - self._last < BETWEEN_REPORTS / 5:
                return
            self._last, self._phase = now, words[0]
        self._pipe.send((kind, *words))


@contextmanager
def _warnings_as_notes(warn: Any) -> Iterator[None]:
    """Warnings from below as notes of the job."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.simplefilter("ignore", RuntimeWarning)  # of numpy: what comes of it is checked, and said in words
        warnings.showwarning = lambda message, *rest, **more: warn(str(message))
        yield


@contextmanager
def _compiling(task: Task, context: Any) -> Iterator[None]:
    """While kernels compile, which happens once after an installation, the phase says so and how long it takes."""
    from freshtake.numeric.compiled import tell_of_compiling
    from freshtake.workflows.compiling import Countdown, expected_times

    countdown = Countdown(lambda: expected_times(task.command), lambda sentence: None, time.monotonic)

    def heard(kernel: str, begins: bool) -> None:
        countdown.heard(kernel, begins)
        if begins:
            context.report(str(countdown) or "compiling once")

    tell_of_compiling(heard)
    try:
        yield
    finally:
        tell_of_compiling(None)
