"""A small validator for the parts of JSON Schema that our schemas use; it refuses unknown keywords."""

from __future__ import annotations

import re
from typing import Any

TYPES: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float),
    "null": type(None),
}  # fmt: skip
WORDS = {"$schema", "title", "description"}


def faults(value: Any, schema: dict[str, Any], place: str = "$") -> list[str]:
    """Where a value violates a schema, in words; nothing if it is valid."""
    found = []
    for key, rule in schema.items():
        if key in WORDS or _holds(key, rule, value, schema):
            continue
        found.append(f"{place}: {key} {rule!r} is broken by {value!r}")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name, inner in value.items():
            rule = known.get(name, schema.get("additionalProperties", {}))
            if isinstance(rule, dict):
                found += faults(inner, rule, f"{place}.{name}")
    if isinstance(value, list) and "items" in schema:
        for number, inner in enumerate(value):
            found += faults(inner, schema["items"], f"{place}[{number}]")
    return found


def _holds(key: str, rule: Any, value: Any, schema: dict[str, Any]) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    checks: dict[str, Any] = {
        "type": lambda: any(_is(value, name) for name in ([rule] if isinstance(rule, str) else rule)),
        "const": lambda: value == rule,
        "enum": lambda: value in rule,
        "minimum": lambda: not number or value >= rule,
        "maximum": lambda: not number or value <= rule,
        "exclusiveMinimum": lambda: not number or value > rule,
        "minLength": lambda: not isinstance(value, str) or len(value) >= rule,
        "pattern": lambda: not isinstance(value, str) or re.search(rule, value) is not None,
        "minItems": lambda: not isinstance(value, list) or len(value) >= rule,
        "maxItems": lambda: not isinstance(value, list) or len(value) <= rule,
        "required": lambda: not isinstance(value, dict) or set(rule) <= set(value),
        "additionalProperties": lambda: (
            rule is not False or not isinstance(value, dict) or set(value) <= set(schema["properties"])
        ),
        "properties": lambda: True,
        "items": lambda: True,
    }
    return bool(checks[key]())


def _is(value: Any, name: str) -> bool:
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))
