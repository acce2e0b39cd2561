# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply: motions of one armature on another, with a bone map that can be viewed and edited."""

from typing import Any

import bpy

from ..armature.actions import active_action
from ..armature.motion import Motion
from ..armature.reading import read_actions, read_rest
from ..armature.trouble import Trouble
from .making import described, make
from .takes import figure_named
from .working import OnFigure, Work, Working, active_figure, ask


class FRESHTAKE_OT_map(Working, bpy.types.Operator):
    """List the bones of both armatures by the part of the body that they move"""

    bl_idname, bl_label = "freshtake.map", "Find bones"

    def work(self, context: Any, figure: Any) -> Work:
        """Let the child match bones, and list the result."""
        name = figure.name
        motions = yield from _source_motions(figure)
        answer = yield from ask("map", {}, {"clips": motions, "target": [read_rest(figure)]})
        _show_map(figure_named(name), answer.values["maps"])
        self.tell(answer)


class FRESHTAKE_OT_apply(Working, bpy.types.Operator):
    """Retarget an Action of the other armature to this one, as a new Action"""

    bl_idname, bl_label = "freshtake.apply", "Apply"

    def work(self, context: Any, figure: Any) -> Work:
        """Retarget, with the listed map if there is one."""
        name, settings = figure.name, figure.freshtake
        motions = yield from _source_motions(figure)
        source = settings.source.name
        maps = listed_map(settings)
        params = {"plant": settings.plant, "hands": settings.hands, "maps": maps}
        answer = yield from ask("retarget", params, {"clips": motions, "target": [read_rest(figure)]})
        about = {"job": "apply", "from": source, "settings": params}
        names = [f"{motion.name} on {name}" for motion in motions]
        takes = [{**about, "take": motion.name} for motion in motions]
        yield from make(name, described(answer.motions(), names, takes))
        if maps is None:
            _show_map(figure_named(name), answer.values["maps"])
        self.tell(answer)


def _source_motions(figure: Any) -> Work:
    """Return the motion of the Action to retarget, in a list."""
    settings = figure.freshtake
    source = settings.source
    if source is None or source == figure:
        raise Trouble(f"choose the armature whose Action is retargeted to {figure.name!r}")
    action = settings.source_action or active_action(source)
    if action is None:
        raise Trouble(f"{source.name!r} has no Action: choose an Action to retarget to {figure.name!r}")
    motions: list[Motion] = yield from read_actions(source, [action])
    return motions


def listed_map(settings: Any) -> dict[str, dict[str, list[str]]] | None:
    """Return the rows of the list, as sent to the child; None if there are none."""
    out: dict[str, dict[str, list[str]]] = {"source": {}, "target": {}}
    for row in settings.map_rows:
        for side, bones in out.items():
            names = [name.strip() for name in getattr(row, side).split(",") if name.strip()]
            if names:
                bones[row.name] = names
    return out if any(out.values()) else None


def _show_map(figure: Any, maps: dict[str, dict[str, list[str]]] | None) -> None:
    rows = figure.freshtake.map_rows
    rows.clear()
    if maps is None:
        return
    for part in dict.fromkeys([*maps["source"], *maps["target"]]):
        row = rows.add()
        row.name = part
        row.source, row.target = (", ".join(maps[side].get(part, [])) for side in ("source", "target"))


class FRESHTAKE_OT_map_clear(OnFigure, bpy.types.Operator):
    """Clear the list of bones, so that Apply matches bones again"""

    bl_idname, bl_label, bl_options = "freshtake.map_clear", "Clear", {"UNDO"}

    def execute(self, context: Any) -> set[str]:
        """Empty the list."""
        active_figure(context).freshtake.map_rows.clear()
        return {"FINISHED"}


CLASSES = (FRESHTAKE_OT_map, FRESHTAKE_OT_apply, FRESHTAKE_OT_map_clear)
