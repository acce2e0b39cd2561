"""Compiling in the background from the moment the studio opens, so that nobody waits for it later."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from freshtake.serve.processes import Process, prepare_process, start_process

Publish = Callable[[dict[str, Any]], None]
TRUSTED = 15.0  # seconds of compiling before which the table of times counts more than what was measured


def steps_to_compile() -> list[str]:
    """Return the steps of `warm_up` that have a function without machine code on this machine."""
    from freshtake.numeric.machine_code import has_machine_code
    from freshtake.workflows.compiling import expected_of_steps

    return [name for name, times in expected_of_steps().items() if not all(map(has_machine_code, times))]


class Warming:
    """Runs steps of `warm_up` in one process of low priority and publishes {"warming": {step, seconds_left}}.

    The last event is {"warming": None}. A job that needs a function which is still compiling compiles it itself and
    reports the time it needs.
    """

    def __init__(self, publish: Publish, steps: Sequence[str] | None = None) -> None:
        self._publish, self._steps = publish, steps
        self._process: Process | None = None
        self._lock, self._closed = threading.Lock(), False
        self.now: dict[str, Any] | None = None
        self.finished = False  # by itself, not because its process was ended
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        steps = steps_to_compile() if self._steps is None else list(self._steps)
        with self._lock:
            if self._closed or not steps:
                return
            self._process = start_process(warm, steps)
        with suppress(EOFError, OSError):
            while (told := self._process.pipe.recv()) is not None:
                self._tell(told)
            self.finished = True
        self._tell(None)

    def _tell(self, told: dict[str, Any] | None) -> None:
        self.now = told
        if not self._closed:
            self._publish({"warming": told})

    def join(self, seconds: float) -> None:
        """Wait until everything is compiled, at most so long."""
        self._thread.join(seconds)

    def close(self) -> None:
        """End the process, wherever it is; what was compiled is kept."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()


def warm(steps: list[str], pipe: Connection) -> None:
    """Compile in the process, one step after the other, and report what is left on the pipe; None at the end."""
    prepare_process()
    if hasattr(os, "nice"):
        os.nice(10)  # whatever somebody waits for goes first
    from freshtake.numeric.compiled import tell_of_compiling
    from freshtake.workflows.compiling import expected_of_steps, warm_up

    left = {kernel: seconds for name in steps for kernel, seconds in expected_of_steps()[name].items()}
    total, began, last, at = sum(left.values()), time.monotonic(), 0.0, steps[0]

    def heard(kernel: str, begins: bool) -> None:
        nonlocal last
        if not begins:
            left.pop(kernel, None)
        now, rest = time.monotonic(), sum(left.values())
        if now - last > 0.5:
            last = now
            # The first function takes long for what it does, so that the table counts at first and our pace later.
            pace = (now - began + TRUSTED) / (total - rest + TRUSTED)
            pipe.send({"step": at, "seconds_left": round(max(pace * rest, 1.0), 1)})

    tell_of_compiling(heard)
    with suppress(OSError):
        for at in steps:
            warm_up(steps=[at])
        pipe.send(None)
