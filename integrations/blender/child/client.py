# SPDX-License-Identifier: GPL-3.0-or-later
"""Child: freshtake in a separate process, controlled over its standard streams. No call waits for the process.

    child = Child(cache_folder)
    handle = child.request("vary", {"count": 5}, {"model": model})
    for event in handle.poll():       # from a timer; events are Progress, Result or Failed
        ...

Requests are done in order. `cancel` kills the process; waiting requests are sent again to a new one, which is
started when needed. If a process crashes, the request it was working on fails with one sentence.
"""

from __future__ import annotations

import atexit
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.bridge.messages import Decoder, Message, MessageError, encoded

PIECE = 1 << 20  # bytes read at a time
LAST_WORDS = 5.0  # seconds for which output of an ended process is still read
OUTPUT_LINES = 40  # the last lines of the child's output, which are stored
SHIPPED = Path(__file__).resolve().parents[1] / "machine_code"  # compiled by integrations/build_blender.py

START = "import sys; sys.path[:0] = sys.argv[1:]; from freshtake.bridge.__main__ import main; main()"
LOW_PRIORITY = "import os; hasattr(os, 'nice') and os.nice(5); "


class Progress(NamedTuple):
    """The progress of a request: its phase, the work done, the work in total, and the seconds left, if known."""

    phase: str
    done: float
    of: float
    seconds_left: float | None = None


class Result(NamedTuple):
    """The result of a request: plain values and arrays."""

    values: dict[str, Any]
    arrays: Mapping[str, Any]


class Failed(NamedTuple):
    """The reason why there is no result, in one sentence."""

    sentence: str


Event = Progress | Result | Failed
CANCELLED = Failed("cancelled")


class Handle:
    """One request. `poll` returns the events since the last call; the last event is a Result or Failed."""

    def __init__(self, child: Child, number: int, message: Message) -> None:
        self._child, self.number, self._message = child, number, message
        self._events: deque[Event] = deque()
        self.done = False

    def poll(self) -> list[Event]:
        """Return events since the last call, oldest first; never waits."""
        out = []
        while self._events:
            out.append(self._events.popleft())
        return out

    def cancel(self) -> None:
        """Cancel the request, and kill the process if it works on this request. The last event is CANCELLED."""
        self._child._cancel(self)

    def _put(self, event: Event) -> None:
        if not self.done:
            self.done = not isinstance(event, Progress)
            self._events.append(event)


class Child:
    """The process: started with the first request, and restarted after it was killed or crashed.

    `cache` is a folder for compiled code, `path` the folders in which the child finds freshtake and its
    dependencies (default: those of this process), `python` the interpreter (default: that of this process). With
    `low_priority`, other processes run first.
    """

    def __init__(
        self,
        cache: Path | None = None,
        *,
        path: Sequence[str] | None = None,
        python: str | None = None,
        low_priority: bool = False,
    ) -> None:
        start = LOW_PRIORITY + START if low_priority else START
        self._command = [python or sys.executable, "-I", "-c", start, *(library_path() if path is None else path)]
        self._cache = cache
        self._lock = threading.RLock()
        self._waiting: dict[int, Handle] = {}  # in the order of the requests
        self._numbers = 0
        self._process: _Process | None = None
        self._output: deque[str] = deque(maxlen=OUTPUT_LINES)
        atexit.register(self.close)

    def request(
        self, name: str, params: Mapping[str, Any] | None = None, arrays: Mapping[str, Any] | None = None
    ) -> Handle:
        """Request a job by its name."""
        with self._lock:
            self._numbers += 1
            message = Message("request", self._numbers, {"name": name, "params": dict(params or {})}, arrays or {})
            handle = Handle(self, self._numbers, message)
            self._waiting[handle.number] = handle
            self._send(handle)
        return handle

    @property
    def busy(self) -> bool:
        """Whether a request is still under way."""
        return bool(self._waiting)

    @property
    def recent_output(self) -> str:
        """Return the last lines that the child printed, for error reports."""
        return "\n".join(self._output)

    def close(self) -> None:
        """Kill the process and cancel all unfinished requests."""
        with self._lock:
            for handle in self._waiting.values():
                handle._put(CANCELLED)
            self._waiting.clear()
            self._stop()
        atexit.unregister(self.close)

    def _send(self, handle: Handle) -> None:
        try:
            data = encoded(handle._message)
        except MessageError as error:
            self._waiting.pop(handle.number)
            handle._put(Failed(str(error)))
            return
        if self._process is None:
            self._process = _Process(self._command, self._cache, self._output, self._received, self._ended)
        self._process.send(data)

    def _cancel(self, handle: Handle) -> None:
        with self._lock:
            if handle.number not in self._waiting:
                return
            self._waiting.pop(handle.number)
            handle._put(CANCELLED)
            self._stop()
            self._resend()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None

    def _resend(self) -> None:
        """Send all waiting requests to a new process."""
        for handle in list(self._waiting.values()):
            self._send(handle)

    def _received(self, process: _Process, message: Message) -> None:
        with self._lock:
            handle = self._waiting.get(message.number)
            if process is not self._process or handle is None:
                return
            event = _event(message)
            if event is not None:
                handle._put(event)
            if handle.done:
                self._waiting.pop(message.number)

    def _ended(self, process: _Process, why: str) -> None:
        """Fail the current request of a process that ended without being killed."""
        with self._lock:
            if process is not self._process:
                return
            self._process = None
            process.kill()
            if self._waiting:
                self._waiting.pop(min(self._waiting))._put(Failed(why))
                self._resend()


