"""Reading takes that are used together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.formats.read_options import Motion, ReadOptions
from freshtake.formats.registry import take_in_all
from freshtake.methods.gathering import gathered
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.kind_words import kind_word

FARTHEST = 1e18  # in any unit


def read_takes(paths: Sequence[Path], reading: dict[str, Any] | None = None) -> list[Motion]:
    """Takes of one movement or of several, with one vertical axis: that of the first."""
    return read_sets([paths], reading)[0]


def read_sets(sets: Sequence[Sequence[Path]], reading: dict[str, Any] | None = None) -> list[list[Motion]]:
    """Several sets of takes that are used together."""
    options = ReadOptions(**(reading or {}))
    sources = [path for paths in sets for path in paths]
    read_motions = take_in_all(sources, options)
    taken = [_sound(path, one.motion) for path, one in zip(sources, read_motions, strict=True)]
    read = iter(gathered(named_apart(sources, taken), options.warn))
    return [[next(read) for _ in paths] for paths in sets]


def named_apart(paths: Sequence[Path], motions: Sequence[Motion]) -> list[Motion]:
    """Return motions with names that tell them apart: those that share one ("Take 001") are named by their files."""
    often = Counter(motion.name for motion in motions)
    return [
        replace(motion, name=path.stem) if often[motion.name] > 1 and motion.name != path.stem else motion
        for path, motion in zip(paths, motions, strict=True)
    ]


def _sound(path: Path, motion: Motion) -> Motion:
    """Refuse positions so large that their squares overflow."""
    places = {Clip: "root", Stroke: "points", PointClip: "positions", MeshSequence: "vertices"}[type(motion)]
    values = np.abs(np.nan_to_num(getattr(motion, places)))
    if values.size and float(values.max()) > FARTHEST:
        frame = int(np.unravel_index(int(values.argmax()), values.shape)[0])
        raise FormatError(path, f"a place lies {float(values.max()):.3g} from the origin: correct it", f"frame {frame}")
    return motion


def read_clips(sets: Sequence[Sequence[Path]], reading: dict[str, Any] | None, need: str) -> list[list[Clip]]:
    """Several sets of clips with a skeleton; anything else is refused with what it is needed for."""
    out: list[list[Clip]] = []
    for paths, motions in zip(sets, read_sets(sets, reading), strict=True):
        out.append([])
        for path, motion in zip(paths, motions, strict=True):
            if not isinstance(motion, Clip):
                raise UsageError(f"{path} is a {kind_word(motion)}: {need}")
            out[-1].append(motion if motion.name else motion.changed(name=path.stem))
    return out
