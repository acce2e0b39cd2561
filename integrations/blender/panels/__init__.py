# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab "freshtake" in the sidebar of the 3-D view, in the order of work."""

from __future__ import annotations

import bpy

from . import applying, lists, making, takes

CLASSES = (*lists.CLASSES, *takes.CLASSES, *making.CLASSES, *applying.CLASSES)


def register() -> None:
    """Show the panels."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Take them away."""
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
