"""Read and write USD: clips as UsdSkel, with the extra `freshtake[usd]`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.files import LARGEST_SINGLE
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.formats.rig import alike, clips_of, on_rig, same_skeleton
from freshtake.formats.usd.reading import clips_in
from freshtake.formats.usd.writing import explained, export, make_layer, pxr
from freshtake.motion import Clip

__all__ = ["read", "read_animations", "write"]


def read(path: Path, options: ReadOptions) -> Clip:
    """Read one animation of the first skeleton: `options.animation`, else the first, with a note."""
    return clips_in(path, options, every=False)[0]


def read_animations(path: Path, options: ReadOptions | None = None) -> list[Clip]:
    """Return all animations of the first skeleton, one clip each."""
    return clips_in(path, options or ReadOptions(), every=True)


def write(path: Path, motion: Motion | Sequence[Clip], options: WriteOptions) -> None:
    """Write one clip, or several as animations of one stage, in the unit and with the vertical axis of the first.

    Args:
        path: the file.
        motion: a clip, or several of one skeleton.
        options: with `character`, the stage has its skin, in metres and y up.
    """
    pxr()
    clips = clips_of(path, motion, "USD")
    if options.character is None:
        ready, unit = alike(path, clips, options, "USD stores its unit")
    else:
        ready, unit = same_skeleton(path, clips, options, "USD with a character"), 1.0
    rig, motions = on_rig(ready, options)
    for entry in motions:
        if not np.abs(entry.translations).max() < LARGEST_SINGLE:
            raise FormatError(path, f"{entry.name!r} has lengths beyond USD's single precision: scale the clip")
    with explained(path, "the file cannot be written"):
        export(make_layer(rig, motions, ready[0].skeleton, unit, ready[0].up), path)
