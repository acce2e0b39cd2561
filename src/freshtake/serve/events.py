"""Changes of the project, published to every open window."""

from __future__ import annotations

import asyncio
from typing import Any

MOST_BEHIND = 2000  # events: a window that is so far behind has to read the project again


class Events:
    """Takes changes from any thread and delivers them to the subscribers in the server's event loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._windows: set[asyncio.Queue[dict[str, Any] | None]] = set()

    def publish(self, event: dict[str, Any]) -> None:
        """From any thread."""
        if self._loop is not None and not self._loop.is_closed() and self._windows:
            self._loop.call_soon_threadsafe(self._deliver, event)

    def _deliver(self, event: dict[str, Any]) -> None:
        for window in self._windows:
            if window.qsize() >= MOST_BEHIND:
                while not window.empty():
                    window.get_nowait()
                window.put_nowait(None)
            else:
                window.put_nowait(event)

    def subscribe(self) -> asyncio.Queue[dict[str, Any] | None]:
        """A queue of the events from now on; None in it means that some were lost."""
        self._loop = asyncio.get_running_loop()
        window: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._windows.add(window)
        return window

    def unsubscribe(self, window: asyncio.Queue[dict[str, Any] | None]) -> None:
        """Stop receiving events."""
        self._windows.discard(window)
