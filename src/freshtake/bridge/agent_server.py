"""freshtake as tools for agents, by the Model Context Protocol over standard streams (needs `freshtake[mcp]`).

Every request with a workflow is a tool: its fields are the tool's schema, with the same help and limits as on the
command line. Files go in and out by path, and only below the folders allowed when the server was started.
"""

import math
import os
import types
from collections.abc import Mapping, Sequence
from contextvars import copy_context
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

from freshtake import __version__, requests, workflows
from freshtake.errors import FreshtakeError, MissingExtra, UsageError
from freshtake.formats.files import Existing, choose_existing, confine_to
from freshtake.requests.fields import Request, RequestField, fields_of, from_values

REPLACE = "replace"  # the only argument not in a request: --force on the command line
_JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", Path: "string"}


def tools() -> dict[str, type[Request]]:
    """Return the offered requests, by the names of the functions that carry them out."""
    out = {}
    for name in requests.__all__:
        request = getattr(requests, name)
        if isinstance(request, type) and issubclass(request, Request) and request is not Request:
            task = request.task()
            if task in workflows.__all__ and task != "variants":  # a base of `Vary`, not a task
                out[task] = request
    return out


def arguments_of(request: type[Request]) -> list[RequestField]:
    """Return the fields that agents may set."""
    return [one for one in fields_of(request) if one.option.agents]


def input_schema(request: type[Request]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments."""
    described = {one.name: _field_schema(one) for one in arguments_of(request)}
    described[REPLACE] = {"type": "boolean", "description": "Replace existing files.", "default": False}
    required = [one.name for one in fields_of(request) if one.required]
    return {"type": "object", "properties": described, "required": required, "additionalProperties": False}


def _field_schema(field: RequestField) -> dict[str, Any]:
    out = {**_type_schema(field.type), "description": field.option.help}
    for key, limit in (
        ("minimum", field.option.least),
        ("maximum", field.option.most),
        ("exclusiveMinimum", field.option.above),
    ):
        if limit is not None and out.get("type") in ("number", "integer"):
            out[key] = limit
    if not field.required and isinstance(field.default, bool | int | float | str):
        out["default"] = field.default
    return out


def _type_schema(hint: Any) -> dict[str, Any]:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        kinds = [_type_schema(one) for one in inner if one is not type(None)]
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin in (list, tuple, Sequence):
        return {"type": "array", "items": _type_schema(inner[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _type_schema(inner[1])}
    return {"type": _JSON_TYPES.get(hint, "string")}


def request_of(task: str, arguments: Mapping[str, Any], allowed: Sequence[Path]) -> Request:
    """Build the request of a call; refuse anything outside the limits or the allowed folders."""
    request = tools().get(task)
    if request is None:
        raise UsageError(f"there is no tool {task!r}; the tools are {', '.join(tools())}")
    names = {one.name for one in arguments_of(request)}
    unknown = [name for name in arguments if name not in names and name != REPLACE]
    if unknown:
        raise UsageError(f"{task} has no argument {unknown[0]!r}; its arguments are {', '.join(sorted(names))}")
    missing = [one.name for one in fields_of(request) if one.required and arguments.get(one.name) is None]
    if missing:
        raise UsageError(f"{task} needs {', '.join(missing)}")
    values = from_values(request, {name: value for name, value in arguments.items() if name != REPLACE})
    for one in fields_of(request):
        if one.name in values and _holds_paths(one.type):
            values[one.name] = _checked_paths(values[one.name], allowed)
    return request(**values)


def _holds_paths(hint: Any) -> bool:
    return hint is Path or any(_holds_paths(one) for one in get_args(hint))


def _checked_paths(value: Any, allowed: Sequence[Path]) -> Any:
    if isinstance(value, list | tuple):
        return [_checked_paths(one, allowed) for one in value]
    path = Path(value) if Path(value).is_absolute() else allowed[0] / value
    # Resolve links first, so that a link to another folder gives no access.
    if not any(path.resolve().is_relative_to(folder) for folder in allowed):
        raise UsageError(f"{value} is outside of the allowed folders ({', '.join(map(str, allowed))})")
    return path


def call(task: str, arguments: Mapping[str, Any], allowed: Sequence[Path]) -> dict[str, Any]:
    """Carry out a tool call and return its result as JSON: the written files, and notes for the user."""
    request = request_of(task, arguments, allowed)
    notes: list[str] = []

    def run() -> Any:
        choose_existing(Existing.REPLACE if arguments.get(REPLACE) else Existing.REFUSE)
        # Some arguments name files inside a text (FILE:FRAME@SECONDS), so files are also checked when they are opened.
        confine_to(allowed)
        return getattr(workflows, request.task())(request, warn=notes.append)

    result = plain(copy_context().run(run))
    return {"result": result, "notes": notes}


def plain(value: Any) -> Any:
    """Convert a result to JSON types, without motions and models, which are in their files."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        values = {str(key): plain(one) for key, one in value.items()}
        return {key: one for key, one in values.items() if one is not None}
    if isinstance(value, list | tuple):
        return [one for one in map(plain, value) if one is not None]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no NaN or infinity
    return value if isinstance(value, str | bool | int | float) else None


def allowed_folders(folders: Sequence[Path]) -> list[Path]:
    """Return the folders with their links resolved; refuse anything that is not a folder."""
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder: name the folders that an agent may use")
    return [folder.resolve() for folder in folders]


def serve(allowed: Sequence[Path]) -> None:
    """Answer an agent over standard input and output until it disconnects; `allowed` is from `allowed_folders`."""
    try:
        anyio, lowlevel, stdio, kinds = map(
            import_module, ("anyio", "mcp.server.lowlevel", "mcp.server.stdio", "mcp.types")
        )
    except ImportError:
        raise MissingExtra("the server for agents", "mcp") from None

    async def list_tools(context: Any, parameters: Any) -> Any:
        return kinds.ListToolsResult(
            tools=[
                kinds.Tool(name=task, description=request.__doc__ or task, input_schema=input_schema(request))
                for task, request in tools().items()
            ]
        )

    async def call_tool(context: Any, parameters: Any) -> Any:
        import json

        try:
            job = partial(call, parameters.name, parameters.arguments or {}, allowed)
            result = await anyio.to_thread.run_sync(job)
        except FreshtakeError as error:
            return kinds.CallToolResult(content=[kinds.TextContent(type="text", text=str(error))], is_error=True)
        text = kinds.TextContent(type="text", text=json.dumps(result, ensure_ascii=False))
        return kinds.CallToolResult(content=[text], structured_content=result)

    server = lowlevel.Server(
        "freshtake",
        version=__version__,
        instructions="Learn movements from takes and make new ones. Paths are relative to " + str(allowed[0]),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )

    async def main() -> None:
        async with stdio.stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    os.chdir(allowed[0])  # relative paths, including those inside a text, start there
    anyio.run(main)
