# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes: the Actions of an armature, what is wrong with them, and cutting them into cycles or repeats."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
from bpy.props import CollectionProperty, EnumProperty, IntProperty, StringProperty

from ..armature.actions import actions_of, active_action
from ..armature.motion import Motion
from ..armature.reading import read_actions, run, scene_fps
from ..armature.trouble import Trouble
from ..armature.writing import how_made, write_actions
from .results import drop_gone, list_results, listed_anywhere
from .working import OnFigure, Work, Working, active_figure, ask


def listed_takes(figure: Any) -> list[Any]:
    """Return the rows of takes that are in use and still exist."""
    return [row for row in figure.freshtake.takes if row.use and row.action is not None]


def read_listed(figure: Any, rows: Sequence[Any]) -> Work:
    """Return the motions of rows."""
    if not rows:
        raise Trouble(f"no take of {figure.name!r} is chosen: press Refresh in Takes and tick some Actions")
    motions = yield from read_actions(figure, [row.action for row in rows])
    return motions


def required_action(figure: Any) -> Any:
    """Return the active Action of an armature, which must have one."""
    action = active_action(figure)
    if action is None:
        raise Trouble(f"{figure.name!r} has no active Action: choose one")
    return action


def figure_named(name: str) -> Any:
    """Return the armature that the work began with, by name."""
    found = bpy.data.objects.get((name, None))  # in this file: a linked object may have the same name
    if found is None or found.type != "ARMATURE":
        raise Trouble(f"{name!r} no longer exists, so nothing was made: choose an armature and try again")
    return found


def list_actions(figure: Any, actions: Sequence[Any]) -> None:
    """Add Actions to the list of takes that are not in it yet."""
    known = {row.action for row in figure.freshtake.takes}
    for action in actions:
        if action not in known:
            row = figure.freshtake.takes.add()
            row.action, row.name = action, action.name


class FRESHTAKE_OT_takes_refresh(OnFigure, bpy.types.Operator):
    """List the Actions of this armature as takes"""

    bl_idname, bl_label, bl_options = "freshtake.takes_refresh", "Refresh", {"UNDO"}

    def execute(self, context: Any) -> set[str]:
        """Drop rows of deleted Actions too. Actions that we made are results, unless another armature lists them."""
        figure, others = active_figure(context), listed_anywhere()
        drop_gone(figure.freshtake.takes)
        actions = actions_of(figure)
        list_actions(figure, [action for action in actions if how_made(action) is None])
        list_results(figure, [action for action in actions if how_made(action) is not None and action not in others])
        return {"FINISHED"}


class FRESHTAKE_OT_takes_check(Working, bpy.types.Operator):
    """Report what is wrong with each take, and which one is unlike the others"""

    bl_idname, bl_label = "freshtake.takes_check", "Check"

    def work(self, context: Any, figure: Any) -> Work:
        """Let the child check the takes, and write its sentences into the rows."""
        name, rows = figure.name, listed_takes(figure)
        names = [row.action.name for row in rows]
        motions = yield from read_listed(figure, rows)
        answer = yield from ask("check_takes", {}, {"clips": motions})
        found = figure_named(name)
        by_name = {row.action.name: row for row in found.freshtake.takes if row.action is not None}
        for take, findings in zip(names, answer.values["takes"], strict=True):
            if take in by_name:
                unlike = [text for text in answer.values["unlike"] if text.startswith(f"{take} ")]
                by_name[take].wrong = "\n".join([*_warnings(findings), *unlike])
        together = _warnings(answer.values["together"])
        found.freshtake.together = "\n".join([*together, *_of_no_take(answer.values["unlike"], names)])
        self.tell(answer)


def _warnings(findings: Sequence[dict[str, str]]) -> list[str]:
    return [finding["sentence"] for finding in findings if finding["severity"] == "warning"]


def _of_no_take(sentences: Sequence[str], names: Sequence[str]) -> list[str]:
    return [text for text in sentences if not any(text.startswith(f"{name} ") for name in names)]


class FRESHTAKE_OT_takes_cut(Working, bpy.types.Operator):
    """Cut the takes into pieces, as new Actions: at their cycles, or where an example recurs"""

    bl_idname, bl_label = "freshtake.takes_cut", "Cut"
    at: EnumProperty(
        name="At",
        items=[
            ("cycles", "Cycles", "At the beginning of each cycle"),
            ("repeats", "Repeats", "At each repetition of a part of the active Action, given by two frames"),
        ],
    )
    first: IntProperty(name="First frame", default=1, description="First frame of the example for repeats")
    last: IntProperty(name="Last frame", default=30, description="Last frame of the example for repeats")

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Use the scene's preview range, or else its frame range, as the example."""
        scene = context.scene
        preview = scene.use_preview_range
        self.first = scene.frame_preview_start if preview else scene.frame_start
        self.last = scene.frame_preview_end if preview else scene.frame_end
        return self.execute(context)

    def work(self, context: Any, figure: Any) -> Work:
        """Cut the motions, and write the pieces."""
        name, rows = figure.name, listed_takes(figure)
        motions = yield from read_listed(figure, rows)
        asked: dict[str, Any] = {"at": self.at}
        if self.at == "repeats":
            asked["like"] = _example(figure, rows, motions, self.first, self.last)
        answer = yield from ask("cut", asked, {"clips": motions})
        pieces = answer.values["pieces"]
        if not pieces:
            raise Trouble(f"no {self.at} were found in the takes: choose others, or cut them by hand")
        found = figure_named(name)
        made = yield from write_actions(found, _cut(motions, pieces))
        for row in found.freshtake.takes:
            row.use = False
        list_actions(found, made)
        self.report({"INFO"}, f"{len(made)} pieces were cut from {len(motions)} takes")
        self.tell(answer)


