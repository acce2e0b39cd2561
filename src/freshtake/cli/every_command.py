"""What all commands have, added where they are registered: `--quiet`, and a name that the console knows."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Annotated, Any

from cyclopts import App, Parameter

from freshtake.cli.console import begin, end

Quiet = Annotated[
    bool, Parameter(name=["--quiet", "-q"], negative="", help="Print errors only (and, with --json, the JSON).")
]


def complete(group: App, words: tuple[str, ...] = ()) -> None:
    """Give every command of a group, and of the groups in it, the option --quiet."""
    for name in group:
        if name.startswith("-"):
            continue
        inner = group[name]
        complete(inner, (*words, name))
        _complete_one(inner, (*words, name))


def complete_command(group: App, arguments: Sequence[str]) -> None:
    """Complete only the command that the arguments begin with, because completing all of them takes noticeable time."""
    words: tuple[str, ...] = ()
    for word in arguments:
        if word.startswith("-") or word not in group:
            break
        group, words = group[word], (*words, word)
    if words:
        _complete_one(group, words)


def _complete_one(command: App, words: tuple[str, ...]) -> None:
    function = command.default_command
    if function is not None and not hasattr(function, "is_complete"):
        command.default_command = _completed(function, " ".join(words))


def _completed(command: Callable[..., Any], name: str) -> Callable[..., Any]:
    @wraps(command)
    def run(*arguments: Any, quiet: bool = False, **options: Any) -> Any:
        begin(name, quiet)
        try:
            return command(*arguments, **options)
        finally:
            end()

    signature = inspect.signature(command, eval_str=True)
    extra = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Quiet)
    run.__signature__ = signature.replace(parameters=[*signature.parameters.values(), extra])  # type: ignore[attr-defined]
    run.__annotations__ = {**inspect.get_annotations(command, eval_str=True), "quiet": Quiet}
    run.is_complete = True  # type: ignore[attr-defined]
    del run.__wrapped__  # whoever looks at the command sees the option too
    return run
