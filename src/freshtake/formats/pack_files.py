"""Files of a pack beside its motions: pack.json, its schema, and the marks (stars.json) that the preview page saves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import FormatError
from freshtake.formats.files import read_text, write_bytes

STARS = "freshtake stars"
PACK = "freshtake pack"
VERSION = 1
MARKS = ("star", "reject", "")


class Marked(NamedTuple):
    """One clip as the preview page knew it: its seed, and star, reject or nothing."""

    seed: int
    mark: str


class Stars(NamedTuple):
    """Marks by the clips' names, and what the pack was made with: settings, and checksums of models by group."""

    clips: dict[str, Marked]
    settings: dict[str, Any]
    models: dict[str, str]


def pack_schema() -> dict[str, Any]:
    """The JSON schema of pack.json."""
    text = files("freshtake.formats").joinpath("pack.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def write_pack(path: Path, facts: Mapping[str, Any]) -> None:
    """Write pack.json."""
    write_bytes(path, (json.dumps(facts, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())


def read_stars(path: Path) -> Stars:
    """Read what the preview page saved."""
    try:
        marks = json.loads(read_text(path))
    except (ValueError, RecursionError):
        raise FormatError(path, "this is not JSON: save the marks with the preview page of a pack") from None
    if not isinstance(marks, dict) or marks.get("format") != STARS or marks.get("version") != VERSION:
        raise FormatError(path, "this is not a file of marks: save one with a pack's preview page (Save stars.json)")
    clips, settings, models = (marks.get(key) for key in ("clips", "settings", "models"))
    if not (isinstance(clips, list) and isinstance(settings, dict) and isinstance(models, dict)):
        raise FormatError(path, "clips, settings or models are missing: save the marks again")
    marked = {}
    for number, clip in enumerate(clips):
        name, seed, mark = (clip.get(key) if isinstance(clip, dict) else None for key in ("name", "seed", "mark"))
        if not isinstance(name, str) or type(seed) is not int or seed < 0 or mark not in MARKS:
            what = "a name, a seed and a mark (star, reject or nothing) were expected"
            raise FormatError(path, what, f"clip {number + 1}")
        marked[name] = Marked(seed, mark)
    return Stars(marked, settings, {str(key): str(value) for key, value in models.items()})
