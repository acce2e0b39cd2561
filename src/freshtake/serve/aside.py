"""Work whose answer somebody waits for: done in a process of its own, so that the server goes on answering others."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from threading import Lock
from typing import Any, TypeVar

from freshtake.errors import UsageError
from freshtake.serve.worker import prepare_process

Answer = TypeVar("Answer")


class Aside:
    """One process that calls functions; if it is killed, the next call starts another."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._lock = Lock()

    def call(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """The function's answer; from any thread."""
        with self._lock:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(1, get_context("spawn"), initializer=prepare_process)
            pool = self._pool
        try:
            return pool.submit(function, *arguments).result()
        except BrokenProcessPool:
            with self._lock:
                if self._pool is pool:
                    self._pool = None
            raise UsageError("the process that did this was ended from outside: try again") from None

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)
                for process in list((self._pool._processes or {}).values()):
                    process.kill()
