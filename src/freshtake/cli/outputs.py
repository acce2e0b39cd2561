"""Carry out the request of a command, and the options that commands have in addition: `--json` and `--force`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from freshtake.cli.console import progress_bar, warn

if TYPE_CHECKING:
    from freshtake.requests.fields import Request

Force = Annotated[
    bool, Parameter(negative="", help="Replace existing files; other files in a folder stay as they are.")
]
Json = Annotated[bool, Parameter(name="--json", negative="", help="Print a machine-readable summary alone on stdout.")]


def carry_out(request: Request, *targets: Path | None, force: bool = False, folder: bool = False, **more: Any) -> Any:
    """Carry out a request with a progress bar, and return the result of its workflow.

    Args:
        request: What to do.
        targets: Files or folders that it writes. Those that exist are refused before any work is done; files inside a
            folder that is no target are refused one by one.
        force: Replace what exists.
        folder: Whether `request.out` must be a folder: the name of a file is refused.
        more: Further arguments of the workflow.

    Returns:
        What the workflow returns.
    """
    from freshtake import workflows
    from freshtake.formats.files import Existing, check_free, choose_existing

    if folder:
        from freshtake.workflows.outputs import check_folder_name

        check_folder_name(request.out)  # type: ignore[attr-defined]
    choose_existing(Existing.REPLACE if force else Existing.REFUSE)
    for target in targets:
        if target is not None:
            check_free(target)
    with progress_bar() as report:
        return workflows.run(request, report, warn, **more)
