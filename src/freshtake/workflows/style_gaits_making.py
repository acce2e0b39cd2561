"""Clips of styles at speeds to a style × speed model, and walks from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm import check_model_target, save
from freshtake.formats.registry import for_writing
from freshtake.methods.progress import Report, silent
from freshtake.motion import Clip
from freshtake.motion.edit import take_frames
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.style import GaitsLearn, GaitsSample
from freshtake.style.bilinear import GaitModel, Level, Weights, fit
from freshtake.workflows.characters import chosen_character, put_onto, write_onto
from freshtake.workflows.inputs import frame_count, length_or_none, model_of, read_clips
from freshtake.workflows.making import MOST_FRAMES

CELL = "write STYLE@SPEED=CLIP, as in crouch@1.3=crouch_fast.bvh"


@one_blas_thread()
def gaits_learn(request: GaitsLearn, report: Report = silent, warn: Callable[[str], None] | None = None) -> GaitModel:
    """Read one clip for every style at every speed, learn, and write the model. The first clip is the reference.

    Args:
        request: The clips and the model's file.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        The model that was written.
    """
    check_model_target(request.out)
    paths = named_cells(request.cells)
    read = read_clips([list(paths.values())], request.reading(warn), "gaits need clips with a skeleton")[0]
    model = fit(dict(zip(paths, read, strict=True)), ranks=request.ranks, report=report)
    save(request.out, model, sources=[path.name for path in paths.values()])
    return model


def named_cells(arguments: Sequence[str]) -> dict[tuple[Level, Level], Path]:
    """Parse `normal@0.9=a.bvh crouch@0.9=b.bvh` by style and speed; numeric speeds become numbers."""
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
    """Parse a number where the text is one, else return the name."""
    try:
        number = float(text)
    except ValueError:
        return text
    return number if np.isfinite(number) else text


def mixture(text: str, levels: Sequence[Level]) -> Weights:
    """Parse `crouch`, `1.3`, or weights such as `normal=0.5,crouch=0.5`."""
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


@one_blas_thread()
def gaits_sample(request: GaitsSample, report: Report = silent, warn: Callable[[str], None] | None = None) -> Clip:
    """Write a walk of some cycles, or of a length, in a mixture of styles and speeds.

    Args:
        request: The model, the file, the mixture and the length.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        The walk.
    """
    for_writing(request.out)
    model: GaitModel = model_of(request.model, "gaits")
    mixed = mixture(request.style, model.styles), mixture(request.speed, model.speeds)
    length, cycles, frames = length_or_none(request), request.cycles, 0
    if length is not None:
        frames = frame_count(length, model.code.recipe.frame_time)
        if not 1 <= frames <= MOST_FRAMES:
            raise UsageError(f"the number of frames must lie between 1 and {MOST_FRAMES}, but is {frames}")
        cycles = -(-frames // max(len(model.synthesize(*mixed, cycles=1)) - 1, 1))
    clip = model.synthesize(*mixed, cycles=cycles, name=request.out.stem)
    clip = (take_frames(clip, 0, frames) if frames else clip).changed(provenance="made by freshtake: style")
    onto = chosen_character(request.character, request.body_map, warn or (lambda _: None))
    write_onto(request.out, put_onto(onto, clip), request.unit, onto)
    return clip


def gaits_facts(model: GaitModel) -> dict[str, Any]:
    """Return the facts of a gaits model."""
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
