# SPDX-License-Identifier: GPL-3.0-or-later
"""Redraw a stretch of the active Action, or only its selected bones; all other keys stay the same."""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy.props import BoolProperty, IntProperty

from ..armature.actions import active_action, curves_of, frame_span
from ..armature.reading import read_actions
from ..armature.trouble import Trouble
from .making import described, make
from .models import fingerprint, model_bytes, model_row
from .takes import figure_named, required_action, stretch_of
from .working import Work, Working, ask

SAME = 1e-3  # radians, or units of length: channels that differ more express the same pose differently


class FRESHTAKE_OT_redraw(Working, bpy.types.Operator):
    """Redraw the preview range of the active Action, as new Actions that keep all other frames"""

    bl_idname, bl_label = "freshtake.redraw", "Redraw preview range"
    first: IntProperty(name="First frame", default=1, description="The first frame that is redrawn")
    last: IntProperty(name="Last frame", default=30, description="The last frame that is redrawn")
    selected: BoolProperty(name="Selected bones only", description="Bones that are not selected keep their motion")

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Use the scene's preview range as the stretch, or the entire Action if there is none."""
        action = active_action(context.active_object)
        span = (self.first, self.last) if action is None else frame_span(action)
        scene = context.scene
        preview = scene.use_preview_range
        self.first = scene.frame_preview_start if preview else round(span[0])
        self.last = scene.frame_preview_end if preview else round(span[1])
        self.selected = context.mode == "POSE" and len(_selected(context.active_object)) > 0
        return self.execute(context)

    def work(self, context: Any, figure: Any) -> Work:
        """Request the number of stretches that the panel shows."""
        action = required_action(figure)
        name, settings, row = figure.name, figure.freshtake, model_row(figure, "variation")
        model, title, source = model_bytes(row), row.name, action.name
        begins = frame_span(action)[0]
        part = _selected(figure) if self.selected else []
        motions = yield from read_actions(figure, [action])
        start, stop = stretch_of(action.name, motions[0], (self.first, self.last), begins, "inside it")
        if self.selected:
            moving = set((yield from ask("parts", {}, {}, model)).values["parts"])
            part = [bone for bone in part if bone in moving]  # the model keeps the other bones fixed
            if not part:
                raise Trouble("no selected bone moves in the takes: select the bones to redraw")
        params = {
            "start": str(start), "stop": str(stop), "part": part, "count": settings.count, "seed": settings.seed,
            "amount": settings.amount, "plant": settings.plant,
        }  # fmt: skip
        answer = yield from ask("redraw", params, {"clips": motions}, model)
        about = {"job": "redraw", "model": title, "model_is": fingerprint(model), "settings": params, "take": source}
        numbers = [one["number"] for one in answer.values["made"]]
        names = [f"{source} r{number:02d}" for number in numbers]
        new = described(answer.motions(), names, [{**about, "number": number} for number in numbers])
        made = yield from make(name, new, first_frame=begins)
        kept = np.ones(len(motions[0]), dtype=bool)
        kept[start:stop] = False
        for other in made:
            _keep(figure_named(name), action, other, kept)
            yield None
        self.tell(answer)


def _selected(figure: Any) -> list[str]:
    """Return the names of the selected bones; since Blender 5.0 the pose bone has the flag, before that the bone."""
    if figure is None or figure.pose is None:
        return []
    return [bone.name for bone in figure.pose.bones if getattr(bone, "select", getattr(bone.bone, "select", False))]


def _keep(figure: Any, old: Any, new: Any, kept: Sequence[bool]) -> None:
    """Give the kept frames of a new Action exactly the values of the old Action."""
    olds = {(curve.data_path, curve.array_index): curve for curve in curves_of(old, figure)}
    groups: dict[str, list[Any]] = {}
    for curve in curves_of(new, figure):
        groups.setdefault(curve.data_path, []).append(curve)
    for path, curves in groups.items():
        found = [(curve, olds.get((path, curve.array_index))) for curve in curves]
        if any(source is None or len(curve.keyframe_points) != len(kept) for curve, source in found):
            continue
        changes = []
        for curve, source in found:
            points = np.empty(2 * len(kept), dtype=np.float32)
            curve.keyframe_points.foreach_get("co", points)
            frames, values = points.reshape(-1, 2).T
            exact = np.array([source.evaluate(frame) for frame in frames], dtype=np.float32)
            changes.append((curve, points, np.where(kept, exact, values), np.abs(exact - values)[kept].max(initial=0)))
        # Euler angles may differ by full turns and quaternions in sign: mixing both would spin between frames.
        if max(change[3] for change in changes) > SAME:
            continue
        for curve, points, values, _ in changes:
            points[1::2] = values
            curve.keyframe_points.foreach_set("co", points)
            curve.update()


CLASSES = (FRESHTAKE_OT_redraw,)
