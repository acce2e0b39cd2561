"""Opening a USD file that a stranger wrote: only files in its own folder or below it are followed.

The library ends the whole process on some damaged binary files, so those are tried in a process of their own first.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from freshtake.errors import FormatError
from freshtake.formats.files import read_bytes
from freshtake.formats.usd.library import explained, pxr

_MOST = 256  # files that one stage may be made of
_BINARY = b"PXR-USDC"
_LONGEST = 300.0  # seconds
_APART = "FRESHTAKE_USD_APART"  # set in that other process
_TRIAL = """
import sys
from pathlib import Path
from freshtake.errors import FreshtakeError
from freshtake.formats.usd import read_animations
try:
    read_animations(Path(sys.argv[1]))
except FreshtakeError:
    pass
"""


def open_stage(path: Path) -> Any:
    """The composed stage of a file, its payloads loaded."""
    data = read_bytes(path)
    if not data.startswith((_BINARY, b"#usda")):
        raise FormatError(path, "a file that begins with '#usda' or 'PXR-USDC' was expected", "byte 0")
    lib = pxr()
    if data[:8] == _BINARY or b"@" in data:  # binary, or referring to files that may be
        _try_apart(path)
    with explained(path, "the file is damaged"):
        _check_references(path)
        stage = lib.Usd.Stage.Open(str(path.resolve()))
        if stage is None:
            raise FormatError(path, "the file is damaged: get it again", "byte 0")
        return stage


def _try_apart(path: Path) -> None:
    """Read everything once in another process: one that is killed there would have ended this one."""
    command = [sys.executable, "-c", _TRIAL, str(path)]
    if not sys.executable or os.environ.get(_APART):
        return
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=_LONGEST, check=False, env={**os.environ, _APART: "1"}
        )
    except subprocess.TimeoutExpired:
        raise FormatError(
            path, f"the file cannot be read within {_LONGEST:g} s: it is damaged, or flatten it"
        ) from None
    if done.returncode < 0 or done.returncode > 2:
        raise FormatError(path, "the file is damaged: get it again")


def _check_references(path: Path) -> None:
    """Follow all references and refuse those that lead out of the folder."""
    lib = pxr()
    folder = path.resolve().parent
    waiting, seen = [path.resolve()], {path.resolve()}
    while waiting:
        current = waiting.pop()
        layer = lib.Sdf.Layer.FindOrOpen(str(current))
        if layer is None:
            problem = "the file is damaged: get it again"
            raise FormatError(path, problem if current == path.resolve() else f"{current.name!r} cannot be opened")
        for name in [*layer.GetCompositionAssetDependencies(), *layer.subLayerPaths]:
            referred = _beside(path, folder, current.parent, str(name))
            if referred not in seen:
                seen.add(referred)
                waiting.append(referred)
        if len(seen) > _MOST:
            raise FormatError(path, f"the file refers to more than {_MOST} others: flatten it first")


def _beside(path: Path, folder: Path, base: Path, name: str) -> Path:
    try:
        target = (base / name).resolve()
    except (OSError, RuntimeError, ValueError):
        raise FormatError(path, f"{name[:80]!r} cannot be followed to a file") from None
    if "://" in name or not target.is_relative_to(folder):
        raise FormatError(path, f"{name[:80]!r} leads out of the file's folder: flatten the file first")
    if not target.is_file():
        raise FormatError(path, f"{name[:80]!r} is referred to, but there is no such file")
    return target
