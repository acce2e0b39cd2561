"""`--quiet` for every command, added where commands are registered."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from cyclopts import App, Parameter

from freshtake.cli.console import be_quiet

Quiet = Annotated[
    bool, Parameter(name=["--quiet", "-q"], negative="", help="Print errors only (and what --json asks for).")
]


def add_quiet(group: App) -> None:
    """Give every command of a group, and of the groups in it, the option --quiet."""
    for name in group:
        if name.startswith("-"):
            continue
        inner = group[name]
        add_quiet(inner)
        if inner.default_command is not None:
            inner.default_command = _can_be_quiet(inner.default_command)


def _can_be_quiet(command: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(command)
    def run(*arguments: Any, quiet: bool = False, **options: Any) -> Any:
        if quiet:
            be_quiet()
        return command(*arguments, **options)

    said = inspect.signature(command, eval_str=True)
    extra = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Quiet)
    run.__signature__ = said.replace(parameters=[*said.parameters.values(), extra])  # type: ignore[attr-defined]
    run.__annotations__ = {**inspect.get_annotations(command, eval_str=True), "quiet": Quiet}
    del run.__wrapped__  # whoever looks at the command sees the option too
    return run
