"""Plans from files: crowd.toml, and tables of places. What is wrong is said with the key or the line."""

from __future__ import annotations

import csv
import io
import math
import re
import tomllib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from freshtake.crowd.library_size import loops_needed
from freshtake.crowd.placing import Places
from freshtake.crowd.plan import SPACING, Avoidance, GroundMap, Group, Placement, Plan, Polyline, Repetition
from freshtake.crowd.plan_schema import problems
from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import read_text

RANGES = ("amount", "size", "phase", "heading")
CLOSE = 1e-9


def read_plan(path: Path, changes: dict[str, Any] | None = None) -> Plan:
    """A plan from TOML; files that it names are beside it. `changes` are fields that replace those of the file."""
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
        raise FormatError(path, "this is no TOML: check quotes, brackets and equals signs", place) from None


def _group(path: Path, number: int, values: dict[str, Any], many: int) -> Group:
    key = f"groups[{number}]"
    model = path.parent / values["model"]
    if not model.is_file():
        raise FormatError(
            path, f"there is no model {values['model']!r}: check the path, from the plan on", f"{key}.model"
        )
    if many > 1 and "share" not in values:
        raise FormatError(path, "with several groups each needs its share, such as 0.6", f"{key}.share")
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
    character = path.parent / values["character"] if "character" in values else None
    if character is not None and not character.is_file():
        problem = f"there is no character {values['character']!r}: check the path, from the plan on"
        raise FormatError(path, problem, f"{key}.character")
    share = float(values.get("share", 1.0))
    rest: dict[str, Any] = {"paths": lines, "target": target, "placement": placement, "character": character}
    return Group(model, values.get("name", ""), share, **ranges, **rest)


def _repetition(path: Path, plain: dict[str, Any], shares: list[float]) -> dict[str, Any]:
    """As many variants as keep to it."""
    if "variants" in plain:
        raise FormatError(path, "it decides how many variants there are: leave out variants", "repetition")
    repetition = Repetition(**plain["repetition"])
    seconds = float(plain.get("seconds", Plan.seconds))
    near = min(0.5, repetition.within / seconds) if seconds > 0.0 else 0.5
    needed = loops_needed(repetition.visible, repetition.probability, shares, near)
    return {"repetition": repetition, "variants": needed}


def _ground(path: Path, values: dict[str, Any]) -> GroundMap:
    file = path.parent / values["file"]
    if not file.is_file():
        raise FormatError(
            path, f"there is no height map {values['file']!r}: check the path, from the plan on", "ground.file"
        )
    if file.suffix.lower() == ".png" and "height" not in values:
        raise FormatError(path, "a picture needs it: how high white is, in metres", "ground.height")
    wide, deep = values["size"]
    x, z = values.get("center", (0.0, 0.0))
    return GroundMap(file, (float(wide), float(deep)), (float(x), float(z)), float(values.get("height", 1.0)))


NEEDS = {"paths": "paths", "csv": "file"}
TAKES = {
    "grid": {"spacing", "center"}, "disc": {"spacing", "radius", "center"}, "paths": {"spacing", "paths"},
    "csv": {"file"},
}  # fmt: skip


def _placement(path: Path, values: dict[str, Any], key: str) -> Placement:
    kind = values.get("kind", "grid")
    for name in values.keys() - TAKES[kind] - {"kind"}:
        raise FormatError(path, f"a placement of the kind {kind} has no {name}", f"{key}.{name}")
    needed = NEEDS.get(kind)
    if needed is not None and needed not in values:
        raise FormatError(path, f"a placement of the kind {kind} needs it", f"{key}.{needed}")
    x, z = values.get("center", (0.0, 0.0))
    file = path.parent / values["file"] if "file" in values else None
    lines = _lines(path, values.get("paths", ()), f"{key}.paths")
    spacing = float(values.get("spacing", SPACING))
    return Placement(kind, spacing, values.get("radius"), (float(x), float(z)), lines, file)


def _lines(path: Path, values: Sequence[Sequence[Sequence[float]]], key: str) -> tuple[Polyline, ...]:
    """Polylines without points twice in a row."""
    lines = tuple(tuple((float(x), float(z)) for x, z in line) for line in values)
    for number, line in enumerate(lines):
        for place, (a, b) in enumerate(pairwise(line)):
            if math.dist(a, b) < CLOSE:
                problem = "this point is where the one before it is: leave it out"
                raise FormatError(path, problem, f"{key}[{number}][{place + 1}]")
    return lines


def read_places(plan: Plan) -> dict[Path, Places]:
    """The tables of places that a plan names, by their files."""
    placements = [group.placement for group in plan.groups if group.placement is not None]
    files = [placement.file for placement in (plan.placement, *placements)]
    return {file: read_table(file) for file in files if file is not None}


def read_table(path: Path) -> Places:
    """Places from a table with the columns x, z and, if wanted, heading in degrees."""
    rows = list(csv.reader(io.StringIO(read_text(path))))
    header = [cell.strip().lower() for cell in rows[0]] if rows else []
    if "x" not in header or "z" not in header:
        raise FormatError(path, "columns x and z were expected, and heading (degrees) if wanted", "line 1")
    columns = [header.index(name) for name in ("x", "z", "heading") if name in header]
    values = []
    for line, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        try:
            numbers = [float(row[column]) for column in columns]
        except (ValueError, IndexError):
            raise FormatError(path, "numbers were expected in the columns x, z and heading", f"line {line}") from None
        if not all(map(math.isfinite, numbers)):
            raise FormatError(path, "finite numbers were expected", f"line {line}")
        values.append(numbers)
    table = np.array(values).reshape(len(values), len(columns))
    return Places(table[:, :2], np.radians(table[:, 2]) if "heading" in header else np.zeros(len(table)))
