"""Ctrl-C on a terminal, while a thread draws the progress bar: one sentence, exit code 130, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from freshtake.cli.entry import run

PROGRAM = (  # a test run in the background hands an ignored signal on
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from freshtake.cli import main; main()"
)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pty")
@pytest.mark.parametrize("times", [1, 4])
def test_stopping_an_evaluation_never_aborts_python(tmp_path: Path, times: int) -> None:
    assert run(["samples", "write", "walk", "-n", "6", "-o", str(tmp_path / "walks"), "-q"]) == 0
    main, terminal = os.openpty()
    command = [
        sys.executable, "-c", PROGRAM, "evaluate", "--inputs", "walks", "--outputs", "walks", "--baselines",
        "-o", "page.html",
    ]  # fmt: skip
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=terminal) as process:
        os.close(terminal)
        seen = b""
        while b"\x1b" not in seen:  # until the bar is drawn
            seen += os.read(main, 65536)
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(0.02)
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:  # the other end is closed
                break
            seen += part
        assert process.wait() == 130
    os.close(main)
    assert b"stopped; nothing half-written is left behind" in seen and b"Fatal" not in seen and b"Traceback" not in seen
    assert sorted(path.name for path in tmp_path.iterdir()) == ["walks"]


LOST = """
import ctypes, os, signal, sys
from freshtake.cli import entry

def compiling(arguments):
    # LLVM calls back into Python in the same way: an exception of a signal that arrives there is dropped.
    ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), int(sys.argv[1])) or sum(range(1000)))()
    raise RuntimeError("the compiler gave up")

signal.signal(signal.SIGINT, signal.default_int_handler)
entry._command = compiling
entry.main([])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="other signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_a_compiler_drops_is_no_crash(tmp_path: Path, number: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOST, str(int(number))], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 128 + number
    assert "freshtake: stopped; nothing half-written is left behind" in done.stderr
    assert "something went wrong" not in done.stderr
