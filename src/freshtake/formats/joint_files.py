"""Read small files that name joints: body maps, limits of joints, and pins."""

import json
import math
import re
import tomllib
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import read_json, read_text, write_bytes
from freshtake.formats.numbers import finite_number
from freshtake.formats.table import csv_records, parse_table
from freshtake.motion.pins import Pin
from freshtake.numeric.arrays import Floats

Parts = dict[str, list[str]]  # "left_foot": ["LeftFoot"], "spine": ["Spine", "Spine1"]
TABLES = ("source", "target")


class BodyMapFile(NamedTuple):
    """Joints by part of the body; None if the file does not state them."""

    source: Parts | None = None
    target: Parts | None = None


def read_body_maps(path: str | PathLike[str]) -> BodyMapFile:
    """Read the tables `source` and `target`: a joint's name, or a list of names, by part of the body."""
    place = Path(path)
    tables = _load_tables(place)
    unknown = sorted(str(key) for key in tables.keys() - {*TABLES})
    if unknown:
        raise FormatError(place, f"{unknown[0]!r} is not a table of a map: write [source] or [target] above the parts")
    if not tables:
        raise FormatError(place, 'the map is empty: write [target] and lines such as hips = "Hips"')
    return BodyMapFile(*(_parts(place, name, tables[name]) if name in tables else None for name in TABLES))


def write_body_maps(path: str | PathLike[str], maps: Mapping[str, Parts]) -> None:
    """Write tables that `read_body_maps` reads, as JSON if the name ends in .json, else as TOML."""
    place = Path(path)
    if place.suffix.lower() == ".json":
        write_bytes(place, (json.dumps(maps, indent=2, ensure_ascii=False) + "\n").encode())
        return
    lines = []
    for table, parts in maps.items():
        lines.append(f"[{table}]")
        for part, joints in parts.items():
            texts = [json.dumps(joint, ensure_ascii=False) for joint in joints]  # a JSON string is a TOML string
            listed = ", ".join(texts)
            lines.append(f"{part} = {listed}" if len(texts) == 1 else f"{part} = [{listed}]")
        lines.append("")
    write_bytes(place, "\n".join(lines).encode())


def _load_tables(path: Path) -> dict[str, Any]:
    """Return the tables of a JSON or TOML file."""
    text = read_text(path)
    if text.lstrip().startswith("{"):
        return dict(read_json(path))
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise FormatError(path, "the file is nested too deeply to be read") from None
    except ValueError as error:
        where = re.search(r"line (\d+)", str(error))
        problem = "this is neither TOML nor JSON: check quotes, brackets and equals signs"
        raise FormatError(path, problem, f"line {where[1]}" if where else "") from None


def _parts(path: Path, table: str, lines: Any) -> Parts:
    if not isinstance(lines, dict):
        raise FormatError(path, 'a table with lines such as hips = "Hips" was expected', table)
    out: Parts = {}
    for part, joints in lines.items():
        listed = [joints] if isinstance(joints, str) else joints
        if not (isinstance(listed, list) and listed and all(isinstance(joint, str) for joint in listed)):
            raise FormatError(path, "the name of a joint was expected, or a list of names", f"{table}.{part}")
        out[part] = listed
    return out


Limits = dict[str, tuple[float, float]]


def read_limits(path: Path) -> Limits:
    """Read the lowest and highest value by joint; an empty cell means no limit."""
    out: Limits = {}
    for place, cells in csv_records(path, ("joint", "low", "high")):
        joint = cells["joint"]
        if not joint or joint in out:
            raise FormatError(path, f"joint {joint[:40]!r} has no name, or is listed twice", place)
        low, high = (_limit(path, place, cells[key], sign) for key, sign in (("low", -1.0), ("high", 1.0)))
        if not low <= high:
            raise FormatError(path, f"the low limit {low:g} of {joint[:40]!r} is above the high {high:g}", place)
        out[joint] = (low, high)
    if not out:
        raise FormatError(path, "a line for each joint was expected", "end of file")
    return out


def _limit(path: Path, place: str, cell: str, sign: float) -> float:
    # Only an empty cell or the word itself means no limit: 1e999 is a mistake, and so is infinity at the wrong end.
    if cell.lower() in (("", "-inf") if sign < 0.0 else ("", "inf", "+inf")):
        return sign * math.inf
    value = finite_number(cell)
    if value is None:
        raise FormatError(path, f"a number was expected, not {cell[:40]!r}", place)
    return value


