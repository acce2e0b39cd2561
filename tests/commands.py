"""All commands of the command line, each with the options that it gets when it runs."""

from __future__ import annotations

from cyclopts import App

from freshtake.cli.entry import app
from freshtake.cli.every_command import complete_command


def complete(group: App = app, words: tuple[str, ...] = ()) -> None:
    """Complete every command of a group, and of its subgroups."""
    for name in group:
        if not name.startswith("-"):
            complete(group[name], (*words, name))
    complete_command(app, words)
