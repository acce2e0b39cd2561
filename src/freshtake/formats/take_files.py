"""Resolve paths of users to files: single files, patterns, and folders."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from freshtake.errors import UsageError
from freshtake.formats.registry import FORMATS

TAKES = frozenset(suffix for known in FORMATS for suffix in known.suffixes if known.name not in ("asf", "obj"))
MODELS = frozenset({".ftm"})


def take_files(paths: Iterable[Path], suffixes: frozenset[str] = TAKES) -> list[Path]:
    """Return files unchanged, the takes of a folder, and the matches of a pattern such as walk_*.bvh.

    A folder of numbered OBJ files is one take, a mesh sequence.
    """
    return [file for path in paths for file in _files(path, suffixes)]


def _files(path: Path, suffixes: frozenset[str]) -> list[Path]:
    if _is_pattern(path):
        root = Path(path.anchor)
        matches = sorted(root.glob(str(path.relative_to(root))), key=_order)
        if not matches:
            raise UsageError(f"no file matches {path}")
        return [file for one in matches for file in ([one] if one.is_file() else _files(one, suffixes))]
    if not _is_folder_of_takes(path):
        return [path]
    matches = sorted((f for f in path.iterdir() if f.suffix.lower() in suffixes and f.name[0] != "."), key=_order)
    if not matches:
        raise UsageError(f"there are no takes in the folder {path}: name one with {', '.join(sorted(suffixes))} files")
    return matches


def _is_pattern(path: Path) -> bool:
    try:
        return bool(re.search(r"[*?\[]", str(path))) and not path.exists()
    except OSError:  # a name that is invalid on this system
        return False


def _is_folder_of_takes(path: Path) -> bool:
    try:
        return path.is_dir() and not any(f.suffix.lower() == ".obj" for f in path.iterdir())
    except OSError:
        return False


def _order(path: Path) -> list[tuple[int, int, str]]:
    """Return a sort key in which numbers in names count by their value, so that take 10 comes after take 9."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"([0-9]+)", str(path))]
