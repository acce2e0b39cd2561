"""Load the USD library, open stages safely, and name prims."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from freshtake.errors import FormatError, MissingExtra
from freshtake.formats.clip_sets import distinct
from freshtake.formats.files import read_bytes, read_head, replacing, try_apart

_MODULES = ("Gf", "Sdf", "Tf", "Usd", "UsdGeom", "UsdShade", "UsdSkel", "UsdUtils", "Vt")


@lru_cache(maxsize=1)
def pxr() -> Any:
    """Return the modules of usd-core under their names."""
    try:
        return SimpleNamespace(**{name: import_module(f"pxr.{name}") for name in _MODULES})
    except ImportError:
        raise MissingExtra("USD files", "usd") from None


@contextmanager
def explained(path: Path, doing: str) -> Iterator[None]:
    """What the library prints is dropped; what it raises becomes one sentence.

    A TypeError is one of the library's too: a damaged file holds values of types that Python has no word for.
    """
    library = pxr()
    delegate = library.UsdUtils.CoalescingDiagnosticDelegate()
    try:
        yield
    except (library.Tf.ErrorException, RuntimeError, ValueError, OverflowError, TypeError) as error:
        raise FormatError(path, f"{doing}{_reason(error)}") from None
    finally:
        del delegate


def _reason(error: Exception) -> str:
    """Return the end of what the library says, in brackets; nothing where even that is damaged."""
    try:
        words = " ".join(str(error).split())
    except UnicodeError:
        return ""
    return f" ({words[-160:]})" if words else ""


def export(layer: Any, path: Path) -> None:
    """Write a layer; the file appears completely or not at all."""
    with replacing(path) as temporary:
        ending = temporary.with_name(f"{temporary.name}{path.suffix.lower()}")  # the library goes by the ending
        try:
            if not layer.Export(str(ending)) or not read_head(ending):
                raise FormatError(path, "the file could not be written whole: is the disk full?")
            ending.replace(temporary)
        finally:
            ending.unlink(missing_ok=True)


def identifiers(names: Sequence[str]) -> list[str]:
    """Return a different valid name for each."""
    return distinct([_identifier(name) for name in names])


def _identifier(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return plain if plain and not plain[0].isdigit() else f"_{plain}"


def joint_paths(names: Sequence[str], parents: Sequence[int]) -> list[str]:
    """Return each joint's path from the root, such as Hips/Spine/Head."""
    out: list[str] = []
    for name, parent in zip(identifiers(names), parents, strict=True):
        out.append(name if parent < 0 else f"{out[parent]}/{name}")
    return out


_MOST = 256  # files that one stage may be made of
_BINARY = b"PXR-USDC"


def open_stage(path: Path) -> Any:
    """Return the composed stage of a file, its payloads loaded."""
    data = read_bytes(path)
    if not data.startswith((_BINARY, b"#usda")):
        raise FormatError(path, "a file that begins with '#usda' or 'PXR-USDC' was expected", "byte 0")
    lib = pxr()
    if data[:8] == _BINARY or b"@" in data:  # binary, or referring to files that may be
        try_apart(path, "freshtake.formats.usd", "read_animations")
    with explained(path, "the file is damaged"):
        _check_references(path)
        stage = lib.Usd.Stage.Open(str(path.resolve()))
        if stage is None:
            raise FormatError(path, "the file is damaged: get it again", "byte 0")
        return stage


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
        # A reference within the file has no name: it leads nowhere else.
        for name in filter(None, [*layer.GetCompositionAssetDependencies(), *layer.subLayerPaths]):
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
