# SPDX-License-Identifier: GPL-3.0-or-later
"""Style, Blend, Endless and Loop: motions made from the models of the other methods, or from a single take."""

from typing import Any

import bpy
from bpy.props import BoolProperty

from ..armature.reading import read_actions
from ..armature.trouble import Trouble
from ..armature.writing import how_made
from .making import described, made_before, make
from .models import fingerprint, model_bytes, model_row
from .takes import required_action
from .working import Work, Working, ask

REPLACE = BoolProperty(
    name="Replace", description="Remake the active Action instead of making another one",
    options={"HIDDEN", "SKIP_SAVE"},
)  # fmt: skip


class FRESHTAKE_OT_style_apply(Working, bpy.types.Operator):
    """Translate the active Action into the learned style"""

    bl_idname, bl_label = "freshtake.style_apply", "Apply style"
    replace: REPLACE

    def work(self, context: Any, figure: Any) -> Work:
        """Translate the active Action, or the take that the active Action was made from."""
        old = made_before(figure, "style") if self.replace else None
        name, settings, row = figure.name, figure.freshtake, model_row(figure, "style")
        model, title = model_bytes(row), row.name
        params = {"strength": settings.strength, "plant": settings.plant}
        replaced = "" if old is None else old.name
        motions = yield from read_actions(figure, [required_action(figure) if old is None else _take_of(old)])
        answer = yield from ask("style_apply", params, {"clips": motions}, model)
        about = {"job": "style", "model": title, "model_is": fingerprint(model), "settings": params}
        names = [f"{motion.name} {title}" for motion in motions]
        about_each = [{**about, "take": motion.name} for motion in motions]
        yield from make(name, described(answer.motions(), names, about_each), replaced=replaced)
        self.tell(answer)


def _take_of(result: Any) -> Any:
    """Return the Action that a result was made from."""
    take = (how_made(result) or {}).get("take", "")
    action = bpy.data.actions.get(take)
    if action is None:
        raise Trouble(f"{result.name!r} was made from {take!r}, which no longer exists: make another Action active")
    return action


class FRESHTAKE_OT_blend(Working, bpy.types.Operator):
    """Make a motion that mixes the classes by their weights"""

    bl_idname, bl_label = "freshtake.blend", "Blend"
    replace: REPLACE

    def work(self, context: Any, figure: Any) -> Work:
        """Send a request with the weights of the panel."""
        settings = figure.freshtake
        params = {
            "seconds": settings.blend_seconds,
            "weights": {row.name: row.weight for row in settings.weights},
            "seed": settings.seed,
            "plant": settings.plant,
            "in_place": settings.in_place,
        }
        yield from _sampled(self, figure, "density", "blend_sample", params)


class FRESHTAKE_OT_endless(Working, bpy.types.Operator):
    """Make an endless motion, or a loop of the given length"""

    bl_idname, bl_label = "freshtake.endless", "Make"
    replace: REPLACE

    def work(self, context: Any, figure: Any) -> Work:
        """Send a request with the settings of the panel."""
        settings = figure.freshtake
        params = {
            "seconds": settings.endless_seconds,
            "loop": settings.endless_loop,
            "closing_frame": settings.endless_loop,
            "seed": settings.seed,
            "plant": settings.plant,
            "in_place": settings.in_place,
            **({"jump_time": 1.0 / settings.jump_rate} if settings.use_jump_rate else {}),
        }
        yield from _sampled(self, figure, "texture", "texture_sample", params)


class FRESHTAKE_OT_loop(Working, bpy.types.Operator):
    """Cut the best cycle of the active Action and close it into a seamless loop"""

    bl_idname, bl_label = "freshtake.loop", "Close active Action"

    def work(self, context: Any, figure: Any) -> Work:
        """Cut the Action and close the loop."""
        name, settings = figure.name, figure.freshtake
        params = {"closing_frame": True, "in_place": settings.in_place, "plant": settings.plant}
        motions = yield from read_actions(figure, [required_action(figure)])
        answer = yield from ask("loop", params, {"clips": motions})
        about = {"job": "loop", "take": motions[0].name, "settings": params}
        yield from make(name, described(answer.motions(), [f"{motions[0].name} loop"], [about]))
        self.tell(answer)


def _sampled(operator: Any, figure: Any, kind: str, job: str, params: dict[str, Any]) -> Work:
    name, row = figure.name, model_row(figure, kind)
    model, title = model_bytes(row), row.name
    old = made_before(figure, job) if operator.replace else None
    replaced = "" if old is None else old.name
    answer = yield from ask(job, params, {}, model)
    motions = answer.motions()
    about = {"job": job, "model": title, "model_is": fingerprint(model), "seed": params["seed"], "settings": params}
    names = [f"{title} s{params['seed']}"] * len(motions)
    yield from make(name, described(motions, names, [about] * len(motions)), replaced=replaced)
    operator.tell(answer)


CLASSES = (FRESHTAKE_OT_style_apply, FRESHTAKE_OT_blend, FRESHTAKE_OT_endless, FRESHTAKE_OT_loop)
