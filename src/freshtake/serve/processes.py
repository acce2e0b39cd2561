"""Processes that compile and answer queries, and what they share: a pipe, limits, and ending with the server."""

from __future__ import annotations

import asyncio
import math
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from freshtake.errors import FreshtakeError, UsageError
from freshtake.workflows.sentences import crash_sentence, plainly

if TYPE_CHECKING:
    from fastapi import Request

Publish = Callable[[dict[str, Any]], None]


def steps_to_compile() -> list[str]:
    """Return the steps of `warm_up` that include functions not yet compiled on this machine."""
    from freshtake.numeric.compiled import has_machine_code
    from freshtake.workflows.compiling import expected_of_steps

    return [name for name, times in expected_of_steps().items() if not all(map(has_machine_code, times))]


class Warming:
    """Runs steps of `warm_up` in a low-priority process and publishes {"warming": {step, seconds_left}}.

    The last event is {"warming": None}. A job that needs a function not yet compiled compiles it itself and reports
    the time needed.
    """

    def __init__(self, publish: Publish, steps: Sequence[str] | None = None) -> None:
        self._publish, self._steps = publish, steps
        self._process: Process | None = None
        self._lock, self._closed = threading.Lock(), False
        self.now: dict[str, Any] | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        steps = steps_to_compile() if self._steps is None else list(self._steps)
        with self._lock:
            if self._closed or not steps:
                return
            self._process = start_process(warm, steps)
        with suppress(EOFError, OSError):
            while (step := self._process.pipe.recv()) is not None:
                self._tell(step)
        self._tell(None)

    def _tell(self, step: dict[str, Any] | None) -> None:
        self.now = step
        if not self._closed:
            self._publish({"warming": step})

    def close(self) -> None:
        """End the process; functions compiled so far stay in the cache."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.process.kill()


def warm(steps: list[str], pipe: Connection) -> None:
    """Compile step by step and send the remaining time through the pipe, finally None; runs in the process."""
    prepare_process(LONG_JOBS)
    from freshtake.methods.progress import Countdown
    from freshtake.numeric.compiled import tell_of_compiling
    from freshtake.workflows.compiling import expected_of_steps, warm_up

    times = expected_of_steps()
    pending = {kernel: seconds for name in steps for kernel, seconds in times[name].items()}
    countdown = Countdown(lambda: pending, lambda sentence: None, time.monotonic)
    last, at = 0.0, steps[0]

    def heard(kernel: str, begins: bool) -> None:
        nonlocal last
        countdown.heard(kernel, begins)
        if begins and time.monotonic() - last > 0.5:
            last = time.monotonic()
            pipe.send({"step": at, "seconds_left": round(countdown.seconds_left, 1)})

    tell_of_compiling(heard)
    with suppress(OSError):
        for at in steps:
            warm_up(steps=[at])
        pipe.send(None)


SECONDS = 60.0  # processor time of one call, including compilation
PATIENCE = 10.0  # factor from processor time to the limit in wall-clock time, since the machine may be busy
MEMORY = 2 * 2**30  # bytes for one call
TOO_LONG = "this takes too long for an immediate answer: try again, or use a smaller model or shorter takes"
TOO_LARGE = "this needs too much memory for an immediate answer: use a smaller model or shorter takes"
SHUTTING_DOWN = "the server is shutting down"


class Process(NamedTuple):
    """A running process, and the pipe to it."""

    process: SpawnProcess
    pipe: Connection

    def close(self) -> None:
        """End the process and release its pipe."""
        self.process.kill()
        self.process.join()
        self.process.close()
        self.pipe.close()


def start_process(target: Callable[..., None], *arguments: Any) -> Process:
    """Start a new process that calls target(*arguments, pipe)."""
    # A forked process would inherit locks held by the server's threads, and never release them.
    context = get_context("spawn")
    pipe, theirs = context.Pipe()
    process = context.Process(target=target, args=(*arguments, theirs), daemon=True)
    with _without_interrupts():
        process.start()
    # While this end is open here, the pipe does not report that the process has died.
    theirs.close()
    return Process(process, pipe)


# Niceness of processes (0 is the server's priority): questions and streams keep somebody waiting, short jobs follow a
# slider, and long jobs get the remaining time.
QUESTIONS, SHORT_JOBS, LONG_JOBS = 0, 5, 15


def prepare_process(nice: int = QUESTIONS) -> None:
    """Make this process end with the server, and increase its niceness."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the server, which ends its processes
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(nice)


