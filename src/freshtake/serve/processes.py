"""Processes of the server: each has a pipe to it, ends with it, and leaves Ctrl-C to it."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.workflows.crash_files import crash_sentence

POLITE = 5  # how much the server goes before its workers


class Process(NamedTuple):
    """A process that runs, and the pipe to it."""

    process: SpawnProcess
    pipe: Connection

    def kill(self) -> None:
        """End it, whatever it is at."""
        self.process.kill()

    def close(self) -> None:
        """End it, and let go of it."""
        self.process.kill()
        self.process.join()
        self.process.close()
        self.pipe.close()


def start_process(target: Callable[..., None], *arguments: Any) -> Process:
    """Start a process afresh: target(*arguments, pipe)."""
    context = get_context("spawn")
    pipe, theirs = context.Pipe()
    process = context.Process(target=target, args=(*arguments, theirs), daemon=True)
    with _without_interrupts():
        process.start()
    theirs.close()
    return Process(process, pipe)


def prepare_process(polite: bool = True) -> None:
    """What every process begins with: it ends with the server; a polite one lets the server go first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its processes
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    if polite and hasattr(os, "nice"):
        os.nice(POLITE)


@contextmanager
def memory_limit(memory: int | None) -> Iterator[None]:
    """At most so many bytes more than the process has already, on systems that allow it."""
    try:
        import resource
    except ImportError:
        memory = None
    pages = Path("/proc/self/statm")
    if memory is None or not pages.exists():
        yield
        return
    used = int(pages.read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def limit_processor_time(seconds: float) -> None:
    """Have the system end this process after so many more seconds of processor time, where it can."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    allowed, most = math.ceil(used.ru_utime + used.ru_stime + seconds), resource.getrlimit(resource.RLIMIT_CPU)[1]
    allowed = allowed if most == resource.RLIM_INFINITY else min(allowed, most)
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, most))


def reported(error: Exception, what: str) -> str:
    """Write a crash file, print where it is for whoever runs the server, and return a sentence for the page."""
    print(f"freshtake: {crash_sentence(error, what)}", file=sys.stderr)
    return f"something went wrong that should not ({type(error).__name__}): please report it"


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """A process begins with what its parent has blocked, so Ctrl-C does not meet it before it is prepared."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_the_server() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
