"""Clips of styles at speeds to a style × speed model, and walks from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm import check_model_target, save
from freshtake.formats.registry import for_writing
from freshtake.methods.progress import Report, silent
from freshtake.motion import Clip
from freshtake.motion.edit import take_frames
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.style.gaits.bilinear import GaitModel, Level, Weights, fit
from freshtake.workflows.lengths import Length, frame_count
from freshtake.workflows.model_kinds import model_of
from freshtake.workflows.motion_retargeting import Onto, put_onto, write_onto
from freshtake.workflows.takes_reading import read_clips

MOST_FRAMES = 10_000_000

CELL = "write STYLE@SPEED=CLIP, as in crouch@1.3=crouch_fast.bvh"


@one_blas_thread()
def gaits_learn(
    cells: Sequence[str],
    target: Path,
    *,
    ranks: tuple[int, int] | None = None,
    reading: dict[str, Any] | None = None,
    report: Report = silent,
) -> GaitModel:
    """Read one clip for every style at every speed, learn, write the model. The first clip is the reference."""
    check_model_target(target)
    paths = named_cells(cells)
    read = read_clips([list(paths.values())], reading, "gaits need clips with a skeleton")[0]
    clips = dict(zip(paths, read, strict=True))
    model = fit(clips, ranks=ranks, report=report)
    save(target, model, sources=[path.name for path in paths.values()])
    return model


def named_cells(arguments: Sequence[str]) -> dict[tuple[Level, Level], Path]:
    """`normal@0.9=a.bvh crouch@0.9=b.bvh` by style and speed; a speed that is a number counts as one."""
    out: dict[tuple[Level, Level], Path] = {}
    for argument in arguments:
        cell, equals, path = argument.partition("=")
        style, at, speed = (part.strip() for part in cell.rpartition("@"))
        if not (equals and at and style and speed and path):
            raise UsageError(f"{argument!r} does not name a style and speed: {CELL}")
        key = (style, level(speed))
        if key in out:
            raise UsageError(f"{style} at {speed} is given twice: one clip for every style at every speed")
        out[key] = Path(path)
    return out


def level(text: str) -> Level:
    """A number where it is one, else a name."""
    try:
        number = float(text)
    except ValueError:
        return text
    return number if np.isfinite(number) else text


def mixture(text: str, levels: Sequence[Level]) -> Weights:
    """`crouch`, `1.3`, or weights such as `normal=0.5,crouch=0.5`."""
    if text in levels or "=" not in text:
        return text if text in levels else level(text)
    out: dict[Level, float] = {}
    for part in text.split(","):
        name, equals, weight = part.rpartition("=")
        number = level(weight)
        if not equals or isinstance(number, str):
            raise UsageError(f"{part!r} is not a weight: write NAME=NUMBER, as in normal=0.5,crouch=0.5")
        key = name.strip() if name.strip() in levels else level(name.strip())
        out[key] = out.get(key, 0.0) + number
    return out


class Walk(NamedTuple):
    """Styles and speeds as texts, and how long: a number of cycles, or a length."""

    style: str
    speed: str
    cycles: int = 4
    length: Length | None = None


@one_blas_thread()
def gaits_sample(
    source: Path,
    target: Path,
    walk: Walk,
    *,
    unit_m: float | None = None,
    onto: Onto | None = None,
) -> Clip:
    """A walk of some cycles, or of a length, in a mixture of styles and speeds, written to a file."""
    for_writing(target)
    model: GaitModel = model_of(source, "gaits")
    mixed = mixture(walk.style, model.styles), mixture(walk.speed, model.speeds)
    cycles, length = walk.cycles, walk.length
    if length is not None:
        frames = frame_count(length, model.code.recipe.frame_time)
        if not 1 <= frames <= MOST_FRAMES:
            raise UsageError(f"the number of frames must lie between 1 and {MOST_FRAMES}, but is {frames}")
        cycles = -(-frames // max(len(model.synthesize(*mixed, cycles=1)) - 1, 1))
    clip = model.synthesize(*mixed, cycles=cycles, name=target.stem)
    clip = (clip if length is None else take_frames(clip, 0, frames)).changed(provenance="made by freshtake: style")
    write_onto(target, put_onto(onto, clip), unit_m, onto)
    return clip


def gaits_facts(model: GaitModel) -> dict[str, Any]:
    """The facts of a gaits model."""
    recipe = model.code.recipe
    return {
        "method": "style, gaits",
        "styles": [str(style) for style in model.styles],
        "speeds": [str(speed) for speed in model.speeds],
        "ranks": [int(size) for size in model.factors.core.shape[:2]],
        "cycle_frames": model.code.frames,
        "fps": round(1.0 / recipe.frame_time, 3),
        "joints": None if recipe.skeleton is None else len(recipe.skeleton),
        "dofs": len(recipe.names),
    }
