"""Values against the JSON schema of plans: the first thing that is wrong, as a key and a sentence.

The words of JSON Schema that the schema of plans uses are understood, and no others.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Any

KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "object": (dict, "a table"), "array": (list, "a list"), "string": (str, "a text in quotes"),
    "integer": (int, "a whole number"), "number": ((int, float), "a number"), "boolean": (bool, "true or false"),
}  # fmt: skip


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """The schema of plans."""
    loaded: dict[str, Any] = json.loads(files("freshtake.crowd").joinpath("crowd.schema.json").read_text("utf-8"))
    return loaded


def problems(value: Any) -> Iterator[tuple[str, str]]:
    """What is wrong with a plan: the key, and what was expected there."""
    return _problems(value, schema(), "")


def _problems(value: Any, rule: dict[str, Any], key: str) -> Iterator[tuple[str, str]]:
    if "$ref" in rule:
        rule = {**schema()["$defs"][rule["$ref"].rpartition("/")[2]], **rule}
    if "enum" in rule:
        if value not in rule["enum"]:
            yield key, f"one of {', '.join(rule['enum'])} was expected, not {_short(value)}"
        return
    kind, words = KINDS[rule["type"]]
    if not isinstance(value, kind) or (isinstance(value, bool) and rule["type"] != "boolean"):
        yield key, f"{words} was expected, not {_short(value)}"
    elif isinstance(value, dict):
        yield from _table(value, rule, key)
    elif isinstance(value, list):
        yield from _list(value, rule, key)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _number(value, rule, key)


def _table(value: dict[str, Any], rule: dict[str, Any], key: str) -> Iterator[tuple[str, str]]:
    known = rule["properties"]
    for name in value:
        if name not in known:
            yield _below(key, name), f"there is no such key here; there are {', '.join(known)}"
    for name in rule.get("required", ()):
        if name not in value:
            yield _below(key, name), "this key is needed"
    for name, rule_of_key in known.items():
        if name in value:
            yield from _problems(value[name], rule_of_key, _below(key, name))


def _list(value: list[Any], rule: dict[str, Any], key: str) -> Iterator[tuple[str, str]]:
    least, most = rule.get("minItems", 0), rule.get("maxItems", math.inf)
    if not least <= len(value) <= most:
        wanted = f"{least}" if least == most else f"{least} or more" if len(value) < least else f"at most {most}"
        yield key, f"{wanted} {rule.get('title', 'entries')} were expected, not {len(value)}"
    for place, item in enumerate(value):
        yield from _problems(item, rule["items"], f"{key}[{place}]")


def _number(value: float, rule: dict[str, Any], key: str) -> Iterator[tuple[str, str]]:
    if not math.isfinite(value):
        yield key, f"a finite number was expected, not {value}"
    elif value < rule.get("minimum", -math.inf) or value > rule.get("maximum", math.inf):
        least, most = rule.get("minimum"), rule.get("maximum")
        wanted = f"{least} or more" if most is None else f"up to {most}" if least is None else f"{least} to {most}"
        yield key, f"{wanted} was expected, not {value:g}"
    elif value <= rule.get("exclusiveMinimum", -math.inf):
        yield key, f"a number above {rule['exclusiveMinimum']} was expected, not {value:g}"


def _below(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
