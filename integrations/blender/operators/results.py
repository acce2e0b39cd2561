# SPDX-License-Identifier: GPL-3.0-or-later
"""Results: list, show and reject the Actions that were made for an armature."""

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.props import StringProperty

from ..armature.actions import assign
from .placing import belongs
from .working import OnFigure, active_figure


def list_results(figure: Any, actions: Iterable[Any]) -> None:
    """List new Actions as results of an armature, and drop rows of deleted Actions."""
    drop_gone(figure.freshtake.results)
    known = {row.action for row in figure.freshtake.results}
    for action in actions:
        if action not in known:
            row = figure.freshtake.results.add()
            row.action, row.name = action, action.name


def drop_gone(rows: Any) -> None:
    """Remove the rows whose Action was deleted."""
    for number in reversed(range(len(rows))):
        if rows[number].action is None:
            rows.remove(number)


def listed_anywhere() -> set[Any]:
    """Return the Actions that any armature lists as results."""
    figures = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    return {row.action for figure in figures for row in figure.freshtake.results}


class FRESHTAKE_OT_show(OnFigure, bpy.types.Operator):
    """Make this Action active"""

    bl_idname, bl_label, bl_options = "freshtake.show", "Show", {"UNDO"}
    action: StringProperty()

    def execute(self, context: Any) -> set[str]:
        """Assign the Action."""
        found = bpy.data.actions.get(self.action)
        if found is None:
            self.report({"ERROR"}, f"the Action {self.action!r} no longer exists")
            return {"CANCELLED"}
        assign(active_figure(context), found)
        return {"FINISHED"}


class FRESHTAKE_OT_reject(bpy.types.Operator):
    """Delete this Action, with its strips and the duplicate made for it"""

    bl_idname, bl_label, bl_options = "freshtake.reject", "Reject", {"UNDO"}
    action: StringProperty()

    def execute(self, context: Any) -> set[str]:
        """Delete the Action, its strips and its duplicate."""
        found = bpy.data.actions.get((self.action, None))
        if found is not None:
            for figure in [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]:
                _take_out(figure, found)
            bpy.data.actions.remove(found)
        for thing in bpy.data.objects:
            if thing.library is None:
                drop_gone(thing.freshtake.results)
        return {"FINISHED"}


def _take_out(figure: Any, action: Any) -> None:
    """Remove an Action's strips from an armature, or the armature if it was duplicated for this Action."""
    data = figure.animation_data
    if data is None:
        return
    for track in list(data.nla_tracks):
        strips = [strip for strip in track.strips if strip.action == action]
        for strip in strips:
            track.strips.remove(strip)
        if strips and not track.strips:
            data.nla_tracks.remove(track)
    if figure.freshtake.duplicate and data.action == action:
        for part in [thing for thing in bpy.data.objects if thing != figure and belongs(thing, figure)]:
            bpy.data.objects.remove(part)
        bpy.data.objects.remove(figure)


CLASSES = (FRESHTAKE_OT_show, FRESHTAKE_OT_reject)
