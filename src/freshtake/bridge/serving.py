"""The loop of the child process: requests in, progress and results out, one request at a time."""

import os
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from freshtake.bridge.job_request import Answer, Job, Request
from freshtake.bridge.messages import Decoder, Message, MessageError, encoded
from freshtake.errors import FreshtakeError, UsageError
from freshtake.methods.progress import Countdown, Progress
from freshtake.workflows.compiling import expected_of_steps, expected_times
from freshtake.workflows.sentences import crash_sentence, plainly


def compiles(name: str, params: Mapping[str, Any]) -> dict[str, float]:
    """Return the functions that a job compiles on first use, and the expected seconds for each."""
    if name != "warm_up":
        # Jobs compile the same functions as the commands of the same name; checking takes needs those of `select`.
        return expected_times("select" if name == "check_takes" else name.replace("_", " "))
    steps, times = params.get("steps"), expected_of_steps()
    chosen = [times.get(str(step), {}) for step in (steps if isinstance(steps, list) else times)]
    return {kernel: seconds for step in chosen for kernel, seconds in step.items()}


def job_of(name: str) -> Job:
    """Return the job with this name."""
    from freshtake.bridge.jobs import JOBS  # loaded with the first request, so the greeting is immediate

    if name not in JOBS:
        raise UsageError(f"there is no job {name[:40]!r}; the jobs are {', '.join(JOBS)}")
    return JOBS[name]


INTERVAL = 0.25  # seconds from one message to the next
Send = Callable[[dict[str, Any]], None]
Times = Callable[[], dict[str, float]]  # compiled functions, and the expected seconds for each


class ProgressSender:
    """Sends the progress of a job and, while functions compile, the countdown."""

    def __init__(self, send: Send, times: Times, clock: Callable[[], float] = time.monotonic) -> None:
        self._send, self._clock = send, clock
        self._step = Progress(0.0, "")
        self._began = clock()
        self._last = -INTERVAL
        self._last_phase = ""
        self.countdown = Countdown(times, lambda line: None, clock)

    def report(self, step: Progress) -> None:
        """Record the progress reported by the job."""
        self._step = step
        self.send_now(changed=step.what != self._last_phase)

    def send_now(self, changed: bool = False) -> None:
        """Send the progress, unless it was just sent and the phase is the same."""
        now = self._clock()
        if now - self._last < INTERVAL and not changed:
            return
        self._last, self._last_phase = now, self._step.what
        seconds = self.countdown.seconds_left
        share = min(max(float(self._step.share), 0.0), 1.0)
        phase = self._step.what
        if seconds:
            phase = "preparing"
        elif share > 0.05:
            seconds = (now - self._began - self.countdown.seconds_spent) * (1.0 / share - 1.0)
        self._send({"phase": phase, "done": share, "of": 1.0, "seconds_left": round(seconds, 1) if seconds else None})


@contextmanager
def sending_progress(send: Send, times: Times) -> Iterator[ProgressSender]:
    """Yield a sender that also sends from a thread while functions compile."""
    from freshtake.numeric.compiled import tell_of_compiling

    sender, finished = ProgressSender(send, times), threading.Event()

    def watch() -> None:
        while not finished.wait(2 * INTERVAL):
            if sender.countdown.seconds_left:
                sender.send_now()

    watcher = threading.Thread(target=watch, name="countdown", daemon=True)
    tell_of_compiling(sender.countdown.heard)
    watcher.start()
    try:
        yield sender
    finally:
        tell_of_compiling(None)
        finished.set()
        watcher.join()


class MessageWriter:
    """Sends messages from any thread, one at a time."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._lock = stream, threading.Lock()

    def send(self, message: Message) -> None:
        """Send one message."""
        data = encoded(message)
        with self._lock:
            self._stream.write(data)
            self._stream.flush()

    def fail(self, number: int, sentence: str) -> None:
        """Send the reason for a failure."""
        self.send(Message("failed", number, {"sentence": sentence}))


def serve(incoming: BinaryIO, outgoing: BinaryIO, ended: Callable[[], None]) -> int:
    """Answer requests until the stream ends; `ended` is called then, in another thread, even during a job."""
    from freshtake import __version__

    writer = MessageWriter(outgoing)
    writer.send(Message("hello", 0, {"freshtake": __version__, "python": sys.version.split()[0]}))
    inbox: queue.SimpleQueue[Message | MessageError | None] = queue.SimpleQueue()
    # A second thread reads, so the end of the other program is noticed during a job.
    threading.Thread(target=_listen, args=(incoming, inbox, ended), name="listener", daemon=True).start()
    while (message := inbox.get()) is not None:
        if isinstance(message, MessageError):
            writer.fail(0, str(message))
            return 2  # nothing after an invalid message can be trusted
        _answer(message, writer)
    return 0


def _listen(
    incoming: BinaryIO, inbox: queue.SimpleQueue[Message | MessageError | None], ended: Callable[[], None]
) -> None:
    """Read messages into the inbox continuously, so the end of the other program is noticed during a job."""
    decoder = Decoder()
    try:
        while piece := os.read(incoming.fileno(), 1 << 20):
            for message in decoder.feed(piece):
                inbox.put(message)
        decoder.end()
    except MessageError as error:
        inbox.put(error)
        return
    except OSError:
        pass
    inbox.put(None)
    ended()


def _answer(message: Message, writer: MessageWriter) -> None:
    """Do one job; report any failure in one sentence."""

    def progress(values: dict[str, Any]) -> None:
        writer.send(Message("progress", message.number, values))

    # A folder per job: jobs cannot see each other's files, and a killed child leaves at most one folder.
    with tempfile.TemporaryDirectory(prefix="freshtake-") as folder:
        try:
            answer = run(message, Path(folder), progress)
            writer.send(Message("result", message.number, answer.values, answer.arrays))
        except FreshtakeError as error:
            writer.fail(message.number, str(error))
        except MemoryError:
            writer.fail(message.number, "there is not enough memory for this: use fewer or shorter clips")
        except Exception as error:  # anything unexpected
            writer.fail(message.number, crash_sentence(error, f"bridge: {message.values.get('name')}"))


def run(message: Message, folder: Path, progress: Callable[[dict[str, Any]], None]) -> Answer:
    """Return the answer to a request; its files are in `folder`."""
    name, params = message.values.get("name"), message.values.get("params")
    if message.kind != "request" or not isinstance(name, str) or not isinstance(params, dict):
        raise UsageError("a request must name a job and its parameters")
    job = job_of(name)
    with sending_progress(progress, lambda: compiles(name, params)) as sender:
        request = Request(params, message.arrays, folder, sender.report)
        try:
            return job(request)
        except FreshtakeError as error:
            raise UsageError(plainly(request.with_clip_names(str(error)))) from None
