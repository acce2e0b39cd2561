"""The command line: one file per command, each parses, calls a workflow and prints."""

from freshtake.cli.entry import main

__all__ = ["main"]
