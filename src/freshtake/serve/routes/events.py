"""Changes as they happen, for every window that is open."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from freshtake.serve.routes.access import studio

router = APIRouter(tags=["events"])
FELL_BEHIND = 4000  # the socket is closed with this code: read the project again


@router.websocket("/events")
async def events(socket: WebSocket) -> None:
    """One JSON message per change: {change, item}, {change, gone} or {job}."""
    await socket.accept()
    hub = studio(socket).events
    window = hub.subscribe()
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
    """Until the other side is gone; what it says is not listened to."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass
