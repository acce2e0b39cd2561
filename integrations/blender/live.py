# SPDX-License-Identifier: GPL-3.0-or-later
"""Live: moving a slider remakes its motion in place of the previous motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

QUIET = 0.4  # seconds after the last movement of a slider
_moved: dict[str, str] = {}  # armature name → operator that makes the motion


def remakes(operator: str) -> Callable[[Any, Any], None]:
    """Return a slider's update callback: with Live on, this operator remakes the motion."""

    def update(self: Any, context: Any) -> None:
        figure = self.id_data
        if figure.freshtake.live:
            _moved[figure.name] = operator
            if bpy.app.timers.is_registered(remake):
                bpy.app.timers.unregister(remake)
            bpy.app.timers.register(remake, first_interval=QUIET)

    return update


def remake() -> float | None:
    """Start the operator; if another operator is running, wait for it."""
    from .operators.working import AT_WORK

    if AT_WORK:
        return QUIET
    while _moved:
        name, operator = _moved.popitem()
        figure = bpy.data.objects.get(name)
        if figure is not None:
            window = next(iter(bpy.context.window_manager.windows), None)
            with bpy.context.temp_override(window=window, active_object=figure, object=figure):
                getattr(bpy.ops.freshtake, operator)("EXEC_DEFAULT", True, replace=True)
            return QUIET if _moved else None
    return None


def stop() -> None:
    """Forget pending slider changes."""
    _moved.clear()
    if bpy.app.timers.is_registered(remake):
        bpy.app.timers.unregister(remake)
