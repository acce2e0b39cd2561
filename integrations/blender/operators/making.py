# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by all operators that make motions: Actions that store how they were made, and where they are put."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import bpy

from ..armature.actions import active_action, assign
from ..armature.motion import Motion
from ..armature.writing import how_made, write_actions
from .placing import end_of_strips, put
from .results import list_results
from .takes import figure_named
from .working import Doing, Work


def described(motions: Sequence[Motion], names: Sequence[str], about: Sequence[dict[str, Any]]) -> list[Motion]:
    """Return motions under new names, with how they were made."""
    return [replace(motion, name=name, about=how) for motion, name, how in zip(motions, names, about, strict=True)]


def made_before(figure: Any, job: str) -> Any:
    """Return the active Action, if a job of this name made it."""
    action = active_action(figure)
    about = how_made(action) if action is not None else None
    return action if about is not None and about.get("job") == job else None


def in_a_row(motions: Sequence[Motion], end: Motion | None) -> list[Motion]:
    """Return motions that begin where the one before ends, the first at `end`; each stores how it was moved."""
    out: list[Motion] = []
    for motion in motions:
        if end is not None:
            placed = motion.after(end)
            motion = replace(motion.moved(*placed), about={**motion.about, "placed": list(placed)})
        end = motion
        out.append(motion)
    return out


def make(
    name: str,
    motions: Sequence[Motion],
    place: str = "ACTIONS",
    replaced: str = "",
    first_frame: float | None = None,
) -> Work:
    """Write motions to the armature of this name, place them as requested, and show the first.

    If this fails or is stopped, no new Action remains. The first Action takes over the name and position of the Action
    `replaced`, which is deleted.
    """
    figure = figure_named(name)
    if place == "NLA":
        motions = in_a_row(motions, end_of_strips(figure))
    yield Doing(f"writing {motions[0].name}" + (f" and {len(motions) - 1} more" if len(motions) > 1 else ""))
    begins = bpy.context.scene.frame_start if first_frame is None else first_frame
    actions: list[Any] = yield from write_actions(figure, motions, begins)
    try:
        yield from put(figure, actions, place)
    except BaseException:
        for action in actions:
            bpy.data.actions.remove(action)
        raise
    if place == "ACTIONS":
        assign(figure, actions[0])
    if replaced in bpy.data.actions:
        bpy.data.actions.remove(bpy.data.actions[replaced])
        actions[0].name = replaced
    list_results(figure, actions)
    return actions