Contacts = dict[str, Floats]  # name of a foot or foot joint: one number per frame, or intervals (n, 2)
_PIN_FIELDS = {"joint", "frame", "frames", "position", "hard", "blend"}


def read_pins(path: str | PathLike[str]) -> list[Pin]:
    """Read pins: JSON [{"joint": "LeftHand", "frames": [40, 60], "position": [x, y, z], "hard": true}, ...].

    `frames` are the first frame and the frame after the last; `frame` is a single frame. Without `position`, the joint
    stays where it is.
    """
    source = Path(path)
    expected = 'a list of pins such as [{"joint": "LeftHand", "frame": 40, ...}] was expected'
    rows = read_json(source, f"this is not JSON, but {expected}: check commas, quotes and brackets")
    if not isinstance(rows, list):
        raise FormatError(source, expected)
    return [_pin(source, f"pin {number}", row) for number, row in enumerate(rows, start=1)]


def _pin(path: Path, place: str, row: Any) -> Pin:
    """Return the pin that an object of the JSON list describes."""
    if not isinstance(row, dict) or not isinstance(row.get("joint"), str):
        raise FormatError(path, "an object with the name of a joint was expected", place)
    unknown = sorted(row.keys() - _PIN_FIELDS)
    if unknown:
        problem = f"{unknown[0]!r} is not a field of a pin; the fields are {', '.join(sorted(_PIN_FIELDS))}"
        raise FormatError(path, problem, place)
    if ("frame" in row) == ("frames" in row):
        raise FormatError(path, "either frame (a number) or frames (first, frame after the last) was expected", place)
    ends = [row["frame"], row["frame"] + 1] if type(row.get("frame")) is int else row.get("frames")
    if not (isinstance(ends, list) and _is_span(ends)):
        raise FormatError(path, "frames are whole numbers of 0 or more, [first, frame after the last]", place)
    hard, blend = row.get("hard", True), row.get("blend", 0.25)
    if not isinstance(hard, bool) or isinstance(blend, bool) or not isinstance(blend, int | float):
        raise FormatError(path, "hard is true or false, and blend a number of seconds", place)
    try:
        return Pin(row["joint"], range(ends[0], ends[1]), row.get("position"), hard, float(blend))
    except UsageError as error:
        raise FormatError(path, str(error), place) from None


def read_contacts(path: str | PathLike[str]) -> Contacts:
    """Read contacts by the name of a foot (its ankle joint) or of a foot joint.

    JSON: {"LeftFoot": [[12, 40], [77, 101]], ...}, first frame of every contact and the frame after its last. CSV: a
    column for each name, a line for each frame, 0 to 1; a column `frame` is ignored.
    """
    source = Path(path)
    if source.suffix.lower() in (".csv", ".tsv"):
        table = parse_table(source, read_text(source))
        columns = [(k, name) for k, name in enumerate(table.names) if name.lower() not in ("frame", "t", "time")]
        values = table.values[:, [k for k, _ in columns]]
        bad = np.flatnonzero(~((values >= 0.0) & (values <= 1.0)).all(axis=1))
        if len(bad):
            raise FormatError(source, "contacts are numbers from 0 to 1", table.place(int(bad[0])))
        return {name: values[:, column] for column, (_, name) in enumerate(columns)}
    document = read_json(source)
    if not isinstance(document, dict) or not document:
        raise FormatError(source, 'an object such as {"LeftFoot": [[12, 40]]} was expected')
    for name, spans in document.items():
        if not (isinstance(spans, list) and all(map(_is_span, spans))):
            raise FormatError(source, "contacts are a list of [first frame, frame after the last]", f"{name!r}")
    return {name: np.array(spans, dtype=np.float64).reshape(-1, 2) for name, spans in document.items()}


def _is_span(ends: Any) -> bool:
    """Return whether this is [first frame, frame after the last]."""
    whole = isinstance(ends, list) and len(ends) == 2 and all(type(frame) is int for frame in ends)
    return whole and 0 <= ends[0] < ends[1] <= 10**9


def read_mapping(path: str | PathLike[str]) -> dict[str, list[str]]:
    """Read which joints are limbs: {"left_leg": ["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"], ...}."""
    source = Path(path)
    mapping = read_json(source)
    if not isinstance(mapping, dict) or not mapping:
        raise FormatError(source, 'an object such as {"left_leg": [hip, knee, ankle, toe]} was expected')
    for name, joints in mapping.items():
        if not (isinstance(joints, list) and all(isinstance(joint, str) for joint in joints)):
            raise FormatError(source, "a list of joint names was expected", f"{name!r}")
    return mapping
