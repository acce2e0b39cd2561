# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of the lists: takes, models, results, and bones of both bodies."""

from __future__ import annotations

from typing import Any

import bpy

from ..armature.writing import how_made

ICONS = {"variation": "MOD_NOISE", "style": "MOD_HUE_SATURATION", "density": "OVERLAY", "texture": "FILE_REFRESH"}


class FRESHTAKE_UL_takes(bpy.types.UIList):
    """Takes: whether they are used, and whether they have faults; details are below the list."""

    def draw_item(
        self, context: Any, layout: Any, data: Any, item: Any, icon: int, active: Any, prop: str, index: int = 0
    ) -> None:
        """Show one take."""
        row = layout.row(align=True)
        row.prop(item, "use", text="")
        if item.action is None:
            row.label(text="(removed)", icon="ERROR")
            return
        row.prop(item.action, "name", text="", emboss=False, icon="ERROR" if item.wrong else "ACTION")
        row.operator("freshtake.show", text="", icon="PLAY").action = item.action.name


class FRESHTAKE_UL_models(bpy.types.UIList):
    """Models by name and kind; a package icon marks models packed into the .blend, a sheet models in files."""

    def draw_item(
        self, context: Any, layout: Any, data: Any, item: Any, icon: int, active: Any, prop: str, index: int = 0
    ) -> None:
        """Show one model."""
        row = layout.row(align=True)
        row.prop(item, "name", text="", emboss=False, icon=ICONS[item.kind])
        row.label(text="", icon="PACKAGE" if item.text is not None else "FILE")


class FRESHTAKE_UL_results(bpy.types.UIList):
    """Actions that we made for this armature: show, remake, reject."""

    def draw_item(
        self, context: Any, layout: Any, data: Any, item: Any, icon: int, active: Any, prop: str, index: int = 0
    ) -> None:
        """Show one Action."""
        row = layout.row(align=True)
        if item.action is None:
            row.label(text="(removed)", icon="ERROR")
            return
        row.prop(item.action, "name", text="", emboss=False, icon="ACTION")
        row.operator("freshtake.show", text="", icon="PLAY").action = item.action.name
        if (how_made(item.action) or {}).get("job") == "vary":
            row.operator("freshtake.vary_again", text="", icon="FILE_REFRESH").action = item.action.name
        row.operator("freshtake.reject", text="", icon="TRASH").action = item.action.name


class FRESHTAKE_UL_map(bpy.types.UIList):
    """Parts of the body with their bones on both armatures."""

    def draw_item(
        self, context: Any, layout: Any, data: Any, item: Any, icon: int, active: Any, prop: str, index: int = 0
    ) -> None:
        """Show one part."""
        row = layout.split(factor=0.3)
        row.label(text=item.name.replace("_", " "))
        row.prop(item, "source", text="")
        row.prop(item, "target", text="")


CLASSES = (FRESHTAKE_UL_takes, FRESHTAKE_UL_models, FRESHTAKE_UL_results, FRESHTAKE_UL_map)
