"""Options that commands have in addition to their requests: `--json`, and `--force` for files that exist."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

Force = Annotated[
    bool, Parameter(negative="", help="Replace existing files; other files in a folder stay as they are.")
]
Json = Annotated[bool, Parameter(name="--json", negative="", help="Print a machine-readable summary alone on stdout.")]


def prepare_folder(target: Path, *, force: bool, empty: bool = True) -> None:
    """Do what `prepare` does for a command that fills a folder; a target that looks like a file is refused.

    Without `empty`, files are refused one by one.
    """
    from freshtake.workflows.outputs import check_folder_name

    check_folder_name(target)
    prepare(target if empty else None, force=force)


def prepare(*targets: Path | None, force: bool) -> None:
    """Refuse targets that exist already, before any work is done; without targets, refuse files one by one."""
    from freshtake.formats.files import Existing, check_free, choose_existing

    choose_existing(Existing.REPLACE if force else Existing.REFUSE)
    for target in targets:
        if target is not None:
            check_free(target)
