# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes and Learn."""

from __future__ import annotations

from typing import Any

import bpy

from ..operators.working import LINKED, active_figure
from ..settings import KINDS
from .sidebar import InSidebar, sentences


class FRESHTAKE_PT_start(bpy.types.Panel):
    """The panel for beginners: hints if no armature is chosen."""

    bl_idname, bl_label, bl_order = "FRESHTAKE_PT_start", "freshtake", 0
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "freshtake"

    def draw(self, context: Any) -> None:
        """Show the progress of preparing, or a hint."""
        from ..child.shared import preparation

        prepared = preparation()
        if prepared.sentence:
            self.layout.label(text=prepared.sentence, icon="SORTTIME")
        figure = active_figure(context)
        if figure is None:
            sentences(self.layout, "Select an armature, or import takes.", context.region.width, "INFO")
            self.layout.operator("freshtake.takes_import", icon="IMPORT")
            self.layout.operator("freshtake.sample", icon="OUTLINER_OB_ARMATURE")
            return
        self.layout.label(text=figure.name, icon="ARMATURE_DATA")
        if figure.library is not None:
            sentences(self.layout, LINKED.format(figure.name), context.region.width)


class FRESHTAKE_PT_takes(InSidebar, bpy.types.Panel):
    """The Actions to learn from."""

    bl_idname, bl_label, bl_order = "FRESHTAKE_PT_takes", "1 Takes", 1

    def draw(self, context: Any) -> None:
        """Show the list, its faults, and the buttons for cutting."""
        figure, layout = active_figure(context).freshtake, self.layout
        layout.template_list("FRESHTAKE_UL_takes", "", figure, "takes", figure, "take_index", rows=4)
        row = layout.row(align=True)
        row.operator("freshtake.takes_refresh", icon="FILE_REFRESH")
        row.operator("freshtake.takes_import", text="BVH", icon="IMPORT")
        row.operator("freshtake.takes_check", icon="CHECKMARK")
        row = layout.row(align=True)
        row.operator("freshtake.takes_cut", text="Cut into cycles").at = "cycles"
        row.operator("freshtake.takes_cut", text="Cut at repeats").at = "repeats"
        if 0 <= figure.take_index < len(figure.takes):
            take = figure.takes[figure.take_index]
            sentences(layout, take.wrong, context.region.width)
            column = layout.column(align=True)
            column.use_property_split, column.use_property_decorate = True, False
            column.prop(take, "group", text="Class (for Blend)", placeholder="walk, run, ...")
            column.row(align=True).prop(take, "style", text="Style", expand=True)
        sentences(layout, figure.together, context.region.width)


class FRESHTAKE_PT_learn(InSidebar, bpy.types.Panel):
    """Takes to models."""

    bl_idname, bl_label, bl_order = "FRESHTAKE_PT_learn", "2 Learn", 2

    def draw(self, context: Any) -> None:
        """Show a button per kind of model, and the models."""
        figure, layout = active_figure(context).freshtake, self.layout
        grid = layout.grid_flow(columns=2, align=True)
        for kind, label, _ in KINDS:
            grid.operator("freshtake.learn", text=label).kind = kind
        layout.template_list("FRESHTAKE_UL_models", "", figure, "models", figure, "model_index", rows=2)
        row = layout.row(align=True)
        row.operator("freshtake.model_save", text="Save", icon="EXPORT")
        row.operator("freshtake.model_load", text="Load", icon="IMPORT")
        row.operator("freshtake.model_remove", text="Remove", icon="TRASH")


CLASSES = (FRESHTAKE_PT_start, FRESHTAKE_PT_takes, FRESHTAKE_PT_learn)
