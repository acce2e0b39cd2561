"""A process that answers read-only questions, so that the server stays free for other requests."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any, TypeVar

from freshtake.errors import FreshtakeError, UsageError
from freshtake.serve.processes import (
    Process,
    limit_processor_time,
    memory_limit,
    prepare_process,
    reported,
    start_process,
)
from freshtake.workflows.plain_sentences import plainly

Answer = TypeVar("Answer")
TRIES = 2  # calls only read, so one whose process was killed is simply made again
SECONDS = 60.0  # of processor time for one question, compiling included
PATIENCE = 10.0  # times as long it may take by the clock: the machine may be busy
MEMORY = 2 * 2**30  # bytes for one question
TOO_LONG = "this takes longer than a question may: try again, or use a smaller model or shorter takes"
TOO_LARGE = "this needs more memory than a question may have: use a smaller model or shorter takes"


class HelperProcess:
    """Calls functions in one other process, one after the other; a process that was killed is replaced.

    A question that takes more than its time or memory ends with its process, and the next one finds another.
    """

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self._budget = seconds, memory
        self._process: Process | None = None
        self._lock = Lock()
        self._closed = False

    def call(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """The function's result, from any thread. The function must only read: it may be called twice."""
        with self._lock:
            for _ in range(TRIES):
                if self._closed:
                    raise UsageError("the server is shutting down")
                with suppress(EOFError, OSError):
                    succeeded, result = self._exchange((function, arguments))
                    break
                ran_out = self._ran_out_of_time()
                self._end()
                if ran_out:
                    raise UsageError(TOO_LONG)
            else:
                raise UsageError("the process that did this was ended from outside (is memory short?): try again")
        if succeeded:
            answer: Answer = result
            return answer
        raise UsageError(result)

    def _exchange(self, question: tuple[Callable[..., Any], tuple[Any, ...]]) -> tuple[bool, Any]:
        if self._process is not None and not self._process.process.is_alive():
            self._end()
        if self._process is None:
            self._process = start_process(_answer_questions, *self._budget)
            self._process.pipe.recv()  # it is ready: starting is no part of a question's time
        self._process.pipe.send(question)
        if not self._process.pipe.poll(PATIENCE * self._budget[0]):
            self._process.kill()
            return False, TOO_LONG
        reply: tuple[bool, Any] = self._process.pipe.recv()
        return reply

    def _ran_out_of_time(self) -> bool:
        """Whether the system ended the process because of its processor time."""
        if self._process is None:
            return False
        self._process.process.join(1.0)
        return hasattr(signal, "SIGXCPU") and self._process.process.exitcode == -signal.SIGXCPU

    def close(self) -> None:
        """End the process, even in the middle of a call."""
        self._closed, process = True, self._process
        if process is not None:
            with suppress(ValueError):  # it has ended already
                process.kill()
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


def _answer_questions(seconds: float, memory: int, pipe: Connection) -> None:
    """The process: a result for each call, or a sentence why there is none."""
    prepare_process()
    warnings.simplefilter("ignore", RuntimeWarning)  # of numpy: results are checked, and problems said in words
    with suppress(EOFError, OSError):
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
                reply = False, reported(error, f"question {function.__name__}")
            pipe.send(reply)