def _example(figure: Any, rows: Sequence[Any], motions: Sequence[Motion], first: int, last: int) -> dict[str, int]:
    """Return the take with the example for repeats, and the example's first sample and the sample after its last."""
    active = active_action(figure)
    number = next((number for number, row in enumerate(rows) if row.action == active), None)
    if number is None:
        raise Trouble("the active Action is not one of the takes: activate the take that contains the example")
    start, stop = stretch_of(active.name, motions[number], (first, last), active.frame_range[0], "to the example")
    return {"clip": number, "start": start, "stop": stop}


def stretch_of(name: str, motion: Motion, frames: tuple[int, int], begins: float, remedy: str) -> tuple[int, int]:
    """Return the samples (start, stop not included) of a motion between two frames of the scene, both included."""
    density = motion.fps / scene_fps(bpy.context.scene)  # a take of a higher rate is also read between the frames
    start, last = (round((frame - begins) * density) for frame in frames)
    if not 0 <= start < last <= len(motion) - 1:
        raise Trouble(f"frames {frames[0]} to {frames[1]} are not within {name!r}: set the preview range {remedy}")
    return start, last + 1


def _cut(motions: Sequence[Motion], pieces: Sequence[dict[str, int]]) -> list[Motion]:
    counts: dict[int, int] = {}
    out = []
    for piece in pieces:
        motion = motions[piece["clip"]]
        number = counts[piece["clip"]] = counts.get(piece["clip"], 0) + 1
        frames = slice(piece["start"], piece["stop"])
        moved = None if motion.translations is None else motion.translations[frames]
        name = f"{motion.name} {number:02d}"
        out.append(
            replace(motion, name=name, root=motion.root[frames], rotations=motion.rotations[frames], translations=moved)
        )
    return out


class FRESHTAKE_OT_takes_import(bpy.types.Operator):
    """Import BVH files as takes: as Actions of the active armature, or of a new armature from the first file"""

    bl_idname, bl_label, bl_options = "freshtake.takes_import", "Import BVH files", {"UNDO"}
    files: CollectionProperty(type=bpy.types.OperatorFileListElement)
    directory: StringProperty(subtype="DIR_PATH")
    filter_glob: StringProperty(default="*.bvh", options={"HIDDEN"})

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Let the user choose files."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: Any) -> set[str]:
        """Import with Blender's importer, which makes an armature per file; the first armature gets all motions."""
        figure = active_figure(context)
        taken: list[Any] = []
        try:
            with all_or_nothing(context.scene):
                for path in sorted(Path(self.directory) / file.name for file in self.files):
                    figure, action = _import(context, path, figure)
                    taken.append(action)
                if not taken:
                    raise Trouble("no BVH file was chosen: choose at least one")
        except Trouble as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        list_actions(figure, taken)
        context.view_layer.objects.active = figure
        return {"FINISHED"}


@contextmanager
def all_or_nothing(scene: Any) -> Iterator[None]:
    """On failure inside, remove the new objects, armatures and Actions, and restore the rate."""
    kinds = [getattr(bpy.data, kind) for kind in ("objects", "armatures", "actions")]
    before = [{thing.name for thing in things} for things in kinds]
    rate = scene.render.fps, scene.render.fps_base
    try:
        yield
    except BaseException:
        for things, names in zip(kinds, before, strict=True):
            for thing in [thing for thing in things if thing.name not in names]:
                things.remove(thing)
        scene.render.fps, scene.render.fps_base = rate
        raise


def _import(context: Any, path: Path, figure: Any) -> tuple[Any, Any]:
    """Return a file's Action, on the figure if there is one."""
    before = set(bpy.data.objects)
    try:
        bpy.ops.import_anim.bvh(filepath=str(path), update_scene_fps=figure is None, use_fps_scale=figure is not None)
        made = next(thing for thing in bpy.data.objects if thing not in before)
        own = made.animation_data.action
    except (RuntimeError, StopIteration, AttributeError):  # Blender's importer can fail in many ways
        raise Trouble(f"Blender cannot read {path}: it is not a BVH file, or it is damaged") from None
    own.name = path.stem
    if figure is None:
        own.use_fake_user = True
        return made, own
    try:
        motion = run(read_actions(made, [own]))[0]
        (action,) = run(write_actions(figure, [motion.named(path.stem)]))
    finally:
        data = made.data
        bpy.data.objects.remove(made)
        bpy.data.armatures.remove(data)
        bpy.data.actions.remove(own)
    action.name = path.stem
    return figure, action


CLASSES = (
    FRESHTAKE_OT_takes_refresh, FRESHTAKE_OT_takes_check, FRESHTAKE_OT_takes_cut, FRESHTAKE_OT_takes_import,
)  # fmt: skip
