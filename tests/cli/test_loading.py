"""Ctrl-C while the command is still loading."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == "cyclopts":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Stop())
from freshtake.cli import main
main()
"""


def test_interrupt_while_loading_ends_with_130_and_one_sentence() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert len(done.stderr.splitlines()) == 1 and "stopped" in done.stderr
