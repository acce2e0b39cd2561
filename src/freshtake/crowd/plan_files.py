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
    found = _loaded(path)
    for key, problem in problems(found):
        raise FormatError(path, problem, key)
    groups = tuple(_group(path, number, told, len(found["groups"])) for number, told in enumerate(found["groups"]))
    placement = _placement(path, found.get("placement", {}), "placement")
    plain = {key: value for key, value in found.items() if key not in ("groups", "placement")}
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


def _group(path: Path, number: int, told: dict[str, Any], many: int) -> Group:
    key = f"groups[{number}]"
    model = path.parent / told["model"]
    if not model.is_file():
        raise FormatError(
            path, f"there is no model {told['model']!r}: check the path, from the plan on", f"{key}.model"
        )
    if many > 1 and "share" not in told:
        raise FormatError(path, "with several groups each needs its share, such as 0.6", f"{key}.share")
    ranges: dict[str, Any] = {}
    for name in RANGES:
        if name in told:
            low, high = told[name]
            if low > high:
                raise FormatError(path, f"a range from low to high was expected, not {told[name]}", f"{key}.{name}")
            ranges[name] = float(low), float(high)
    if "paths" in told and "target" in told:
        raise FormatError(path, "a group follows paths or walks to a target: leave one out", f"{key}.target")
    own = _placement(path, told["placement"], f"{key}.placement") if "placement" in told else None
    target = (float(told["target"][0]), float(told["target"][1])) if "target" in told else None
    lines = _lines(path, told.get("paths", ()), f"{key}.paths")
    wears = path.parent / told["character"] if "character" in told else None
    if wears is not None and not wears.is_file():
        problem = f"there is no character {told['character']!r}: check the path, from the plan on"
        raise FormatError(path, problem, f"{key}.character")
    share = float(told.get("share", 1.0))
    rest: dict[str, Any] = {"paths": lines, "target": target, "placement": own, "character": wears}
    return Group(model, told.get("name", ""), share, **ranges, **rest)


def _repetition(path: Path, plain: dict[str, Any], shares: list[float]) -> dict[str, Any]:
    """As many variants as keep to it."""
    if "variants" in plain:
        raise FormatError(path, "the number of variants is found by it: leave variants out", "repetition")
    told = Repetition(**plain["repetition"])
    seconds = float(plain.get("seconds", Plan.seconds))
    near = min(0.5, told.within / seconds) if seconds > 0.0 else 0.5
    needed = loops_needed(told.visible, told.probability, shares, near)
    return {"repetition": told, "variants": needed}


def _ground(path: Path, told: dict[str, Any]) -> GroundMap:
    file = path.parent / told["file"]
    if not file.is_file():
        raise FormatError(
            path, f"there is no height map {told['file']!r}: check the path, from the plan on", "ground.file"
        )
    if file.suffix.lower() == ".png" and "height" not in told:
        raise FormatError(path, "a picture needs it: how high white is, in metres", "ground.height")
    wide, deep = told["size"]
    x, z = told.get("center", (0.0, 0.0))
    return GroundMap(file, (float(wide), float(deep)), (float(x), float(z)), float(told.get("height", 1.0)))


NEEDS = {"paths": "paths", "csv": "file"}
TAKES = {
    "grid": {"spacing", "center"}, "disc": {"spacing", "radius", "center"}, "paths": {"spacing", "paths"},
    "csv": {"file"},
}  # fmt: skip


def _placement(path: Path, told: dict[str, Any], key: str) -> Placement:
    kind = told.get("kind", "grid")
    for name in told.keys() - TAKES[kind] - {"kind"}:
        raise FormatError(path, f"a placement of the kind {kind} has no {name}", f"{key}.{name}")
    needed = NEEDS.get(kind)
    if needed is not None and needed not in told:
        raise FormatError(path, f"a placement of the kind {kind} needs it", f"{key}.{needed}")
    x, z = told.get("center", (0.0, 0.0))
    file = path.parent / told["file"] if "file" in told else None
    lines = _lines(path, told.get("paths", ()), f"{key}.paths")
    spacing = float(told.get("spacing", SPACING))
    return Placement(kind, spacing, told.get("radius"), (float(x), float(z)), lines, file)


def _lines(path: Path, told: Sequence[Sequence[Sequence[float]]], key: str) -> tuple[Polyline, ...]:
    """Polylines without points twice in a row."""
    lines = tuple(tuple((float(x), float(z)) for x, z in line) for line in told)
    for number, line in enumerate(lines):
        for place, (a, b) in enumerate(pairwise(line)):
            if math.dist(a, b) < CLOSE:
                problem = "this point is where the one before it is: leave it out"
                raise FormatError(path, problem, f"{key}[{number}][{place + 1}]")
    return lines


def read_places(plan: Plan) -> dict[Path, Places]:
    """The tables of places that a plan names, by their files."""
    own = [group.placement for group in plan.groups if group.placement is not None]
    files = [placement.file for placement in (plan.placement, *own)]
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
