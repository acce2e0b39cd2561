"""Endless motion while it is made: a process per stream, steered by messages, a little ahead of real time."""

from __future__ import annotations

import base64
import struct
import threading
import time
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import FreshtakeError, UsageError
from freshtake.serve.processes import Process, prepare_process, start_process
from freshtake.workflows.sentences import plainly

AHEAD = 0.08  # seconds that frames are made before they are due: controls act within 0.1 s
LATE = 0.3  # seconds; who is farther behind leaves frames out
RATE = 60.0  # frames a second that are sent, whatever the model's rate is
MOST_STREAMS = 4  # streams at a time
HEAD = struct.Struct("<Iff")


class StreamRequest(NamedTuple):
    """Which model streams: another one than a style as it is or put into a `style`.

    A style model translates a take (`source`), or the poses that arrive as VMC messages on the port `receive`.
    """

    model: Path
    source: Path | None = None
    trim: tuple[int, int] | None = None
    seed: int = 0
    plant: bool = False
    style: Path | None = None
    receive: int | None = None


class Streams:
    """Streams that run, and one process that waits, so that the next begins at once."""

    def __init__(self) -> None:
        self._lock, self._running = threading.Lock(), 0
        self._closed = False
        self._spare: Process | None = None

    def begin(self, request: StreamRequest) -> Process:
        """Start a stream; its messages arrive on its pipe."""
        with self._lock:
            if self._running >= MOST_STREAMS:
                raise UsageError(f"{MOST_STREAMS} live motions run already: stop one of them")
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
            raise UsageError("the process of this motion was ended from outside: begin again") from None
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
            self._closed = True
            if self._spare is not None:
                self._spare.close()
                self._spare = None


def run(pipe: Connection) -> None:
    """Wait in the process for a request, then stream it until the pipe is closed."""
    prepare_process(polite=False)
    import freshtake.workflows.live  # noqa: F401  loaded while nobody waits

    try:
        _stream(pipe, pipe.recv())
    except (EOFError, OSError):
        return
    except FreshtakeError as error:
        pipe.send({"error": plainly(str(error))})
    except Exception as error:
        pipe.send({"error": f"the motion ended by something that should not happen ({type(error).__name__})"})


def _stream(pipe: Connection, request: StreamRequest) -> None:
    from freshtake.formats import read_clip
    from freshtake.formats.ftm import read_stored
    from freshtake.motion.edit import take_frames
    from freshtake.numeric.blas_threads import one_blas_thread
    from freshtake.workflows.live import Steers, classes_of
    from freshtake.workflows.receiving import Receiver
    from freshtake.workflows.viewing import Showing

    with one_blas_thread():
        stored = read_stored(request.model)
        steers = Steers(classes=classes_of(stored))
        if steers.classes:
            steers.choose(steers.classes[0])
        if request.source is not None:
            source = read_clip(request.source)
            trim = request.trim
            steers.source = source if trim is None else take_frames(source, trim[0], trim[1] + 1)
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
    """Where poses go besides the page: avatars at an address that the page names, or nowhere."""

    def __init__(self, pipe: Connection, showing: Any, model: Path) -> None:
        self._pipe, self._showing, self._model = pipe, showing, model
        self._sender: Any = None

    def aim(self, address: str | None) -> None:
        """Send to an address from now on, or stop; an impossible one is answered with a sentence."""
        from freshtake.workflows.sending import LiveSender, address_of

        self.close()
        if address is None:
            return
        try:
            self._sender = LiveSender(address_of(address, anywhere=True), self._showing.now().clip, self._model)
            self._pipe.send({"sending": address})
        except FreshtakeError as error:
            self._pipe.send({"error": plainly(str(error)), "sending": None})

    def send(self, clip: Any, seconds: float) -> None:
        """Send a pose, if there is somewhere to send it to."""
        if self._sender is None:
            return
        try:
            self._sender.send(clip, seconds)
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
        # Frames are sent a little ahead of their time, so that a late packet does not stop the figure.
        wait = began + number / RATE - AHEAD - time.monotonic()
        while pipe.poll(max(wait, 0.0)):
            controls = pipe.recv()
            if "send" in controls:
                outlet.aim(controls.pop("send"))
            _apply(pipe, steers, controls)
            wait = began + number / RATE - AHEAD - time.monotonic()
        if wait < -LATE:  # the machine could not follow: go on from here
            began -= wait + AHEAD
        shown = showing.now()
        points = shown.points.copy()
        # Single precision is enough near the body, not kilometres away: places are sent relative to the ground.
        points[:, [0, 2]] -= shown.ground
        turns = shown.turns.astype("<f4").tobytes()
        pipe.send(HEAD.pack(number, *shown.ground) + points.astype("<f4").tobytes() + turns)
        outlet.send(shown.clip, number / RATE)
        if shown.frame is not None and shown.frame != frame:
            jumped = frame is not None and shown.frame != frame + 1
            pipe.send({"shown": shown.frame, "jumped": bool(jumped)})
            frame = shown.frame
        showing.advance(steers.speed / RATE)
        number += 1


def _apply(pipe: Connection, steers: Any, controls: dict[str, Any]) -> None:
    """Apply controls; an impossible one is answered with a sentence, and the motion continues."""
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
