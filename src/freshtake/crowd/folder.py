"""The folder of a crowd: its initial settings, the finished shards, and the manifest."""

import json
import math
import shutil
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard

from freshtake.crowd.plan import MODES
from freshtake.errors import FormatError
from freshtake.formats.files import Existing, choose_existing, read_text, write_bytes
from freshtake.formats.table import csv_rows
from freshtake.requests.crowd import MOST_CHARACTERS, MOST_SECONDS

FORMAT, VERSION = "freshtake crowd", 1
SETTINGS, MANIFEST, CHARACTERS = "crowd.json", "manifest.json", "characters.csv"
ROUTES, GROUND = "routes.npz", "ground.npz"
RECORDS = "records"


def replacing_ours(write: Callable[..., None], *arguments: Any) -> None:
    """Write files of a crowd, replacing files that a stopped run left behind or that are out of date."""

    def run() -> None:
        choose_existing(Existing.REPLACE)
        write(*arguments)

    copy_context().run(run)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file atomically and flush it to disk, because it records finished work."""
    replacing_ours(partial(write_bytes, durable=True), path, data)


def json_bytes(value: Any) -> bytes:
    """Encode readable JSON, always with the same bytes for the same value."""
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object that freshtake wrote."""
    try:
        value = json.loads(read_text(path))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise FormatError(path, "this is damaged: start the crowd again with --force")
    return value


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a crowd, which exists once all shards are finished."""
    if not (folder / MANIFEST).is_file():
        if not (folder / SETTINGS).is_file():
            raise FormatError(folder, "this is not the folder of a crowd: name one that freshtake crowd wrote")
        raise FormatError(folder, f"there is no {MANIFEST}: finish the crowd with the command that began it")
    manifest = read_json(folder / MANIFEST)
    groups, shards = manifest.get("groups"), manifest.get("shards") or []
    # The limits of the command that makes crowds apply here too: a tampered number must not cost memory or time.
    good = {
        "mode": manifest.get("mode") in MODES,
        "seconds": _is_number(manifest.get("seconds")) and 0.0 < manifest["seconds"] <= MOST_SECONDS,
        "fps": _is_number(manifest.get("fps")) and 0.0 < manifest["fps"] <= 1000.0,
        "number": _is_count(manifest.get("number")),
        "groups": isinstance(groups, list) and all(isinstance(group, dict) for group in groups),
        "shards": isinstance(shards, list) and shards != [],
    }
    wrong = [key for key, is_good in good.items() if not is_good]
    wrong = wrong or [f"shards[{k}]" for k, record in enumerate(shards) if not _is_record(record)]
    if wrong:
        raise FormatError(folder / MANIFEST, "this is damaged: make the crowd again with --force", wrong[0])
    return manifest


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_CHARACTERS


def _is_record(record: Any) -> bool:
    """Return whether this describes a shard in the crowd's folder: no file elsewhere may be read for it."""
    if not isinstance(record, dict) or not isinstance(record.get("group"), str):
        return False
    file, first, last = record.get("file"), record.get("first"), record.get("last")
    is_inside = isinstance(file, str) and file not in ("", "..") and Path(file).name == file
    return is_inside and _is_count(first) and _is_count(last) and first <= last


def read_characters(folder: Path) -> list[dict[str, Any]]:
    """Read which character plays which motion, where and from which phase; all columns except the group are numbers."""
    path = folder / CHARACTERS
    rows = csv_rows(path)
    names = rows[0][1] if rows else []
    missing = [name for name in ("group", "variant", "phase", "x", "z", "heading_deg") if name not in names]
    if missing:
        raise FormatError(path, f"there is no column {missing[0]!r}: make the crowd again", "line 1")
    if len(rows) == 1:
        raise FormatError(path, "there are no characters: make the crowd again")
    out = []
    for line, row in rows[1:]:
        try:
            values: dict[str, Any] = dict(zip(names, row, strict=True))
            values |= {name: float(value) for name, value in values.items() if name != "group"}
        except ValueError:
            problem = f"{len(names)} cells were expected, with numbers in all but the group"
            raise FormatError(path, problem, f"line {line}") from None
        if not all(math.isfinite(value) for name, value in values.items() if name != "group"):
            raise FormatError(path, "finite numbers were expected", f"line {line}")
        if not _is_count(int(values["variant"])) or values["variant"] % 1.0:
            raise FormatError(path, "variant: the number of a motion, from 1, was expected", f"line {line}")
        if not 0.0 <= values["phase"] <= 1.0:
            raise FormatError(path, "phase: 0 to 1 was expected", f"line {line}")
        out.append(values)
    return out


def is_crowd(folder: Path) -> bool:
    """Return whether a crowd was begun in a folder."""
    return (folder / SETTINGS).is_file()


def begin(folder: Path, settings: dict[str, Any], *, replace: bool) -> None:
    """Write the settings, or check that the folder was begun with the same ones; `replace` removes existing files."""
    path = folder / SETTINGS
    asked = {"format": FORMAT, "version": VERSION, **settings}
    if is_crowd(folder):
        old = read_json(path)
        if old == asked:
            return
        if not replace:
            raise FormatError(
                folder,
                f"the folder contains a crowd with other settings ({_difference(old, asked)}): name another folder, or "
                "replace that crowd with --force",
            )
        clear(folder)
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(path, json_bytes(asked))


def _difference(old: Any, asked: Any, key: str = "") -> str:
    """Name the first setting that differs, inside tables and lists of tables too, with both values."""
    if isinstance(old, dict) and isinstance(asked, dict):
        name = next(name for name in {**asked, **old} if old.get(name) != asked.get(name))
        return _difference(old.get(name), asked.get(name), f"{key}.{name}" if key else name)
    both = isinstance(old, list) and isinstance(asked, list) and len(old) == len(asked)
    if both and all(isinstance(one, dict) for one in (*old, *asked)):
        number = next(k for k, (one, other) in enumerate(zip(old, asked, strict=True)) if one != other)
        return _difference(old[number], asked[number], f"{key}[{number}]")
    before, now = (text if len(text) <= 40 else f"{text[:37]}..." for text in map(_json_text, (old, asked)))
    return f"{key} was {before} and is {now} now"


def _json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def clear(folder: Path) -> None:
    """Remove the files of a crowd and nothing else; settings go first, so a partial crowd is never valid."""
    for name in (SETTINGS, MANIFEST, CHARACTERS, ROUTES, GROUND, "crowd.usda", "crowd_blender.usda", "prototype.usda"):
        (folder / name).unlink(missing_ok=True)
    for record in sorted((folder / RECORDS).glob("shard_*.json")):
        record.unlink()
    for path in sorted(folder.glob("shard_[0-9]*")):
        if path.suffix == ".zarr":
            shutil.rmtree(path)
        elif path.is_dir():
            for file in path.glob("character_*.bvh"):
                file.unlink()
            if not any(path.iterdir()):
                path.rmdir()
        elif path.suffix in (".npz", ".usdc", ".glb", ".fbx"):
            path.unlink()


def write_manifest(folder: Path, records: list[dict[str, Any]]) -> None:
    """Write the contents of the folder: the settings, and every shard with its checksum."""
    settings = read_json(folder / SETTINGS)
    summed = ("frames", "bytes", "drawn_again", "amber", "red")
    totals = {key: sum(record.get(key, 0) for record in records) for key in summed}
    replace_file(folder / MANIFEST, json_bytes({**settings, **totals, "shards": records}))
