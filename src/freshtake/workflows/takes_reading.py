"""Reading takes that are used together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from freshtake.errors import UsageError
from freshtake.formats.read_options import Motion, ReadOptions
from freshtake.formats.registry import take_in
from freshtake.methods.gathering import gathered
from freshtake.motion import Clip


def read_takes(paths: Sequence[Path], reading: dict[str, Any] | None = None) -> list[Motion]:
    """Takes of one movement or of several, with one vertical axis: that of the first."""
    return read_sets([paths], reading)[0]


def read_sets(sets: Sequence[Sequence[Path]], reading: dict[str, Any] | None = None) -> list[list[Motion]]:
    """Several sets of takes that are used together."""
    options = ReadOptions(**(reading or {}))
    read = iter(gathered([take_in(path, options).motion for paths in sets for path in paths], options.warn))
    return [[next(read) for _ in paths] for paths in sets]


def read_clips(sets: Sequence[Sequence[Path]], reading: dict[str, Any] | None, need: str) -> list[list[Clip]]:
    """Several sets of clips with a skeleton; anything else is refused with what it is needed for."""
    out: list[list[Clip]] = []
    for paths, motions in zip(sets, read_sets(sets, reading), strict=True):
        out.append([])
        for path, motion in zip(paths, motions, strict=True):
            if not isinstance(motion, Clip):
                raise UsageError(f"{path} is a {type(motion).__name__}: {need}")
            out[-1].append(motion if motion.name else motion.changed(name=path.stem))
    return out
