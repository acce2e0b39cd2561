"""How many files of freshtake a command runs through, which is how many a reader has to open."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from freshtake.cli.entry import run

# A few more than were counted with all machine code at hand (57, 47): commands that compile run through a countdown
# too. A goal, not a law: a new file on the way is fine if it makes things clearer.
MOST = {"learn": 59, "vary": 50}
PACKAGE = str(Path(inspect.getfile(run)).parents[1])


def files_of(arguments: list[str]) -> set[str]:
    """Return the files of freshtake in which a function runs; bodies of modules and classes do not count."""
    seen: set[str] = set()

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and code.co_flags & inspect.CO_OPTIMIZED:
            seen.add(code.co_filename)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        assert run(arguments) == 0
    finally:
        sys.setprofile(before)
    return seen


def test_the_way_of_a_command_through_the_files_is_short(tmp_path: Path) -> None:
    assert run(["samples", "write", "walk", "-n", "4", "-o", str(tmp_path / "takes")]) == 0
    model, takes, out = (str(tmp_path / name) for name in ("walk.ftm", "takes", "variants"))
    for command, arguments in (("learn", [takes, "-o", model]), ("vary", [model, "-n", "1", "-o", out])):
        files = files_of([command, *arguments, "--quiet"])
        assert 20 < len(files) <= MOST[command], sorted(file.removeprefix(PACKAGE) for file in files)
