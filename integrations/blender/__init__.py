# SPDX-License-Identifier: GPL-3.0-or-later
"""freshtake for Blender: new takes from a few. A separate process does all work, see child/client.py."""

from __future__ import annotations

from importlib import import_module

PARTS = ("preferences", "operators", "panels")
TICK = 0.2  # seconds between polls of the compilation


def register() -> None:
    """Register operators and panels, and start compiling functions that are not compiled yet."""
    import bpy

    for name in PARTS:
        import_module(f".{name}", __package__).register()
    if not bpy.app.timers.is_registered(_prepare):
        bpy.app.timers.register(_prepare, first_interval=1.0, persistent=True)


def unregister() -> None:
    """Unregister all parts and end the child."""
    import bpy

    from .child import shared

    if bpy.app.timers.is_registered(_prepare):
        bpy.app.timers.unregister(_prepare)
    for name in reversed(PARTS):
        import_module(f".{name}", __package__).unregister()
    shared.close()


def _prepare() -> float | None:
    from .child import shared

    return TICK if shared.preparation().tick() else None
