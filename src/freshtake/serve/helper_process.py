"""A process that answers read-only questions, so that the server stays free for other requests."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any, TypeVar

from freshtake.errors import FreshtakeError, UsageError
from freshtake.serve.processes import Process, prepare_process, reported, start_process
from freshtake.workflows.plain_sentences import plainly

Answer = TypeVar("Answer")
TRIES = 2  # calls only read, so one whose process was killed is simply made again


class HelperProcess:
    """Calls functions in one other process, one after the other; a process that was killed is replaced."""

    def __init__(self) -> None:
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
                self._end()
            else:
                raise UsageError("the process that did this was ended from outside (is memory short?): try again")
        if succeeded:
            answer: Answer = result
            return answer
        raise UsageError(result)

    def _exchange(self, question: tuple[Callable[..., Any], tuple[Any, ...]]) -> tuple[bool, Any]:
        if self._process is not None and not self._process.process.is_alive():
            self._end()
        self._process = self._process or start_process(_answer_questions)
        self._process.pipe.send(question)
        reply: tuple[bool, Any] = self._process.pipe.recv()
        return reply

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


def _answer_questions(pipe: Connection) -> None:
    """The process: a result for each call, or a sentence why there is none."""
    prepare_process()
    warnings.simplefilter("ignore", RuntimeWarning)  # of numpy: results are checked, and problems said in words
    with suppress(EOFError, OSError):
        while True:
            function, arguments = pipe.recv()
            try:
                reply = True, function(*arguments)
            except FreshtakeError as error:
                reply = False, plainly(str(error))
            except Exception as error:
                reply = False, reported(error, f"question {function.__name__}")
            pipe.send(reply)
