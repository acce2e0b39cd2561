"""One task, one spelling: every front door has the fields of the request, with its help, defaults and limits."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from cyclopts import App

import freshtake.requests as requests
from freshtake import workflows
from freshtake.cli.entry import app
from freshtake.errors import UsageError
from freshtake.requests import Learning, Option, Request, RequestField, Variants, fields_of, from_values
from freshtake.requests.fields import conforms
from tests.commands import complete

complete()
ROOT = Path(__file__).resolve().parents[2]


def commands(group: App, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name in group:
        if not name.startswith("-"):
            yield from commands(group[name], (*words, name))
            if group[name].default_command is not None:
                yield " ".join((*words, name)), group[name]


COMMANDS = dict(commands(app))
ASKED = {name: found for name, one in COMMANDS.items() if (found := one.default_command.request) is not None}
NAMED = [one for name in requests.__all__ if isinstance(one := getattr(requests, name), type)]
REQUESTS = [one for one in NAMED if issubclass(one, Request) and one is not Request]


def ids(one: Any) -> str:
    return str(getattr(one, "__name__", one))


@pytest.mark.parametrize("request_type", REQUESTS, ids=ids)
def test_every_field_describes_itself_and_its_default_is_allowed(request_type: type[Request]) -> None:
    for one in fields_of(request_type):
        assert one.option.help.rstrip().endswith((".", ".)")) or one.option.help.endswith("39539."), one.name
        if not one.required and one.default is not None:
            assert conforms(one.default, one.type), f"{one.name} is {one.default!r} by default"
            if isinstance(one.default, int | float):
                assert one.option.allows(one.default)


@pytest.mark.parametrize("command", ASKED)
def test_the_command_line_has_every_field(command: str) -> None:
    options = {name: one for one in COMMANDS[command].assemble_argument_collection() for name in one.names}
    for one in fields_of(ASKED[command]):
        if one.option.flags:
            for flag, words in one.option.flags.items():
                assert options[f"--{flag}"].parameter.help == words
            continue
        names = one.option.names or (f"--{one.name.replace('_', '-')}",)
        if one.option.positional:
            names = (one.name.upper(),)
        assert options[names[0]].parameter.help == one.option.help, one.name
        default = options[names[0]].field_info.default
        written = () if one.option.repeated else one.default  # texts, before they are parsed
        assert default is inspect.Parameter.empty if one.required else default == written, one.name


SERVERS = {requests.Serve, requests.Studio, requests.Mcp}  # run until they are stopped: no workflow ends with a result


@pytest.mark.parametrize("request_type", dict.fromkeys(one for one in ASKED.values() if one not in SERVERS), ids=ids)
def test_a_workflow_carries_out_what_a_command_asks(request_type: type[Request]) -> None:
    name = "".join(f"_{c.lower()}" if c.isupper() else c for c in request_type.__name__).lstrip("_")
    parameters = list(inspect.signature(getattr(workflows, name)).parameters.values())
    # Workflows that postpone annotations give a name instead of a class.
    assert [getattr(one.annotation, "__name__", one.annotation) for one in parameters[:1]] == [request_type.__name__]
    assert [one.name for one in parameters[1:3]] == ["report", "warn"]


def bodies() -> dict[str, tuple[Any, type[Request]]]:
    from freshtake.serve import job_requests

    return {
        "style_learn": (job_requests.StyleLearn, requests.StyleLearning),
        "style_apply": (job_requests.StyleApply, requests.Styling),
        "texture_learn": (job_requests.TextureLearn, requests.TextureLearning),
        "texture_sample": (job_requests.TextureSample, requests.Playing),
        "learn": (job_requests.Learn, Learning),
        "vary": (job_requests.Vary, Variants),
        "again": (job_requests.Again, Variants),
    }


@pytest.mark.parametrize(
    "task", ["learn", "vary", "again", "style_learn", "style_apply", "texture_learn", "texture_sample"]
)
def test_bodies_of_the_studio_have_every_field_within_its_limits(task: str) -> None:
    body, request_type = bodies()[task]
    schema = body.model_json_schema()["properties"]
    for one in fields_of(request_type):
        assert one.name in schema, f"{task} has no {one.name}"
        field = body.model_fields[one.name]
        if task != "again":
            assert field.get_default(call_default_factory=True) == one.default
        low, high = _limits(schema[one.name])
        if one.option.least is not None and not isinstance(one.default, dict):
            assert low is not None and low >= one.option.least, one.name
        if one.option.most is not None and not isinstance(one.default, dict):
            assert high is not None and high <= one.option.most, one.name


def _limits(schema: dict[str, Any]) -> tuple[float | None, float | None]:
    parts = [schema, *schema.get("anyOf", [])]
    low = [part[key] for part in parts for key in ("minimum", "exclusiveMinimum") if key in part]
    return (min(low) if low else None), next((part["maximum"] for part in parts if "maximum" in part), None)


def other(one: RequestField) -> Any:
    """Return an allowed value other than the default."""
    flipped = not one.default if isinstance(one.default, bool) else None
    for value in (
        flipped,
        2,
        0.5,
        True,
        {"arms": 2.0},
        "6s",
        "hard",
        "none",
        "whole",
        "a",
        "source",
        ["a"],
    ):
        limited = isinstance(value, int | float) and not isinstance(value, bool)
        if value in (None, one.default) or not conforms(value, one.type) or (limited and not one.option.allows(value)):
            continue
        return value
    raise AssertionError(f"no value for {one.name}: {one.type}")


MESSAGES = [
    Learning, Variants, requests.Redrawing, requests.StyleLearning, requests.Styling, requests.TextureLearning,
    requests.Playing,
]  # fmt: skip


@pytest.mark.parametrize("request_type", MESSAGES, ids=ids)
def test_messages_of_the_bridge_carry_every_field(request_type: type[Request]) -> None:
    values = {one.name: other(one) for one in fields_of(request_type)}
    read = from_values(request_type, {**values, "clips": [], "unknown": 1})
    assert asdict(request_type(**read)) == values
    assert from_values(request_type, dict.fromkeys(values)) == {}, "null is not given"
    for one in fields_of(request_type):
        with pytest.raises(UsageError, match=one.name):
            from_values(request_type, {one.name: [object()]})


def blender_properties() -> dict[str, dict[str, Any]]:
    """Return the keyword arguments of the panel's properties, read from their source: Blender is not at hand."""
    tree = ast.parse((ROOT / "integrations" / "blender" / "settings.py").read_text())
    figure = next(n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == "FreshtakeFigure")
    out = {}
    for line in figure.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.annotation, ast.Call):
            call = line.annotation
            plain = {word.arg: word.value.value for word in call.keywords if isinstance(word.value, ast.Constant)}
            out[str(getattr(line.target, "id", ""))] = {"kind": getattr(call.func, "id", ""), **plain}
    return out


