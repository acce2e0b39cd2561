# SPDX-License-Identifier: GPL-3.0-or-later
"""Vary, Style, Blend and Endless."""

from __future__ import annotations

from typing import Any

import bpy

from ..operators.working import active_figure
from .sidebar import InSidebar


class FRESHTAKE_PT_vary(InSidebar, bpy.types.Panel):
    """Variants."""

    bl_idname, bl_label, bl_order = "FRESHTAKE_PT_vary", "3 Vary", 3

    def draw(self, context: Any) -> None:
        """Show settings, the buttons, and the results."""
        figure, layout = active_figure(context).freshtake, self.layout
        layout.use_property_split, layout.use_property_decorate = True, False
        column = layout.column(align=True)
        for name in ("count", "amount", "seed"):
            column.prop(figure, name)
        column = layout.column(align=True)
        for name in ("loop", "plant", "in_place"):
            column.prop(figure, name)
        column = layout.column(align=True)
        column.prop(figure, "length")
        if figure.length != "TAKES":
            column.prop(figure, "seconds" if figure.length == "SECONDS" else "cycles")
        for key in ("start", "end"):
            column.prop(figure, key)
            if getattr(figure, key) == "MARKER":
                column.prop_search(figure, f"{key}_marker", context.scene, "timeline_markers")
        layout.prop(figure, "place")
        if figure.place == "CROWD":
            layout.prop(figure, "spacing")
        layout.operator("freshtake.vary", icon="MOD_NOISE")
        layout.operator("freshtake.redraw", icon="GREASEPENCIL")
        layout.template_list("FRESHTAKE_UL_results", "", figure, "results", figure, "result_index", rows=4)


class FRESHTAKE_PT_parts(InSidebar, bpy.types.Panel):
    """Amounts of bone collections."""

    bl_idname, bl_label, bl_parent_id = "FRESHTAKE_PT_parts", "Parts of the body", "FRESHTAKE_PT_vary"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: Any) -> None:
        """Show one slider per collection."""
        figure, layout = active_figure(context).freshtake, self.layout
        layout.operator("freshtake.parts_refresh", icon="FILE_REFRESH")
        for part in figure.parts:
            row = layout.row(align=True)
            row.prop(part, "use", text=part.name)
            amount = row.row()
            amount.enabled = part.use
            amount.prop(part, "amount", text="", slider=True)


class FRESHTAKE_PT_style(InSidebar, bpy.types.Panel):
    """The active Action in another style."""

    bl_idname, bl_label, bl_order = "FRESHTAKE_PT_style", "4 Style", 4
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: Any) -> None:
        """Show the strength and the button."""
        figure = active_figure(context).freshtake
        self.layout.prop(figure, "strength", slider=True)
        row = self.layout.row()
        row.prop(figure, "plant")
        row.prop(figure, "live")
        self.layout.operator("freshtake.style_apply", icon="MOD_HUE_SATURATION")


class FRESHTAKE_PT_blend(InSidebar, bpy.types.Panel):
    """Classes by their weights."""

    bl_idname, bl_label, bl_order = "FRESHTAKE_PT_blend", "5 Blend", 5
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: Any) -> None:
        """Show a slider per class."""
        figure, layout = active_figure(context).freshtake, self.layout
        if not figure.weights:
            layout.label(text="Learn a blend first.", icon="INFO")
        for weight in figure.weights:
            layout.prop(weight, "weight", text=weight.name, slider=True)
        for name in ("blend_seconds", "seed", "plant", "in_place", "live"):
            layout.prop(figure, name)
        layout.operator("freshtake.blend", icon="OVERLAY")


class FRESHTAKE_PT_endless(InSidebar, bpy.types.Panel):
    """Endless and looped motion."""

    bl_idname, bl_label, bl_order = "FRESHTAKE_PT_endless", "6 Endless and loop", 6
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: Any) -> None:
        """Show length, loop and jumps."""
        figure, layout = active_figure(context).freshtake, self.layout
        for name in ("endless_seconds", "endless_loop", "seed", "plant", "in_place"):
            layout.prop(figure, name)
        row = layout.row(align=True)
        row.prop(figure, "use_jump_rate", text="")
        rate = row.row()
        rate.enabled = figure.use_jump_rate
        rate.prop(figure, "jump_rate", slider=True)
        layout.prop(figure, "live")
        layout.operator("freshtake.endless", icon="FILE_REFRESH")
        layout.operator("freshtake.loop", icon="CON_FOLLOWPATH")


CLASSES = (FRESHTAKE_PT_vary, FRESHTAKE_PT_parts, FRESHTAKE_PT_style, FRESHTAKE_PT_blend, FRESHTAKE_PT_endless)
