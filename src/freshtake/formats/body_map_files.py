"""Map files: which joints are which part of a body, TOML or JSON, for the source and for the target of retargeting."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import FormatError
from freshtake.formats.files import read_text, write_bytes

Parts = dict[str, list[str]]  # "left_foot": ["LeftFoot"], "spine": ["Spine", "Spine1"]
TABLES = ("source", "target")


class BodyMapFile(NamedTuple):
    """Joints by part of the body; None where the file leaves them to be found."""

    source: Parts | None = None
    target: Parts | None = None


def read_body_maps(path: str | PathLike[str]) -> BodyMapFile:
    """Tables `source` and `target`, each of parts with the name of a joint, or a list of names."""
    place = Path(path)
    tables = _loaded(place)
    unknown = sorted(str(key) for key in tables.keys() - {*TABLES})
    if unknown:
        raise FormatError(place, f"{unknown[0]!r} is not a table of a map: write [source] or [target] above the parts")
    if not tables:
        raise FormatError(place, 'the map is empty: write [target] and lines such as hips = "Hips"')
    return BodyMapFile(*(_parts(place, name, tables[name]) if name in tables else None for name in TABLES))


def write_body_maps(path: str | PathLike[str], maps: Mapping[str, Parts]) -> None:
    """Write tables that `read_body_maps` reads; a name that ends in .json is JSON, else TOML."""
    place = Path(path)
    if place.suffix.lower() == ".json":
        write_bytes(place, (json.dumps(maps, indent=2, ensure_ascii=False) + "\n").encode())
        return
    lines = []
    for table, parts in maps.items():
        lines += [f"[{table}]", *[f"{part} = {_toml(joints)}" for part, joints in parts.items()], ""]
    write_bytes(place, "\n".join(lines).encode())


def _toml(joints: list[str]) -> str:
    texts = [json.dumps(joint, ensure_ascii=False) for joint in joints]  # a JSON string is a TOML string
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _loaded(path: Path) -> dict[str, Any]:
    text = read_text(path)
    try:
        tables = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except RecursionError:
        raise FormatError(path, "the file is nested too deeply to be read") from None
    except ValueError as error:  # both kinds of decoding errors
        where = re.search(r"line (\d+)", str(error))
        place = f"line {where[1]}" if where else ""
        raise FormatError(
            path, "this is neither TOML nor JSON: check quotes, brackets and equals signs", place
        ) from None
    return dict(tables)


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
