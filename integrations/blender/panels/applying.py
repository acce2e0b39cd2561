# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply to the selected armature."""

from __future__ import annotations

from typing import Any

import bpy

from ..operators.working import active_figure
from .sidebar import InSidebar


class FRESHTAKE_PT_apply(InSidebar, bpy.types.Panel):
    """Actions of another armature on this one."""

    bl_idname, bl_label, bl_order = "FRESHTAKE_PT_apply", "7 Apply", 7
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012

    def draw(self, context: Any) -> None:
        """Show source, map and buttons."""
        figure, layout = active_figure(context).freshtake, self.layout
        layout.prop(figure, "source")
        layout.prop(figure, "source_action")
        row = layout.row(align=True)
        row.operator("freshtake.map", icon="VIEWZOOM")
        row.operator("freshtake.map_clear", icon="X")
        layout.template_list("FRESHTAKE_UL_map", "", figure, "map_rows", figure, "map_index", rows=6)
        if 0 <= figure.map_index < len(figure.map_rows):
            chosen = figure.map_rows[figure.map_index]
            if figure.source is not None:
                layout.prop_search(chosen, "source", figure.source.data, "bones")
            layout.prop_search(chosen, "target", active_figure(context).data, "bones")
        layout.prop(figure, "plant")
        layout.prop(figure, "hands")
        layout.operator("freshtake.apply", icon="ARMATURE_DATA")


CLASSES = (FRESHTAKE_PT_apply,)
