"""Keys as they are pressed in a terminal, without waiting for any; no terminal, no keys."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MOST = 64  # bytes that are read at a time


@contextmanager
def pressed_keys(file: int | None = None) -> Iterator[Callable[[], str]]:
    """A function that gives the keys pressed since it was last called; `file` is the terminal, default: stdin."""
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
    """What has been typed, as far as it can be read at once."""
    if not select.select([number], [], [], 0.0)[0]:
        return ""
    try:
        return os.read(number, MOST).decode("utf-8", "ignore")
    except OSError:  # the terminal has gone
        return ""


def _windows_keys() -> str:
    import msvcrt

    out = ""
    while len(out) < MOST and msvcrt.kbhit():  # type: ignore[attr-defined,unused-ignore]
        out += msvcrt.getwch()  # type: ignore[attr-defined,unused-ignore]
    return out
