"""Stream endless motion through a websocket: one process per stream, slightly ahead of real time."""

from __future__ import annotations

import asyncio
import base64
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect
from pydantic import Field, ValidationError, create_model

from freshtake.errors import FreshtakeError, UsageError
from freshtake.serve.items import Id, Shape
from freshtake.serve.processes import Process, prepare_process, start_process
from freshtake.serve.queries import Source, clip_from
from freshtake.serve.routes.access import model_path, source_of, studio
from freshtake.workflows.live import LIMITS
from freshtake.workflows.sentences import plainly

router = APIRouter(tags=["live"])
_Steered = create_model(
    "_Steered", __base__=Shape,
    **{name: (Annotated[float, Field(ge=low, le=high)] | None, None) for name, (low, high) in LIMITS.items()},
)  # type: ignore[call-overload]  # fmt: skip


class LiveControl(_Steered):  # type: ignore[misc,valid-type]
    """Controls of a stream; each method uses those it supports. Degrees, degrees per second, and factors.

    `send` is an address that also receives the poses, such as vmc://127.0.0.1:39539; null stops it.
    """

    send: Annotated[str, Field(max_length=200)] | None = None
    weights: Annotated[dict[str, Annotated[float, Field(ge=0.0, le=1e6)]], Field(max_length=50)] | None = None


@router.websocket("/live/{model}")
async def live(
    socket: WebSocket, model: Id, source: Id | None = None, seed: Annotated[int, Query(ge=0)] = 0, plant: bool = False,
    style: Id | None = None, receive: Annotated[int | None, Query(ge=1, le=65535)] = None,
) -> None:  # fmt: skip
    """Send a JSON message (fps, manifest, classes), then a binary one per frame, and JSON notes and errors."""
    await socket.accept()
    state = studio(socket)
    loop = asyncio.get_running_loop()
    try:
        request = _stream_request(state.project, model, source, style, seed=seed, plant=plant, receive=receive)
        stream = await loop.run_in_executor(None, state.streams.begin, request)
    except FreshtakeError as error:
        await socket.send_json({"error": str(error)})
        await socket.close(4400)
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


def _stream_request(project: Any, model: str, source: str | None, style: str | None, **settings: Any) -> StreamRequest:
    item = project.item(model)
    if item.kind != "model":
        raise UsageError(f"{item.name} is not a model: choose one that was learned")
    return StreamRequest(
        project.path(model), None if source is None else source_of(project, source)._replace(character=None),
        None if style is None else model_path(project, style, "style"), **settings,
    )  # fmt: skip


def _read(stream: Process, loop: asyncio.AbstractEventLoop, frames: asyncio.Queue[Any]) -> None:
    """Pass the process's messages to the event loop until it ends; runs in a thread."""
    with suppress(EOFError, OSError, RuntimeError):
        while True:
            message = stream.pipe.recv()
            loop.call_soon_threadsafe(_put, frames, message)
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(frames.put_nowait, None)


def _put(frames: asyncio.Queue[Any], message: Any) -> None:
    # A slow page skips frames instead of falling behind: at most 12 are queued.
    if not isinstance(message, bytes) or frames.qsize() < 12:
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


AHEAD = 0.08  # seconds by which frames are computed before they are due, so that controls act within 0.1 s
LATE = 0.3  # seconds; streams that are farther behind skip frames
RATE = 60.0  # frames per second sent, whatever the model's rate
MOST_STREAMS = 4  # simultaneous streams
HEAD = struct.Struct("<Iff")


class StreamRequest(NamedTuple):
    """The model of a stream; unless it is a style model, its motion may be translated into a `style`.

    A style model translates a take (`source`), or poses arriving as VMC messages on the port `receive`.
    """

    model: Path
    source: Source | None
    style: Path | None
    seed: int
    plant: bool
    receive: int | None


class Streams:
    """The running streams, and a spare process so that the next stream starts immediately."""

    def __init__(self) -> None:
        self._lock, self._running = threading.Lock(), 0
        self._closed = False
        self._spare: Process | None = None

    def begin(self, request: StreamRequest) -> Process:
        """Start a stream; its messages arrive on its pipe."""
        with self._lock:
            if self._running >= MOST_STREAMS:
                raise UsageError(f"{MOST_STREAMS} live motions are already running: stop one of them")
            self._running += 1
            stream, self._spare = self._spare, None
        if stream is not None and not stream.process.is_alive():
            stream.close()
            stream = None
        try:
            stream = stream or start_process(run)
            stream.pipe.send(request)
        except OSError:
            with self._lock:
                self._running -= 1
            raise UsageError("the process of this motion was killed from outside: start again") from None
        threading.Thread(target=self.warm, daemon=True).start()
        return stream

    def end(self, stream: Process) -> None:
        """Stop a stream."""
        stream.close()
        with self._lock:
            self._running -= 1

    def warm(self) -> None:
        """Start a spare process."""
        with self._lock:
            if self._spare is None and not self._closed:
                self._spare = start_process(run)

    def close(self) -> None:
        """End the spare process."""
        with self._lock:
            self._closed, spare, self._spare = True, self._spare, None
        if spare is not None:
            spare.close()


