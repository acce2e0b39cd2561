"""Plans from files: crowd.toml, and tables of positions. Errors name the key or the line."""

import json
import math
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from freshtake.crowd.casting import Places
from freshtake.crowd.plan import (
    SPACING,
    Avoidance,
    GroundMap,
    Group,
    Placement,
    Plan,
    Polyline,
    Repetition,
    loops_needed,
)
from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import read_text
from freshtake.formats.table import csv_rows

RANGES = ("amount", "size", "phase", "heading")
NEEDS = {"paths": "paths", "csv": "file"}
TAKES = {
    "grid": {"spacing", "center"}, "disc": {"spacing", "radius", "center"}, "paths": {"spacing", "paths"},
    "csv": {"file"},
}  # fmt: skip
KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "object": (dict, "a table"), "array": (list, "a list"), "string": (str, "a text in quotes"),
    "integer": (int, "a whole number"), "number": ((int, float), "a number"), "boolean": (bool, "true or false"),
}  # fmt: skip


def read_plan(path: Path, changes: dict[str, Any] | None = None) -> Plan:
    """Read a plan from TOML; files that it names are relative to it. `changes` override fields of the file."""
    values = _loaded(path)
    for key, problem in problems(values):
        raise FormatError(path, problem, key)
    groups = tuple(_group(path, number, group, len(values["groups"])) for number, group in enumerate(values["groups"]))
    placement = _placement(path, values.get("placement", {}), "placement")
    plain = {key: value for key, value in values.items() if key not in ("groups", "placement")}
    if "ground" in plain:
        plain["ground"] = _ground(path, plain["ground"])
    if "avoidance" in plain:
        plain["avoidance"] = Avoidance(**{key: float(value) for key, value in plain["avoidance"].items()})
    for key in ("seconds", "fps"):
        if key in plain:
            plain[key] = float(plain[key])
    plain |= changes or {}
    try:
        if "repetition" in plain:
            plain |= _repetition(path, plain, [group.share for group in groups])
        return Plan(groups, placement=placement, **plain)
    except UsageError as error:
        raise FormatError(path, str(error)) from None


