"""The command line: one file per command, each parses, calls a workflow and prints."""

import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run one command and exit with its code; Ctrl-C while the command is still loading ends with 130 too."""
    try:
        from freshtake.cli.entry import main as run
    except KeyboardInterrupt:
        print("freshtake: stopped before it began", file=sys.stderr)
        sys.exit(130)
    run()
