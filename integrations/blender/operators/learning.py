# SPDX-License-Identifier: GPL-3.0-or-later
"""Learn: takes to a model, packed into the .blend or written as a file."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ..armature.trouble import Trouble
from ..settings import KINDS
from .models import KINDS as KIND_NAMES
from .models import keep_model, model_bytes
from .takes import figure_named, listed_takes, read_listed
from .working import OnFigure, Work, Working, active_figure, ask


class FRESHTAKE_OT_learn(Working, bpy.types.Operator):
    """Learn from the ticked takes"""

    bl_idname, bl_label = "freshtake.learn", "Learn"
    kind: EnumProperty(name="For", items=KINDS)
    name: StringProperty(name="Name", description="Name of the model; default: the armature's name")

    def work(self, context: Any, figure: Any) -> Work:
        """Read the takes, have the child learn, pack the model."""
        title = figure.name
        name = self.name or default_name(title, self.kind)
        rows = listed_takes(figure)
        motions, params = yield from _asked(figure, rows, self.kind)
        takes = [motion.name for clips in motions.values() for motion in clips]
        first = next(iter(motions.values()))[0]
        jobs = {"variation": "learn", "style": "style_learn", "density": "blend_learn", "texture": "texture_learn"}
        answer = yield from ask(jobs[self.kind], params, motions)
        found = figure_named(title)
        facts = {**answer.values.get("facts", {}), "takes": takes, "joints": list(first.names), "fps": first.fps}
        keep_model(found, name, self.kind, answer.model(), facts)
        if self.kind == "density":
            list_classes(found, params["classes"])
        self.tell(answer)


def list_classes(figure: Any, names: Iterable[str]) -> None:
    """Make a slider for each class of a blend."""
    figure.freshtake.weights.clear()
    for name in names:
        figure.freshtake.weights.add().name = name


def default_name(title: str, kind: str) -> str:
    """Return a default model name: short, because its Actions are named after it and lists are narrow."""
    return title if kind == "variation" else f"{title} {KIND_NAMES[kind].lower()}"


def _asked(figure: Any, rows: list[Any], kind: str) -> Work:
    """Return motions by the names under which they are sent, and the other values to send."""
    if kind == "style":
        styles = [row.style for row in rows if row.style != "NONE"]
        rows = [row for row in rows if row.style != "NONE"]
        if "SOURCE" not in styles or "TARGET" not in styles:
            raise Trouble("a style needs takes in the original and in the new style: set From and To in Takes")
        motions = yield from read_listed(figure, rows)
        parts = {
            key: [motion for motion, style in zip(motions, styles, strict=True) if style == asked]
            for key, asked in (("sources", "SOURCE"), ("targets", "TARGET"))
        }
        return parts, {}
    if kind == "density":
        rows = [row for row in rows if row.group.strip()]
        groups: dict[str, list[int]] = {}
        for number, row in enumerate(rows):
            groups.setdefault(row.group.strip(), []).append(number)
        if len(groups) < 2:
            raise Trouble("a blend needs at least two classes of takes: write walk, run, ... next to them in Takes")
        motions = yield from read_listed(figure, rows)
        return {"clips": motions}, {"classes": groups}
    motions = yield from read_listed(figure, rows)
    return {"clips": motions}, {}


class FRESHTAKE_OT_model_save(OnFigure, bpy.types.Operator):
    """Write the chosen model to a file, for the command line and other .blend files"""

    bl_idname, bl_label = "freshtake.model_save", "Save model"
    filepath: StringProperty(subtype="FILE_PATH")
    unpack: BoolProperty(name="Unpack", description="Keep the model only in that file, not in the .blend")
    filter_glob: StringProperty(default="*.ftm", options={"HIDDEN"})

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Let the user choose a file."""
        self.filepath = self.filepath or "model.ftm"
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: Any) -> set[str]:
        """Write the file."""
        figure = active_figure(context).freshtake
        try:
            if not 0 <= figure.model_index < len(figure.models):
                raise Trouble("no model is chosen: learn one first")
            row = figure.models[figure.model_index]
            write_whole(Path(bpy.path.abspath(self.filepath)), model_bytes(row))
        except Trouble as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        row.filepath = self.filepath
        if self.unpack and row.text is not None:
            bpy.data.texts.remove(row.text)
        return {"FINISHED"}


def write_whole(path: Path, data: bytes) -> None:
    """Write a file completely or not at all."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise Trouble(f"{path} cannot be written: {error.strerror}") from None


class FRESHTAKE_OT_model_load(Working, bpy.types.Operator):
    """Pack a model from a file; it must be for this armature"""

    bl_idname, bl_label = "freshtake.model_load", "Load model"
    filepath: StringProperty(subtype="FILE_PATH")
    filter_glob: StringProperty(default="*.ftm", options={"HIDDEN"})

    invoke = FRESHTAKE_OT_model_save.invoke

    def work(self, context: Any, figure: Any) -> Work:
        """Read the file, and let the child describe the model."""
        name, path = figure.name, Path(bpy.path.abspath(self.filepath))
        try:
            data = path.read_bytes()
        except OSError as error:
            raise Trouble(f"{path} cannot be read: {error.strerror}") from None
        try:
            answer = yield from ask("describe", {}, {}, data)
        except Trouble as error:
            raise Trouble(str(error).replace("the model", str(path), 1)) from None
        found, kind, facts = figure_named(name), answer.values["method"], answer.values["facts"]
        keep_model(found, path.stem, kind, data, facts)
        if kind == "density":
            list_classes(found, facts["classes"])


class FRESHTAKE_OT_model_remove(OnFigure, bpy.types.Operator):
    """Delete the chosen model from this .blend"""

    bl_idname, bl_label, bl_options = "freshtake.model_remove", "Remove model", {"UNDO"}

    def execute(self, context: Any) -> set[str]:
        """Delete the row and its text."""
        figure = active_figure(context).freshtake
        if 0 <= figure.model_index < len(figure.models):
            text = figure.models[figure.model_index].text
            figure.models.remove(figure.model_index)
            if text is not None:
                bpy.data.texts.remove(text)
        return {"FINISHED"}


CLASSES = (FRESHTAKE_OT_learn, FRESHTAKE_OT_model_save, FRESHTAKE_OT_model_load, FRESHTAKE_OT_model_remove)