def _loaded(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except RecursionError:
        raise FormatError(path, "the file is nested too deeply to be read") from None
    except ValueError as error:
        where = re.search(r"line (\d+)", str(error))
        place = f"line {where[1]}" if where else ""
        raise FormatError(path, "this is not TOML: check quotes, brackets and equals signs", place) from None


def _named_file(path: Path, name: str, what: str, key: str) -> Path:
    file = path.parent / name
    if not file.is_file():
        raise FormatError(path, f"there is no {what} {name!r}: check the path, relative to the plan", key)
    return file


def _group(path: Path, number: int, values: dict[str, Any], many: int) -> Group:
    key = f"groups[{number}]"
    model = _named_file(path, values["model"], "model", f"{key}.model")
    if many > 1 and "share" not in values:
        raise FormatError(path, "with several groups, each needs its share, such as 0.6", f"{key}.share")
    ranges: dict[str, Any] = {}
    for name in RANGES:
        if name in values:
            low, high = values[name]
            if low > high:
                raise FormatError(path, f"a range from low to high was expected, not {values[name]}", f"{key}.{name}")
            ranges[name] = float(low), float(high)
    if "paths" in values and "target" in values:
        raise FormatError(path, "a group follows paths or walks to a target: leave one out", f"{key}.target")
    placement = _placement(path, values["placement"], f"{key}.placement") if "placement" in values else None
    target = (float(values["target"][0]), float(values["target"][1])) if "target" in values else None
    lines = _lines(path, values.get("paths", ()), f"{key}.paths")
    character = None
    if "character" in values:
        character = _named_file(path, values["character"], "character", f"{key}.character")
    share = float(values.get("share", 1.0))
    rest: dict[str, Any] = {"paths": lines, "target": target, "placement": placement, "character": character}
    return Group(model, values.get("name", ""), share, **ranges, **rest)


def _repetition(path: Path, plain: dict[str, Any], shares: list[float]) -> dict[str, Any]:
    """Choose enough variants to keep repetition as rare as requested."""
    if "variants" in plain:
        raise FormatError(path, "it determines the number of variants: leave out variants", "repetition")
    repetition = Repetition(**plain["repetition"])
    seconds = float(plain.get("seconds", Plan.seconds))
    near = min(0.5, repetition.within / seconds) if seconds > 0.0 else 0.5
    needed = loops_needed(repetition.visible, repetition.probability, shares, near)
    return {"repetition": repetition, "variants": needed}


def _ground(path: Path, values: dict[str, Any]) -> GroundMap:
    file = _named_file(path, values["file"], "height map", "ground.file")
    wide, deep = values["size"]
    x, z = values.get("center", (0.0, 0.0))
    return GroundMap(file, (float(wide), float(deep)), (float(x), float(z)), float(values["height"]))


def _placement(path: Path, values: dict[str, Any], key: str) -> Placement:
    kind = values.get("kind", "grid")
    for name in values.keys() - TAKES[kind] - {"kind"}:
        raise FormatError(path, f"a placement of kind {kind} has no {name}", f"{key}.{name}")
    needed = NEEDS.get(kind)
    if needed is not None and needed not in values:
        raise FormatError(path, f"a placement of kind {kind} needs it", f"{key}.{needed}")
    x, z = values.get("center", (0.0, 0.0))
    file = path.parent / values["file"] if "file" in values else None
    lines = _lines(path, values.get("paths", ()), f"{key}.paths")
    spacing = float(values.get("spacing", SPACING))
    return Placement(kind, spacing, values.get("radius"), (float(x), float(z)), lines, file)


def _lines(path: Path, values: Sequence[Sequence[Sequence[float]]], key: str) -> tuple[Polyline, ...]:
    """Check polylines; refuse a point that repeats the previous one."""
    lines = tuple(tuple((float(x), float(z)) for x, z in line) for line in values)
    for number, line in enumerate(lines):
        for place, (a, b) in enumerate(pairwise(line)):
            if math.dist(a, b) < 1e-9:  # the line would have no direction there
                problem = "this point repeats the previous one: leave it out"
                raise FormatError(path, problem, f"{key}[{number}][{place + 1}]")
    return lines


def read_places(plan: Plan) -> dict[Path, Places]:
    """Read the tables of positions that a plan names, by file."""
    placements = [group.placement for group in plan.groups if group.placement is not None]
    files = [placement.file for placement in (plan.placement, *placements)]
    return {file: read_table(file) for file in files if file is not None}


def read_table(path: Path) -> Places:
    """Read positions from a table with the columns x, z and, optionally, heading in degrees."""
    rows = csv_rows(path)
    header = [cell.strip().lower() for cell in rows[0][1]] if rows else []
    if "x" not in header or "z" not in header:
        raise FormatError(path, "columns x and z were expected, and optionally heading (degrees)", "line 1")
    columns = [header.index(name) for name in ("x", "z", "heading") if name in header]
    values = []
    for line, row in rows[1:]:
        try:
            numbers = [float(row[column]) for column in columns]
        except (ValueError, IndexError):
            raise FormatError(path, "numbers were expected in the columns x, z and heading", f"line {line}") from None
        if not all(map(math.isfinite, numbers)):
            raise FormatError(path, "finite numbers were expected", f"line {line}")
        values.append(numbers)
    table = np.array(values).reshape(len(values), len(columns))
    return Places(table[:, :2], np.radians(table[:, 2]) if "heading" in header else np.zeros(len(table)))


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """Return the schema of plans."""
    loaded: dict[str, Any] = json.loads(files("freshtake.crowd").joinpath("crowd.schema.json").read_text("utf-8"))
    return loaded


def problems(value: Any) -> Iterator[tuple[str, str]]:
    """List the errors in a plan: the key, and the value expected there."""
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
    rules = rule["properties"]
    for name in value:
        if name not in rules:
            yield _below(key, name), f"no such key here; the keys are {', '.join(rules)}"
    for name in rule.get("required", ()):
        if name not in value:
            words = rules[name].get("description", "").rstrip(".")
            yield _below(key, name), f"this key is required{words and f' ({words})'}"
    for name, rule_of_key in rules.items():
        if name in value:
            yield from _problems(value[name], rule_of_key, _below(key, name))


def _list(value: list[Any], rule: dict[str, Any], key: str) -> Iterator[tuple[str, str]]:
    least, most = rule.get("minItems", 0), rule.get("maxItems", math.inf)
    if not least <= len(value) <= most:
        number = f"{least}" if least == most else f"{least} or more" if len(value) < least else f"at most {most}"
        yield key, f"{number} {rule.get('title', 'entries')} were expected, not {len(value)}"
    for place, item in enumerate(value):
        yield from _problems(item, rule["items"], f"{key}[{place}]")


def _number(value: float, rule: dict[str, Any], key: str) -> Iterator[tuple[str, str]]:
    if not math.isfinite(value):
        yield key, f"a finite number was expected, not {value}"
    elif value < rule.get("minimum", -math.inf) or value > rule.get("maximum", math.inf):
        least, most = rule.get("minimum"), rule.get("maximum")
        bounds = f"{least} or more" if most is None else f"up to {most}" if least is None else f"{least} to {most}"
        yield key, f"{bounds} was expected, not {value:g}"
    elif value <= rule.get("exclusiveMinimum", -math.inf):
        yield key, f"a number above {rule['exclusiveMinimum']} was expected, not {value:g}"


def _below(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
