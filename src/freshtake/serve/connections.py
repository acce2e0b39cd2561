"""How many connections there are and how long they may say nothing, so that nobody is locked out by idle ones."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 512  # a page has about six; beyond this, the connection that has been idle longest gives way
HEADER_SECONDS = 10.0  # from the first byte (or none) of a request to the end of its headers
LINES, LINES_SECONDS = 20, 60.0  # log lines in so many seconds


def most_connections() -> int:
    """Return how many connections there may be: half the files that the process may open, so that accepting works."""
    try:
        import resource
    except ImportError:  # Windows
        return MOST_CONNECTIONS
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if allowed == resource.RLIM_INFINITY else max(16, min(MOST_CONNECTIONS, allowed // 2))


class LimitedProtocol(H11Protocol):
    """Connections whose requests have to arrive in time; of too many, the one that is idle longest is closed."""

    most = most_connections()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room for a new connection, and wait for its first request."""
        others = [other for other in self.connections if not other.transport.is_closing()]
        idle = [other for other in others if isinstance(other, LimitedProtocol) and other.is_idle]
        self.began = self.loop.time()
        super().connection_made(transport)
        self._wait_for_headers()
        if len(others) >= self.most:
            leaves = min(idle, key=lambda other: other.began, default=self)  # this one, where all are being answered
            leaves.transport.abort()

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def data_received(self, data: bytes) -> None:
        """Read on; the clock of the headers that are still incomplete goes on."""
        if self.timeout_keep_alive_task is not None:  # it waited for another request, which begins now
            self._wait_for_headers()
        super().data_received(data)
        if not self.is_idle:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the clock."""
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Hand over to the protocol of websockets."""
        self._stop_waiting()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        """Wait for the next request, which uvicorn does not do for ever."""
        self.began = self.loop.time()
        super().on_response_complete()

    def _wait_for_headers(self) -> None:
        self._stop_waiting()
        self._clock = self.loop.call_later(HEADER_SECONDS, self._too_late)

    def _stop_waiting(self) -> None:
        clock: asyncio.TimerHandle | None = getattr(self, "_clock", None)
        if clock is not None:
            clock.cancel()

    def _too_late(self) -> None:
        if self.is_idle:
            self.transport.abort()


class FewLines(logging.Filter):
    """Lets some lines a minute through, so that whoever knocks at the door cannot fill the disk."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock, self._began, self._count = clock, clock(), 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is printed; the first after some were left out says how many."""
        now = self._clock()
        if now - self._began > LINES_SECONDS:
            left_out = self._count - LINES
            self._began, self._count = now, 0
            if left_out > 0:
                record.msg = f"{record.getMessage()} ({left_out} more lines were left out)"
                record.args = ()
        self._count += 1
        return self._count <= LINES


def limit_logs() -> None:
    """Limit what the server and its event loop write."""
    for name in ("uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        if not any(isinstance(one, FewLines) for one in logger.filters):
            logger.addFilter(FewLines())
