# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's preferences: the progress of preparing, and the last output of its processes."""

from __future__ import annotations

import bpy

from .child import shared

SHOWN = 12  # lines


class FreshtakePreferences(bpy.types.AddonPreferences):
    """The page of preferences, which only informs."""

    bl_idname = __package__

    def draw(self, context: bpy.types.Context) -> None:
        """Show the progress of preparing, and recent output."""
        preparation = shared.preparation()
        self.layout.label(text=preparation.sentence or "Prepared: nothing is left to compile.")
        lines = [line for child in shared.children() for line in child.recent_output.splitlines()][-SHOWN:]
        if lines:
            box = self.layout.box()
            box.label(text="Recent output of freshtake's processes:")
            for line in lines:
                box.label(text=line)


def register() -> None:
    """Register the preferences."""
    bpy.utils.register_class(FreshtakePreferences)


def unregister() -> None:
    """Unregister the preferences."""
    bpy.utils.unregister_class(FreshtakePreferences)
