"""Options that every command gets when it is registered: the fields of its request, `--quiet`, and a console name."""

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any, get_args, get_origin

from cyclopts import App, Group, Parameter

from freshtake.cli.console import begin, end
from freshtake.errors import UsageError
from freshtake.requests.fields import Request, RequestField, fields_of

Quiet = Annotated[
    bool, Parameter(name=["--quiet", "-q"], negative="", help="Print errors only (and, with --json, the JSON).")
]


def complete_command(group: App, arguments: Sequence[str]) -> None:
    """Complete only the command that the arguments begin with, because completing all takes noticeable time."""
    group, words = command_in(group, arguments)
    function = group.default_command if words else None
    if function is None or hasattr(function, "is_complete"):
        return
    if len(words) == 1:
        # The command list shows the first line of the help; the docstring contains the rest.
        group.help = f"{group.help}\n\n{inspect.cleandoc(function.__doc__ or '')}"
    group.default_command = _completed(function, " ".join(words))


def command_in(group: App, arguments: Sequence[str]) -> tuple[App, list[str]]:
    """Return the command that the arguments begin with, and its words, such as `style apply`."""
    words: list[str] = []
    for word in arguments:
        if word.startswith("-") or word not in group:
            break
        group = group[word]
        words.append(word)
    return group, words


def _completed(command: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return the command with `--quiet`, and an option for each field of its request."""
    signature = inspect.signature(command, eval_str=True)
    parameters = list(signature.parameters.values())
    first = parameters[0].annotation
    request = first if isinstance(first, type) and issubclass(first, Request) else None

    @wraps(command)
    def run(*arguments: Any, quiet: bool = False, **options: Any) -> Any:
        begin(name, quiet)
        try:
            if request is None:
                result = command(*arguments, **options)
            else:
                # cyclopts passes only the given options, so the request's defaults apply to the rest.
                result = command(_requested(request, arguments, options), **options)
        finally:
            end()
        if (compiling := sys.modules.get("freshtake.numeric.compiled")) is not None and compiling.compiled_here():
            from freshtake.workflows.compiling import compile_after

            compile_after(name)
        return result

    extra = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Quiet)
    if request is not None:
        parameters = [*request_parameters(request), *parameters[1:]]
    run.__signature__ = signature.replace(parameters=[*parameters, extra])  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in (*parameters, extra)}
    run.is_complete, run.request = True, request  # type: ignore[attr-defined]
    del run.__wrapped__  # so that inspecting the command also shows the options
    return run


def command_order(request: type[Request]) -> list[RequestField]:
    """Return the fields in the order of `--help`: arguments, required, shared by tasks, special."""
    by_name = {one.name: one for one in fields_of(request)}
    shared = [name for base in request.__mro__[1:] for name in inspect.get_annotations(base)]
    ordered = [by_name[name] for name in dict.fromkeys((*shared, *by_name)) if name in by_name]
    return sorted(ordered, key=lambda one: (not one.option.positional, not one.required))


def request_parameters(request: type[Request]) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a command for the fields of its request."""
    by_name, by_position = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_ONLY
    for one in command_order(request):
        for flag, words in one.option.flags.items():
            typed = Annotated[bool, Parameter(negative="", help=words)]
            yield inspect.Parameter(flag, by_name, default=False, annotation=typed)
        if not one.option.flags:
            kind = by_position if one.option.positional else by_name
            default = () if one.option.repeated else inspect.Parameter.empty if one.required else one.default
            annotation = _annotation(one, _panel(request, one))
            yield inspect.Parameter(one.name, kind, default=default, annotation=annotation)


def _panel(request: type[Request], one: RequestField) -> Group | None:
    """Return the `--help` panel of a field, which is the shared group that defines it; None for the first panel."""
    if one.option.positional:
        return None
    titled = [base for base in request.__mro__ if "panel" in vars(base)]
    order = list(dict.fromkeys(vars(base)["panel"] for base in titled))
    # If several classes define a field, the last one in the method resolution order introduces it.
    for base in reversed(titled):
        if one.name in inspect.get_annotations(base):
            return Group(title := vars(base)["panel"], sort_key=1 + order.index(title))
    return None


def _annotation(one: RequestField, panel: Group | None) -> Any:
    option, type_ = one.option, one.type
    if option.parse is not None:
        type_ = tuple[str, ...] if option.repeated else str | None
    more: dict[str, Any] = {"negative": option.negative}
    if one.default is True or (type_ == bool | None and option.negative == ""):
        del more["negative"]  # --no-... as cyclopts spells it
    if list in (get_origin(type_), *(get_origin(part) for part in get_args(type_))):
        more["consume_multiple"] = not option.positional  # --like a.bvh b.bvh
    if isinstance(one.default, dict | tuple):
        more["show_default"] = False  # an empty list would not explain the default
    if type_ in (int, int | None):
        more["converter"] = _integer
    elif type_ in (float, float | None):
        more["converter"] = _number
    if option.names:
        more["name"] = list(option.names)
    if panel is not None:
        more["group"] = panel
    return Annotated[type_, Parameter(help=option.help, **more)]


def _integer(kind: Any, tokens: Sequence[Any]) -> int:
    """Convert a word to an integer; cyclopts would round 1.5 variants to 2."""
    word = tokens[0].value
    try:
        value = float(word) if "." in word else int(word)
        if value == int(value):
            return int(value)
    except (ValueError, OverflowError):
        pass
    raise ValueError(f'an integer was expected, not "{word}"')


def _number(kind: Any, tokens: Sequence[Any]) -> float:
    """Convert a word to a number; cyclopts would speak of floats."""
    try:
        return float(tokens[0].value)
    except ValueError:
        raise ValueError(f'a number was expected, not "{tokens[0].value}"') from None


def _requested(request: type[Request], arguments: Sequence[Any], options: dict[str, Any]) -> Request:
    values: dict[str, Any] = {}
    places = iter(arguments)
    for one in command_order(request):
        if one.option.positional:
            if (value := next(places, None)) is not None:
                values[one.name] = value
        elif one.option.flags:
            values |= _flagged(one, options)
        elif one.name in options:
            value = options.pop(one.name)
            values[one.name] = one.option.parse(value) if one.option.parse is not None and value is not None else value
    return request(**values)


def _flagged(one: RequestField, options: dict[str, Any]) -> Mapping[str, str]:
    chosen = [flag for flag in one.option.flags if options.pop(flag, False)]
    if len(chosen) > 1:
        raise UsageError(f"--{chosen[0]} and --{chosen[1]} cannot be combined: choose one")
    return {one.name: chosen[0]} if chosen else {}
