# SPDX-License-Identifier: GPL-3.0-or-later
"""Vary: make new Actions from a model, or remake one of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import bpy
from bpy.props import StringProperty

from ..armature.actions import active_action
from ..armature.motion import Motion
from ..armature.reading import read_pose, read_pose_at, scene_fps
from ..armature.rig import OBJECT
from ..armature.trouble import Trouble
from ..armature.writing import how_made
from .making import described, make
from .models import fingerprint, model_bytes, model_facts, model_row
from .saved_poses import pose_of_values, pose_values
from .working import OnFigure, Work, Working, active_figure, ask


class FRESHTAKE_OT_vary(Working, bpy.types.Operator):
    """Make variants of the takes, as new Actions"""

    bl_idname, bl_label = "freshtake.vary", "Vary"

    def work(self, context: Any, figure: Any) -> Work:
        """Send a request with the settings of the panel."""
        name, place, settings = figure.name, figure.freshtake.place, figure.freshtake
        row = model_row(figure, "variation")
        model, facts, title = model_bytes(row), model_facts(row), row.name
        poses = {
            key: [pose] for key in ("start", "end") if (pose := _pose(context.scene, figure, key, facts)) is not None
        }
        params = yield from _params(figure, model)
        answer = yield from ask("vary", {**params, "count": settings.count, "first": 1}, poses, model)
        yield from _written(name, title, model, answer, params, poses, place)
        self.tell(answer)


class FRESHTAKE_OT_vary_again(Working, bpy.types.Operator):
    """Remake this variant from the seed and settings stored with its Action"""

    bl_idname, bl_label = "freshtake.vary_again", "Remake"
    action: StringProperty(name="Action", description="Default: the active Action")

    def work(self, context: Any, figure: Any) -> Work:
        """Request this variant."""
        action = bpy.data.actions.get(self.action) if self.action else active_action(figure)
        about = how_made(action) if action is not None else None
        if about is None or about.get("job") != "vary":
            what = repr(action.name) if action is not None else "the active Action"
            raise Trouble(f"{what} is not a variant, so it cannot be remade: choose an Action that Vary made")
        name, row = figure.name, model_row(figure, "variation", about["model"])
        model = model_bytes(row)
        if fingerprint(model) != about["model_is"]:
            raise Trouble(f"the model {about['model']!r} has been relearned since then: its variants are different now")
        params = about["settings"]
        poses = {key: [pose_of_values(values, key)] for key, values in about.get("poses", {}).items()}
        answer = yield from ask("vary", {**params, "count": 1, "first": about["number"]}, poses, model)
        yield from _written(name, about["model"], model, answer, params, poses, "ACTIONS", about.get("placed"))
        self.tell(answer)


def _written(
    name: str,
    title: str,
    model: bytes,
    answer: Any,
    params: dict[str, Any],
    poses: dict[str, Any],
    place: str,
    placed: Sequence[float] | None = None,
) -> Work:
    """Write the variants of an answer as Actions that store how to remake them."""
    variants = answer.values["made"]
    common: dict[str, Any] = {"job": "vary", "model": title, "model_is": fingerprint(model), "settings": params}
    if poses:
        common["poses"] = {key: pose_values(motions[0]) for key, motions in poses.items()}
    if placed is not None:
        common["placed"] = list(placed)
    about = [{**common, "seed": variant["seed"], "number": variant["number"]} for variant in variants]
    names = [f"{title} s{variant['seed']} {variant['number']:03d}" for variant in variants]
    motions = answer.motions() if placed is None else [motion.moved(*placed) for motion in answer.motions()]
    yield from make(name, described(motions, names, about), place)


def _params(figure: Any, model: bytes) -> Work:
    """Return the settings of the panel, as sent to the child."""
    settings = figure.freshtake
    out: dict[str, Any] = {
        "amount": settings.amount,
        "seed": settings.seed,
        "loop": settings.loop,
        "plant": settings.plant,
        "in_place": settings.in_place,
        "closing_frame": settings.loop,
    }
    if settings.length == "SECONDS":
        out["seconds"] = settings.seconds
    elif settings.length == "CYCLES":
        out["cycles"] = settings.cycles
    parts = [part for part in settings.parts if part.use]
    if parts:
        moving = set((yield from ask("parts", {}, {}, model)).values["parts"])
        out["parts"] = parts_amounts(figure, parts, moving)
    return out


def parts_amounts(figure: Any, parts: Any, moving: set[str]) -> dict[str, float]:
    """Return amounts of bones by their collections, without the bones that the model keeps fixed."""
    out: dict[str, float] = {}
    for part in parts:
        collection = figure.data.collections_all.get(part.name)
        if collection is None:
            raise Trouble(f"{figure.name!r} has no bone collection {part.name!r}: refresh the list of parts")
        out |= {bone.name: float(part.amount) for bone in collection.bones_recursive if bone.name in moving}
    return out


def _pose(scene: Any, figure: Any, key: str, facts: dict[str, Any]) -> Motion | None:
    """Return the pose that variants begin or end with."""
    choice = getattr(figure.freshtake, key)
    with_object = facts["joints"][0] == OBJECT if facts.get("joints") else None
    fps = facts.get("fps") or scene_fps(scene)
    if choice == "NONE":
        return None
    if choice == "NOW":
        return replace(read_pose(figure, with_object), fps=fps)
    marker = scene.timeline_markers.get(getattr(figure.freshtake, f"{key}_marker"))
    action = active_action(figure)
    if marker is None or action is None:
        raise Trouble(f"the {key} pose is set to a marker: choose a marker, with an Action active on {figure.name!r}")
    return replace(read_pose_at(figure, action, marker.frame, with_object), fps=fps)


class FRESHTAKE_OT_parts_refresh(OnFigure, bpy.types.Operator):
    """List the bone collections of this armature, to vary each by a separate amount"""

    bl_idname, bl_label, bl_options = "freshtake.parts_refresh", "List bone collections", {"UNDO"}

    def execute(self, context: Any) -> set[str]:
        """Keep existing amounts."""
        figure = active_figure(context)
        old = {part.name: (part.use, part.amount) for part in figure.freshtake.parts}
        figure.freshtake.parts.clear()
        for collection in figure.data.collections_all:
            part = figure.freshtake.parts.add()
            part.name = collection.name
            part.use, part.amount = old.get(collection.name, (False, 1.0))
        return {"FINISHED"}


CLASSES = (FRESHTAKE_OT_vary, FRESHTAKE_OT_vary_again, FRESHTAKE_OT_parts_refresh)
