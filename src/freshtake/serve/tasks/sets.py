"""Sets of items that a task uses together, as motions on one axis, unit and root."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from freshtake.errors import UsageError
from freshtake.formats.read_options import Motion
from freshtake.methods.gathering import gathered
from freshtake.motion import Clip
from freshtake.serve.tasks.context import Context
from freshtake.serve.tasks.describing import named


def motion_sets(context: Context, *sets: Sequence[str]) -> list[list[Motion]]:
    """Sets of takes, each trimmed and named as its item is."""
    motions = [context.motion(id) for ids in sets for id in ids]
    fitted = iter(gathered(motions, context.warn))
    return [[named(next(fitted), context.item(id).name) for id in ids] for ids in sets]


def clip_sets(context: Context, need: str, *sets: Sequence[str]) -> list[list[Clip]]:
    """The same of takes with a skeleton; others are refused with what they are needed for."""
    out: list[list[Clip]] = []
    for motions in motion_sets(context, *sets):
        out.append([])
        for motion in motions:
            if not isinstance(motion, Clip):
                raise UsageError(f"{motion.name} has no skeleton: {need}")
            out[-1].append(motion)
    return out


def model_at(context: Context, id: str, method: str) -> Any:
    """A model of a method; another one is refused."""
    stored = context.stored(id)
    if stored.method != method:
        raise UsageError(f"{context.item(id).name} is a model of {stored.method}, not of {method}: choose another")
    return stored.model
