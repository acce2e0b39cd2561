# SPDX-License-Identifier: GPL-3.0-or-later
"""A sample character with takes that freshtake makes itself, for trying things out."""

from typing import Any

import bpy

from ..armature.actions import assign
from ..armature.building import build_armature, build_body
from ..armature.writing import write_actions
from .takes import list_actions
from .working import Doing, Work, Working, ask

METRES = 0.01  # samples are in centimetres
COLOR = (0.9, 0.45, 0.15, 1.0)
CLASSES_OF = {"walk": "walk", "run": "run"}
STYLES_OF = {"walk": "SOURCE", "limp": "TARGET"}


class FRESHTAKE_OT_sample(Working, bpy.types.Operator):
    """Make a character with takes of walking, limping and running, for trying things out"""

    bl_idname, bl_label = "freshtake.sample", "Make a sample character"

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Require object mode, but no armature: the operator makes one."""
        return context.mode == "OBJECT"

    def work(self, context: Any, figure: Any) -> Work:
        """Request takes, build the character, write the takes."""
        answer = yield from ask("samples", {"sets": ["walk", "limp", "run"], "takes": 4}, {})
        motions = [motion.scaled(METRES) for motion in answer.motions()]
        made: list[Any] = []
        scene = bpy.context.scene
        rate = scene.render.fps, scene.render.fps_base
        try:
            character = build_armature(motions[0], "Sample")
            made.append(character)
            made.append(build_body(character, "Sample body", COLOR))
            yield Doing(f"writing {len(motions)} takes")
            scene.render.fps, scene.render.fps_base = round(motions[0].fps), 1.0
            actions = yield from write_actions(character, motions)
        except BaseException:
            for thing in made:
                bpy.data.objects.remove(thing)
            scene.render.fps, scene.render.fps_base = rate
            raise
        _list(character, actions)
        scene.frame_start, scene.frame_end = 1, int(actions[0].frame_end)
        assign(character, actions[0])


def _list(character: Any, actions: list[Any]) -> None:
    list_actions(character, actions)
    for row in character.freshtake.takes:
        kind = row.action.name.split("_")[0]
        row.use = kind == "walk"
        row.group, row.style = CLASSES_OF.get(kind, ""), STYLES_OF.get(kind, "NONE")


CLASSES = (FRESHTAKE_OT_sample,)
