"""What all commands have, added where they are registered: `--quiet`, and a name that the console knows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from cyclopts import App, Parameter

from freshtake.cli.console import begin, end

Quiet = Annotated[
    bool, Parameter(name=["--quiet", "-q"], negative="", help="Print errors only (and what --json asks for).")
]


def complete(group: App, words: tuple[str, ...] = ()) -> None:
    """Give every command of a group, and of the groups in it, the option --quiet."""
    for name in group:
        if name.startswith("-"):
            continue
        inner = group[name]
        complete(inner, (*words, name))
        if inner.default_command is not None:
            inner.default_command = _completed(inner.default_command, " ".join((*words, name)))


def _completed(command: Callable[..., Any], name: str) -> Callable[..., Any]:
    @wraps(command)
    def run(*arguments: Any, quiet: bool = False, **options: Any) -> Any:
        begin(name, quiet)
        try:
            return command(*arguments, **options)
        finally:
            end()

    said = inspect.signature(command, eval_str=True)
    extra = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Quiet)
    run.__signature__ = said.replace(parameters=[*said.parameters.values(), extra])  # type: ignore[attr-defined]
    run.__annotations__ = {**inspect.get_annotations(command, eval_str=True), "quiet": Quiet}
    del run.__wrapped__  # whoever looks at the command sees the option too
    return run