def run(pipe: Connection) -> None:
    """Wait for a request, then stream until the pipe is closed; runs in the process."""
    prepare_process()
    import freshtake.workflows.live  # noqa: F401  loaded while nobody is waiting

    try:
        _stream(pipe, pipe.recv())
    except (EOFError, OSError):
        return
    except FreshtakeError as error:
        pipe.send({"error": plainly(str(error))})
    except Exception as error:
        pipe.send({"error": f"the motion ended with an unexpected error ({type(error).__name__})"})


def _stream(pipe: Connection, request: StreamRequest) -> None:
    from freshtake.formats.ftm import read_stored
    from freshtake.numeric.blas_threads import one_blas_thread
    from freshtake.workflows.live import Steers, classes_of
    from freshtake.workflows.sending import Receiver
    from freshtake.workflows.viewing import Showing

    with one_blas_thread():
        stored = read_stored(request.model)
        steers = Steers(classes=classes_of(stored))
        if steers.classes:
            steers.choose(steers.classes[0])
        if request.source is not None:
            steers.source = clip_from(request.source)
        style = None if request.style is None else read_stored(request.style)
        received, receiver = None, None
        if request.receive is not None:
            if stored.method != "style":
                raise UsageError("a live take is translated by a style: choose a model of the Style tab")
            receiver = Receiver(request.receive)
            pipe.send({"waiting": f"Waiting for poses on port {request.receive} …"})
            receiver.wait()
            received = partial(receiver.frames, stored.model)
        plant = "soft" if request.plant else False
        showing = Showing(stored, steers, plant=plant, seed=request.seed, style=style, received=received)
        about = {"method": stored.method, "classes": list(steers.classes)}
        data = base64.b64encode(showing.first.data).decode()
        pipe.send({"fps": RATE, "manifest": showing.first.manifest, "data": data, **about})
        try:
            _send_frames(pipe, showing, steers, request.model)
        finally:
            if receiver is not None:
                receiver.close()


class _Outlet:
    """Sends poses to an address set by the page, in addition to the page."""

    def __init__(self, pipe: Connection, showing: Any, model: Path) -> None:
        self._pipe, self._showing, self._model = pipe, showing, model
        self._sender: Any = None

    def aim(self, address: str | None) -> None:
        """Set the address to send to, or stop."""
        from freshtake.workflows.sending import LiveSender, address_of

        self.close()
        if address is not None:
            with self._ending():
                self._sender = LiveSender(address_of(address, anywhere=True), self._showing.now().clip, self._model)
                self._pipe.send({"sending": address})

    def send(self, clip: Any, seconds: float) -> None:
        """Send a pose, if an address is set."""
        if self._sender is not None:
            with self._ending():
                self._sender.send(clip, seconds)

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """Report an error to the page, and stop sending."""
        try:
            yield
        except FreshtakeError as error:
            self.close()
            self._pipe.send({"error": plainly(str(error)), "sending": None})

    def close(self) -> None:
        if self._sender is not None:
            self._sender.close()
            self._sender = None


def _send_frames(pipe: Connection, showing: Any, steers: Any, model: Path) -> None:
    began, number, frame = time.monotonic(), 0, None
    outlet = _Outlet(pipe, showing, model)
    while True:
        # Frames are sent slightly ahead of time, so that a late packet does not stall the figure.
        while pipe.poll(max(wait := began + number / RATE - AHEAD - time.monotonic(), 0.0)):
            controls = pipe.recv()
            if "send" in controls:
                outlet.aim(controls.pop("send"))
            _apply(pipe, steers, controls)
        if wait < -LATE:  # too slow: continue from the current time
            began -= wait + AHEAD
        shown = showing.now()
        points = shown.points.copy()
        # Points are sent relative to the position on the ground, where single precision is enough.
        points[:, [0, 2]] -= shown.ground
        # The bones' rotations follow the points, for pages that show the neutral body.
        turns = shown.turns.astype("<f4").tobytes()
        pipe.send(HEAD.pack(number, *shown.ground) + points.astype("<f4").tobytes() + turns)
        outlet.send(shown.clip, number / RATE)
        if shown.frame is not None and shown.frame != frame:
            pipe.send({"shown": shown.frame, "jumped": frame is not None and shown.frame != frame + 1})
            frame = shown.frame
        showing.advance(steers.speed / RATE)
        number += 1


def _apply(pipe: Connection, steers: Any, controls: dict[str, Any]) -> None:
    """Apply controls; an invalid one is reported to the page, and the motion continues."""
    try:
        for name, value in controls.items():
            if name == "weights":
                for class_name, weight in sorted(value.items(), key=lambda pair: -pair[1]):
                    steers.weigh(class_name, weight)
            elif value is None:
                setattr(steers, name, None)
            else:
                steers.put(name, value)
    except FreshtakeError as error:
        pipe.send({"error": plainly(str(error))})
