"""Endless motion on a websocket: controls in, frames out."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect
from pydantic import Field, ValidationError

from freshtake.errors import FreshtakeError, UsageError
from freshtake.serve.items import Id, Shape
from freshtake.serve.live import StreamRequest
from freshtake.serve.processes import Process
from freshtake.serve.routes.access import studio
from freshtake.serve.routes.scenes import source_of

router = APIRouter(tags=["live"])
BEHIND = 12  # frames that may wait for a window; older ones are left out
REFUSED = 4400


class LiveControl(Shape):
    """What may be changed; a method obeys what it knows. Degrees, degrees a second, and factors.

    `send` is where poses go besides the page, such as vmc://127.0.0.1:39539; null stops it.
    """

    amount: Annotated[float, Field(ge=0.0, le=4.0)] | None = None
    speed: Annotated[float, Field(ge=0.1, le=4.0)] | None = None
    heading: Annotated[float, Field(ge=-1e6, le=1e6)] | None = None
    turn: Annotated[float, Field(ge=-720.0, le=720.0)] | None = None
    strength: Annotated[float, Field(ge=0.0, le=3.0)] | None = None
    jump_rate: Annotated[float, Field(ge=0.0, le=20.0)] | None = None
    send: Annotated[str, Field(max_length=200)] | None = None
    weights: Annotated[dict[str, Annotated[float, Field(ge=0.0, le=1e6)]], Field(max_length=50)] | None = None


@router.websocket("/live/{model}")
async def live(
    socket: WebSocket,
    model: Id,
    source: Id | None = None,
    seed: Annotated[int, Query(ge=0)] = 0,
    plant: bool = False,
    style: Id | None = None,
    receive: Annotated[int | None, Query(ge=1, le=65535)] = None,
) -> None:
    """Send a JSON message (fps, manifest, classes), then a binary one per frame, and JSON notes and errors."""
    await socket.accept()
    state = studio(socket)
    loop = asyncio.get_running_loop()
    try:
        request = _stream_request(state.project, model, source, style)._replace(seed=seed, plant=plant, receive=receive)
        stream = await loop.run_in_executor(None, state.streams.begin, request)
    except FreshtakeError as error:
        await socket.send_json({"error": str(error)})
        await socket.close(REFUSED)
        return
    frames: asyncio.Queue[Any] = asyncio.Queue()
    reading = loop.run_in_executor(None, _read, stream, loop, frames)
    sending = asyncio.create_task(_send(socket, frames))
    try:
        await _receive_controls(socket, stream)
    except (WebSocketDisconnect, RuntimeError, OSError):
        pass
    finally:
        sending.cancel()
        await loop.run_in_executor(None, state.streams.end, stream)
        with suppress(Exception):
            await reading


def _stream_request(project: Any, model: str, source: str | None, style: str | None) -> StreamRequest:
    item = project.item(model)
    if item.kind != "model":
        raise UsageError(f"{item.name} is no model: choose one that was learned")
    request = StreamRequest(project.path(model))
    if style is not None:
        worn = project.item(style)
        if worn.facts.get("method") != "style":
            raise UsageError(f"{worn.name} is no style: choose a model that was learned in the Style tab")
        request = request._replace(style=project.path(style))
    if source is None:
        return request
    take = source_of(project, project.item(source))
    return request._replace(source=take.path, trim=take.trim)


def _read(stream: Process, loop: asyncio.AbstractEventLoop, frames: asyncio.Queue[Any]) -> None:
    """Pass on the messages of the process to the event loop, in a thread, until it ends."""
    with suppress(EOFError, OSError, RuntimeError):
        while True:
            message = stream.pipe.recv()
            loop.call_soon_threadsafe(_put, frames, message)
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(frames.put_nowait, None)


def _put(frames: asyncio.Queue[Any], message: Any) -> None:
    if not isinstance(message, bytes) or frames.qsize() < BEHIND:
        frames.put_nowait(message)


async def _send(socket: WebSocket, frames: asyncio.Queue[Any]) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        while (message := await frames.get()) is not None:
            if isinstance(message, bytes):
                await socket.send_bytes(message)
            else:
                await socket.send_json(message)
        await socket.close()


async def _receive_controls(socket: WebSocket, stream: Process) -> None:
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        try:
            control = LiveControl.model_validate_json(message.get("text") or message.get("bytes") or "")
        except ValidationError as error:
            first = error.errors()[0]
            await socket.send_json({"error": f"{'.'.join(map(str, first['loc'])) or 'the control'}: {first['msg']}"})
            continue
        stream.pipe.send(control.model_dump(exclude_unset=True))