def _event(message: Message) -> Event | None:
    values = message.values
    match message.kind:
        case "progress":
            return Progress(
                str(values.get("phase", "")), values.get("done", 0), values.get("of", 1), values.get("seconds_left")
            )
        case "result":
            return Result(values, message.arrays)
        case "failed":
            return Failed(str(values.get("sentence", "it failed without giving a reason")))
    return None


class _Process:
    """One run of the child: three threads write its input, read its results and store its output."""

    def __init__(
        self, command: Sequence[str], cache: Path | None, output: deque[str], received: Any, ended: Any
    ) -> None:
        self._command, self._cache, self._received, self._ended = command, cache, received, ended
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._popen: subprocess.Popen[bytes] | None = None
        self._killed = False
        self.lines = output
        threading.Thread(target=self._run, name="freshtake", daemon=True).start()

    def send(self, data: bytes) -> None:
        self._outbox.put(data)

    def kill(self) -> None:
        """Kill the process, without a lock, since starting takes a while: the starting thread checks `_killed`."""
        self._killed = True
        self._outbox.put(None)
        if self._popen is not None:
            self._popen.kill()

    def _run(self) -> None:
        """Start the process, forward requests, and clean up after it."""
        scratch = tempfile.mkdtemp(prefix="freshtake-")
        try:
            if self._killed:
                return
            self._popen = self._started(scratch)
            if self._killed:
                self._popen.kill()
            output = threading.Thread(target=self._read_output, name="freshtake", daemon=True)
            reader = threading.Thread(target=self._read, args=(output,), name="freshtake", daemon=True)
            output.start()
            reader.start()
            self._write()
            reader.join()
            output.join()
            for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
                with suppress(OSError):
                    stream.close()  # type: ignore[union-attr]
        except OSError as error:
            self._ended(self, f"freshtake's process cannot be started with {self._command[0]}: {error.strerror}")
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _started(self, scratch: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "TMPDIR": scratch, "TEMP": scratch, "TMP": scratch}
        if self._cache is not None:
            self._cache.mkdir(parents=True, exist_ok=True)
            environment["FRESHTAKE_CODE_CACHE"] = str(self._cache)
        environment["FRESHTAKE_SHIPPED_CODE"] = str(SHIPPED)
        flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # on Windows, no console appears
        pipe = subprocess.PIPE
        return subprocess.Popen(
            self._command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, cwd=scratch, creationflags=flags
        )

    def _write(self) -> None:
        assert self._popen is not None
        assert self._popen.stdin is not None
        with suppress(OSError):  # the process is gone; the reading thread reports this
            while (data := self._outbox.get()) is not None:
                self._popen.stdin.write(data)
                self._popen.stdin.flush()
            self._popen.stdin.close()

    def _read(self, output: threading.Thread) -> None:
        assert self._popen is not None
        assert self._popen.stdout is not None
        decoder = Decoder()
        why = ""
        try:
            while piece := os.read(self._popen.stdout.fileno(), PIECE):
                for message in decoder.feed(piece):
                    self._received(self, message)
        except (MessageError, OSError) as error:
            why = f"freshtake's process sent something that cannot be read ({error})"
            self._popen.kill()
        code = self._popen.wait()
        self._outbox.put(None)
        output.join(LAST_WORDS)
        self._ended(self, why or self._last_sentence(code))

    def _last_sentence(self, code: int) -> str:
        said = next((line.strip() for line in reversed(self.lines) if line.strip()), "")
        return f"freshtake's process ended unexpectedly (code {code}{': ' + said if said else ''}): try again"

    def _read_output(self) -> None:
        assert self._popen is not None
        assert self._popen.stderr is not None
        for line in self._popen.stderr:
            self.lines.append(line.decode("utf-8", "replace").rstrip())


def library_path() -> tuple[str, ...]:
    """Return the folder in which this process found freshtake, with the other wheels."""
    import freshtake

    return (str(Path(freshtake.__file__).resolve().parents[1]),)
