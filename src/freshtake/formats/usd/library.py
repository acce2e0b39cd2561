"""Pixar's library, loaded when it is needed, with its own messages kept from the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from freshtake.errors import FormatError, MissingExtra
from freshtake.formats.files import read_head, replacing

_MODULES = ("Gf", "Sdf", "Tf", "Usd", "UsdGeom", "UsdShade", "UsdSkel", "UsdUtils", "Vt")


@lru_cache(maxsize=1)
def pxr() -> Any:
    """The modules of usd-core under their names."""
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
    """The end of what the library says, in brackets; nothing where even that is damaged."""
    try:
        words = " ".join(str(error).split())
    except UnicodeError:
        return ""
    return f" ({words[-160:]})" if words else ""


def export(layer: Any, path: Path) -> None:
    """Write a layer, whole or not at all."""
    with replacing(path) as temporary:
        ending = temporary.with_name(f"{temporary.name}{path.suffix.lower()}")  # the library goes by the ending
        try:
            if not layer.Export(str(ending)) or not read_head(ending):
                raise FormatError(path, "the file could not be written whole: is the disk full?")
            ending.replace(temporary)
        finally:
            ending.unlink(missing_ok=True)
