"""Work whose answer somebody waits for: done in a process of its own, so that the server goes on answering others."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any, TypeVar

from freshtake.errors import FreshtakeError, UsageError
from freshtake.serve.processes import Process, prepare_process, started

Answer = TypeVar("Answer")


class Aside:
    """One process that calls functions, one after the other; if it was killed, the next call finds another."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._lock = Lock()
        self._closed = False

    def call(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """The function's answer; from any thread."""
        with self._lock:
            if self._closed:
                raise UsageError("the server is ending")
            if self._process is not None and not self._process.process.is_alive():
                self._end()
            self._process = self._process or started(_answer)
            try:
                self._process.pipe.send((function, arguments))
                well, found = self._process.pipe.recv()
            except (EOFError, OSError):
                self._end()
                raise UsageError("the process that did this was ended from outside: try again") from None
        if well:
            answer: Answer = found
            return answer
        raise UsageError(found)

    def close(self) -> None:
        """End the process, whatever it is at."""
        self._closed, process = True, self._process
        if process is not None:
            with suppress(ValueError):  # ended already
                process.kill()
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


def _answer(pipe: Connection) -> None:
    """The process: an answer for each call, or a sentence why there is none."""
    prepare_process()
    warnings.simplefilter("ignore", RuntimeWarning)  # of numpy: what comes of it is checked, and said in words
    with suppress(EOFError, OSError):
        while True:
            function, arguments = pipe.recv()
            try:
                answer = True, function(*arguments)
            except FreshtakeError as error:
                answer = False, str(error)
            except Exception as error:
                traceback.print_exc()
                answer = False, f"something went wrong that should not ({type(error).__name__}): please report it"
            pipe.send(answer)
