"""ProgressSender: how far a job is, while it runs, with the seconds that compiling and the rest will still take."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from freshtake.methods.progress import Progress
from freshtake.workflows.compiling import Countdown

INTERVAL = 0.25  # seconds from one message to the next
Send = Callable[[dict[str, Any]], None]
Times = Callable[[], dict[str, float]]  # kernels, and the seconds that each is expected to compile


class ProgressSender:
    """Sends what a job reports and, while kernels compile, the countdown."""

    def __init__(self, send: Send, times: Times, clock: Callable[[], float] = time.monotonic) -> None:
        self._send, self._clock = send, clock
        self._step = Progress(0.0, "")
        self._began = clock()
        self._last = -INTERVAL
        self._last_phase = ""
        self.countdown = Countdown(times, lambda line: None, clock)

    def report(self, step: Progress) -> None:
        """What the job says of itself."""
        self._step = step
        self.send_now(changed=step.what != self._last_phase)

    def send_now(self, changed: bool = False) -> None:
        """Send where things stand, unless that was done just now and nothing else begins."""
        now = self._clock()
        if now - self._last < INTERVAL and not changed:
            return
        self._last, self._last_phase = now, self._step.what
        left = self.countdown.seconds_left
        share = min(max(float(self._step.share), 0.0), 1.0)
        phase = self._step.what
        if left:
            phase = "preparing"
        elif share > 0.05:
            left = (now - self._began - self.countdown.seconds_spent) * (1.0 / share - 1.0)
        self._send({"phase": phase, "done": share, "of": 1.0, "seconds_left": round(left, 1) if left else None})


@contextmanager
def sending_progress(send: Send, times: Times) -> Iterator[ProgressSender]:
    """A sender that sends by itself while something compiles."""
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
