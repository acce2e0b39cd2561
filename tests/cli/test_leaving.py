"""How a process ends: at once, but after all registered exit handlers."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import atexit, sys, threading, time
import freshtake.cli as cli
def late():
    time.sleep(0.2)
    print("thread")
def command():
    atexit.register(print, "handler")
    threading.Thread(target=late).start()
    sys.stdout.write("result ")
    raise {end}
class Untouched:
    def __del__(self):
        print("taken apart")
kept = Untouched()
cli.main = command
cli.program()
"""


@pytest.mark.parametrize(
    ("end", "code"), [("SystemExit(3)", 3), ("SystemExit", 0), ("SystemExit('a sentence')", 1), ("SystemExit(0)", 0)]
)
def test_a_command_ends_after_its_threads_and_handlers_without_taking_the_interpreter_apart(
    end: str, code: int
) -> None:
    done = _ended(end)
    assert (done.returncode, done.stdout.split()) == (code, ["result", "thread", "handler"])


def test_another_exception_is_pythons_business() -> None:
    done = _ended("ValueError('wrong')")
    assert done.returncode == 1 and "ValueError: wrong" in done.stderr and "taken apart" in done.stdout


def _ended(end: str) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(end=end)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


LOADED = """
import gc
import freshtake.cli as cli
def command():
    before = gc.get_stats()[0]["collections"]
    import freshtake.workflows.varying
    assert gc.get_stats()[0]["collections"] == before and gc.isenabled()
    kept = [[] for _ in range(300_000)]
    assert gc.get_threshold() == usual and len(gc.callbacks) == callbacks
    raise SystemExit
usual, callbacks = gc.get_threshold(), len(gc.callbacks)
cli.main = command
cli.program()
"""


def test_garbage_is_collected_as_usual_once_everything_is_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