@contextmanager
def memory_limit(memory: int | None) -> Iterator[None]:
    """Limit the additional memory of the process, if the system supports it."""
    try:
        import resource
    except ImportError:
        memory = None
    pages = Path("/proc/self/statm")
    if memory is None or not pages.exists():
        yield
        return
    # The limit counts address space, of which libraries reserve gigabytes, so memory already in use is added.
    used = int(pages.read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def limit_processor_time(seconds: float) -> None:
    """Make the system end this process after this many more seconds of processor time, if supported."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    allowed, most = math.ceil(used.ru_utime + used.ru_stime + seconds), resource.getrlimit(resource.RLIMIT_CPU)[1]
    allowed = allowed if most == resource.RLIM_INFINITY else min(allowed, most)
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, most))


def report_crash(error: Exception, what: str) -> str:
    """Write a crash file, print its location for the person who runs the server, and return a sentence for the page."""
    print(f"freshtake: {crash_sentence(error, what)}", file=sys.stderr)
    return f"something went wrong inside freshtake ({type(error).__name__}): please report it"


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block Ctrl-C while a process starts: it inherits the block until it is prepared."""
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


Answer = TypeVar("Answer")


@dataclass
class _Question:
    """A queued question, and the number of clients waiting for its answer."""

    reply: asyncio.Future[Any]
    waiting: int = 0


class HelperProcess:
    """Calls functions in a separate process, one at a time; a killed process is replaced.

    A call that exceeds its time or memory ends together with its process, and the next call gets a new one.
    """

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self._budget = seconds, memory
        self._process: Process | None = None
        self._lock = Lock()
        self._closed = False
        self._line = ThreadPoolExecutor(1)  # questions wait here, not in the threads that serve requests
        self._asked: dict[bytes, _Question] = {}

    async def answer(self, request: Request, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """Return the function's result to a request.

        Simultaneous requests for the same result share one call; a call that no client waits for anymore is skipped.
        """
        if self._closed:
            raise UsageError(SHUTTING_DOWN)
        key = pickle.dumps((function, arguments))
        question = self._asked.get(key)
        if question is None:
            reply = asyncio.wrap_future(self._line.submit(self.call, function, *arguments))
            question = self._asked[key] = _Question(reply)
            reply.add_done_callback(lambda _: self._forget(key, reply))
        question.waiting += 1
        leaving = asyncio.create_task(_left(request))
        try:
            await asyncio.wait({question.reply, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            question.waiting -= 1
            if not question.waiting and not question.reply.done():
                self._forget(key, question.reply)
                question.reply.cancel()
        if not question.reply.done() or question.reply.cancelled():
            raise UsageError(SHUTTING_DOWN if self._closed else "nobody is waiting for this answer anymore")
        answer: Answer = question.reply.result()
        return answer

    def _forget(self, key: bytes, reply: asyncio.Future[Any]) -> None:
        # By the time a cancellation is reported, somebody may have asked the same question again.
        if key in self._asked and self._asked[key].reply is reply:
            del self._asked[key]

    def call(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """Return the function's result, from any thread. The function must be read-only: it may be called twice."""
        with self._lock:
            # Functions are read-only, so a call whose process was killed can be repeated.
            for _ in range(2):
                if self._closed:
                    raise UsageError(SHUTTING_DOWN)
                with suppress(EOFError, OSError):
                    succeeded, result = self._exchange((function, arguments))
                    break
                ran_out = False
                if self._process is not None:
                    # The pipe breaks slightly before the exit code is available.
                    self._process.process.join(1.0)
                    # The system ended the process because of its processor time.
                    ran_out = self._process.process.exitcode == -getattr(signal, "SIGXCPU", math.inf)
                self._end()
                if ran_out:
                    raise UsageError(TOO_LONG)
            else:
                raise UsageError("the process that did this was killed from outside (is memory short?): try again")
        if succeeded:
            answer: Answer = result
            return answer
        raise UsageError(result)

    def _exchange(self, question: tuple[Callable[..., Any], tuple[Any, ...]]) -> tuple[bool, Any]:
        if self._process is not None and not self._process.process.is_alive():
            self._end()
        if self._process is None:
            self._process = start_process(_answer_questions, *self._budget)
            self._process.pipe.recv()  # wait until it is ready: startup does not count towards the call's time
        self._process.pipe.send(question)
        if not self._process.pipe.poll(PATIENCE * self._budget[0]):
            self._process.process.kill()
            return False, TOO_LONG
        reply: tuple[bool, Any] = self._process.pipe.recv()
        return reply

    def close(self) -> None:
        """End the process, even in the middle of a call."""
        self._closed, process = True, self._process
        self._line.shutdown(wait=False, cancel_futures=True)
        if process is not None:
            with suppress(ValueError):  # already ended
                process.process.kill()
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


async def _left(request: Request) -> None:
    """Wait until a client whose body has been read disconnects."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _answer_questions(seconds: float, memory: int, pipe: Connection) -> None:
    """Answer each call with a result or a sentence explaining the failure; runs in the process."""
    from freshtake.numeric.blas_threads import one_blas_thread

    prepare_process()
    warnings.simplefilter("ignore", RuntimeWarning)  # from NumPy: results are checked, problems reported in words
    # Arrays are small here: threads waiting for each other on busy cores would cost more than they save.
    with one_blas_thread(), suppress(EOFError, OSError):
        pipe.send("ready")
        while True:
            function, arguments = pipe.recv()
            limit_processor_time(seconds)
            try:
                with memory_limit(memory):
                    reply = True, function(*arguments)
            except MemoryError:
                reply = False, TOO_LARGE
            except FreshtakeError as error:
                reply = False, plainly(str(error))
            except Exception as error:
                reply = False, report_crash(error, f"question {function.__name__}")
            pipe.send(reply)
