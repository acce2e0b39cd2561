"""`freshtake stream --live`: read keys, send poses, and finally report how punctual they were."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from freshtake.cli.console import show, warn
from freshtake.requests.variation import Stream

if TYPE_CHECKING:
    from freshtake.workflows.live import Steers


def send_live(request: Stream, json: bool) -> None:
    """Send until the end; keys steer if stdin is a terminal."""
    from freshtake.workflows import motion_send
    from freshtake.workflows.live import key_pressed, keys_help

    terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    keys_shown = not terminal

    def each_tick(now: Steers) -> None:
        nonlocal keys_shown
        typed = keys()
        if not keys_shown:
            keys_shown = True
            print(keys_help(now.classes), file=sys.stderr)
        if [key for key in typed if key_pressed(now, key)] and terminal:
            print(f"\r{now.status()}\033[K", end="", file=sys.stderr, flush=True)

    with pressed_keys() as keys:
        done = motion_send(request, warn, each_tick=each_tick)
    timing = done.timing
    address = f"{done.address.host}:{done.address.port}"
    show(
        json, {**done._asdict(), "address": f"vmc://{address}"},
        f"sent {timing.sent} poses in {done.seconds:.1f} s to {address}, "
        f"late by {timing.median_ms:.2f} ms (median), {timing.p99_ms:.2f} ms (99th percentile), "
        f"{timing.worst_ms:.1f} ms at worst; {timing.left_out} skipped",
    )  # fmt: skip


MOST = 64  # bytes read at a time


@contextmanager
def pressed_keys(file: int | None = None) -> Iterator[Callable[[], str]]:
    """Yield a function that returns the keys pressed since its last call; `file` is the terminal, by default stdin."""
    number = _stdin() if file is None else file
    if number is None or not os.isatty(number):
        yield lambda: ""
        return
    if sys.platform == "win32":
        yield _windows_keys
        return
    import termios
    import tty

    before = termios.tcgetattr(number)
    tty.setcbreak(number, termios.TCSANOW)
    try:
        yield lambda: _waiting(number)
    finally:
        termios.tcsetattr(number, termios.TCSANOW, before)


def _stdin() -> int | None:
    try:
        return sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):  # closed, or not a file at all
        return None


def _waiting(number: int) -> str:
    """Return the typed text that can be read without blocking."""
    if not select.select([number], [], [], 0.0)[0]:
        return ""
    try:
        return os.read(number, MOST).decode("utf-8", "ignore")
    except OSError:  # the terminal is gone
        return ""


def _windows_keys() -> str:
    import msvcrt

    out = ""
    while len(out) < MOST and msvcrt.kbhit():  # type: ignore[attr-defined,unused-ignore]
        out += msvcrt.getwch()  # type: ignore[attr-defined,unused-ignore]
    return out
