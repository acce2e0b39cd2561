# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by all panels."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from ..operators.working import active_figure


class InSidebar:
    """Mixin for panels in our tab of the 3-D view's sidebar."""

    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "freshtake"

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Require an armature."""
        return active_figure(context) is not None


def sentences(layout: Any, text: str, width: int, icon: str = "ERROR") -> None:
    """Show sentences, wrapped to the width of the sidebar in pixels."""
    column = layout.column(align=True)
    for sentence in text.splitlines():
        for number, line in enumerate(wrap(sentence, max(20, width // 7))):
            column.label(text=line, icon=icon if number == 0 else "BLANK1")
