# SPDX-License-Identifier: GPL-3.0-or-later
"""The "freshtake" tab in the sidebar of the 3-D view, in working order."""

from __future__ import annotations

import bpy

from . import applying, lists, making, takes

CLASSES = (*lists.CLASSES, *takes.CLASSES, *making.CLASSES, *applying.CLASSES)


def register() -> None:
    """Register the panels."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Unregister the panels."""
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
