# SPDX-License-Identifier: GPL-3.0-or-later
"""The one child of this Blender, and its preparation."""

from __future__ import annotations

from pathlib import Path

from .client import Child
from .preparing import Preparation


class _Shared:
    child: Child | None = None
    preparation: Preparation | None = None


_shared = _Shared()


def cache_folder() -> Path:
    """Return the folder for compiled code, in this user's Blender profile; it survives updates of the extension."""
    import bpy

    package = (__package__ or "").rpartition(".")[0]
    if package.startswith("bl_ext."):
        return Path(bpy.utils.extension_path_user(package, path="compiled", create=True))
    return Path(bpy.utils.user_resource("DATAFILES", path="freshtake/compiled", create=True))


def the_child() -> Child:
    """Return the child, created on first use."""
    if _shared.child is None:
        _shared.child = Child(cache_folder())
    return _shared.child


def preparation() -> Preparation:
    """Return the preparation of this Blender, created on first use."""
    if _shared.preparation is None:
        _shared.preparation = Preparation(cache_folder())
    return _shared.preparation


def children() -> list[Child]:
    """Return all child processes."""
    own = [] if _shared.preparation is None else _shared.preparation.children
    return [*own, *([] if _shared.child is None else [_shared.child])]


def close() -> None:
    """End all processes."""
    if _shared.preparation is not None:
        _shared.preparation.close()
    if _shared.child is not None:
        _shared.child.close()
    _shared.child = _shared.preparation = None