def test_panels_of_blender_keep_to_the_limits_of_variants() -> None:
    panel = blender_properties()
    known = {one.name: one for one in fields_of(Variants)}
    shared = sorted(panel.keys() & known.keys())
    assert shared == ["amount", "count", "cycles", "in_place", "loop", "parts", "plant", "seconds", "seed"]
    for name in shared:
        option, given, default = known[name].option, panel[name], known[name].default
        if given["kind"] == "BoolProperty":
            assert given.get("default", False) == default, name
        for limit, key in ((option.least, "min"), (option.most, "max")):
            if limit is not None and given["kind"] in ("IntProperty", "FloatProperty") and key in given:
                assert option.allows(given[key]), f"{name}: {key} of the panel"


def test_what_is_out_of_limits_is_refused_by_every_door_in_the_same_words() -> None:
    for values, words in (
        ({"count": 0}, "count must lie between 1 and 99999, but is 0"),
        ({"amount": float("nan")}, "amount must lie between 0 and 4, but is nan"),
        ({"parts": {"arms": 9.0}}, "parts must lie between 0 and 4, but is 9"),
        ({"seed": -1}, "seed must lie between 0 and"),
    ):
        with pytest.raises(UsageError) as refused:
            Variants(**from_values(Variants, values))
        assert words in str(refused.value)


def test_a_field_without_a_description_is_noticed() -> None:
    class Bare(Request):
        __annotations__ = {"number": int}

    with pytest.raises(TypeError, match="describe itself"):
        fields_of(_made(Bare))
    assert Option("x", above=0.0).limits() == "be a finite number above 0"


def _made(cls: type[Request]) -> type[Request]:
    from dataclasses import dataclass

    return dataclass(frozen=True, kw_only=True)(cls)
