"""Changes as they happen, for every window that is open."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from freshtake.serve.routes.access import studio

router = APIRouter(tags=["events"])
FELL_BEHIND = 4000  # the socket is closed with this code: read the project again


@router.websocket("/events")
async def events(socket: WebSocket) -> None:
    """Send one JSON message per change: {change, item}, {change, gone}, {job} or {warming}."""
    await socket.accept()
    state = studio(socket)
    hub, warming = state.events, state.warming
    window = hub.subscribe()
    if warming is not None and warming.now is not None:
        window.put_nowait({"warming": warming.now})
    closed = asyncio.create_task(_closed(socket))
    try:
        while not closed.done():
            waiting = asyncio.create_task(window.get())
            await asyncio.wait({waiting, closed}, return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                waiting.cancel()
                break
            event = waiting.result()
            if event is None:
                await socket.close(FELL_BEHIND, "some changes were missed: read the project again")
                break
            await socket.send_json(event)
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        hub.unsubscribe(window)
        closed.cancel()


async def _closed(socket: WebSocket) -> None:
    """Wait until the client leaves; its messages are ignored."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass


MOST_BEHIND = 2000  # events: a window that is so far behind has to read the project again


class Events:
    """Takes changes from any thread and delivers them to the subscribers in the server's event loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._windows: set[asyncio.Queue[dict[str, Any] | None]] = set()

    def publish(self, event: dict[str, Any]) -> None:
        """Publish an event from any thread."""
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
        """Return a queue of the events from now on; None in it means that some were lost."""
        self._loop = asyncio.get_running_loop()
        window: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._windows.add(window)
        return window

    def unsubscribe(self, window: asyncio.Queue[dict[str, Any] | None]) -> None:
        """Stop receiving events."""
        self._windows.discard(window)
