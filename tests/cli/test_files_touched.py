"""How many files of freshtake a command runs through, which is how many a reader has to open."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from freshtake.cli.entry import run

# Two more than were counted with all machine code at hand: commands that compile run through a countdown too. An aim,
# not a law: a new file on the way is fine if it makes the way clearer.
MOST = {"learn": 51, "vary": 46, "style apply": 49, "crowd": 45}
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
    takes, walks, limps, model, limp, out = (
        str(tmp_path / name) for name in ("takes", "walks", "limps", "walk.ftm", "limp.ftm", "out")
    )
    for name, count, folder in (("walk", 4, takes), ("walk_long", 1, walks), ("limp", 1, limps)):
        assert run(["samples", "write", name, "-n", str(count), "-o", folder, "--quiet"]) == 0
    assert run(["style", "learn", "--source", walks, "--target", limps, "-o", limp, "--quiet"]) == 0
    commands = {
        "learn": ["learn", takes, "-o", model],
        "vary": ["vary", model, "-n", "1", "-o", f"{out}/variants"],
        "style apply": ["style", "apply", limp, walks, "-o", f"{out}/limping"],
        "crowd": ["crowd", model, "-n", "4", "-o", f"{out}/crowd"],
    }
    for command, arguments in commands.items():
        files = files_of([*arguments, "--quiet"])
        assert 20 < len(files) <= MOST[command], (command, sorted(file.removeprefix(PACKAGE) for file in files))
