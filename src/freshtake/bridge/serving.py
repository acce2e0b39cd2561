"""The loop of the child process: requests in, progress and results out, one after the other."""

from __future__ import annotations

import os
import queue
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from freshtake.bridge.jobs import compiles, job_of
from freshtake.bridge.messages import Decoder, Message, MessageError, encoded
from freshtake.bridge.progress_messages import sending_progress
from freshtake.bridge.requests import Answer, Request
from freshtake.errors import FreshtakeError, UsageError
from freshtake.workflows.crash_files import crash_sentence
from freshtake.workflows.plain_sentences import plainly

PIECE = 1 << 20
CORRUPT = 2  # exit code after a message that was not understood


class MessageWriter:
    """Messages out, whole ones, from any thread."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._lock = stream, threading.Lock()

    def send(self, message: Message) -> None:
        """Send one message."""
        data = encoded(message)
        with self._lock:
            self._stream.write(data)
            self._stream.flush()

    def fail(self, number: int, sentence: str) -> None:
        """Say why there is no result."""
        self.send(Message("failed", number, {"sentence": sentence}))


def serve(incoming: BinaryIO, outgoing: BinaryIO, ended: Callable[[], None]) -> int:
    """Answer requests until the stream ends; `ended` is called then, in another thread, whatever is being done."""
    from freshtake import __version__

    writer = MessageWriter(outgoing)
    writer.send(Message("hello", 0, {"freshtake": __version__, "python": sys.version.split()[0]}))
    inbox: queue.SimpleQueue[Message | MessageError | None] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(incoming, inbox, ended), name="listener", daemon=True).start()
    while (message := inbox.get()) is not None:
        if isinstance(message, MessageError):
            writer.fail(0, str(message))
            return CORRUPT
        _answer(message, writer)
    return 0


def _listen(
    incoming: BinaryIO, inbox: queue.SimpleQueue[Message | MessageError | None], ended: Callable[[], None]
) -> None:
    """Read all the time, so that the end of the other program is noticed in the middle of work."""
    decoder = Decoder()
    try:
        while piece := os.read(incoming.fileno(), PIECE):
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
    """Do one job; whatever goes wrong with it becomes one sentence."""

    def progress(values: dict[str, Any]) -> None:
        writer.send(Message("progress", message.number, values))

    with tempfile.TemporaryDirectory(prefix="freshtake-") as folder:
        try:
            answer = run(message, Path(folder), progress)
            writer.send(Message("result", message.number, answer.values, answer.arrays))
        except FreshtakeError as error:
            writer.fail(message.number, str(error))
        except MemoryError:
            writer.fail(message.number, "there is not enough memory for this: use fewer or shorter clips")
        except Exception as error:  # the last net
            writer.fail(message.number, crash_sentence(error, f"bridge: {message.values.get('name')}"))


def run(message: Message, folder: Path, progress: Callable[[dict[str, Any]], None]) -> Answer:
    """The answer to a request; its files are in `folder`."""
    name, params = message.values.get("name"), message.values.get("params")
    if message.kind != "request" or not isinstance(name, str) or not isinstance(params, dict):
        raise UsageError("a request names a job and its parameters")
    job = job_of(name)
    with sending_progress(progress, lambda: compiles(name, params)) as sender:
        request = Request(params, message.arrays, folder, sender.report)
        try:
            return job(request)
        except FreshtakeError as error:
            raise UsageError(plainly(request.with_clip_names(str(error)))) from None
