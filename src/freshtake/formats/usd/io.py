"""USD in and out: what may be opened, and whole files or none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.clip_sets import alike, clips_of, same_skeleton
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.formats.rig_clips import on_rig
from freshtake.formats.usd.library import explained, export, pxr
from freshtake.formats.usd.reading import clips_in
from freshtake.formats.usd.writing import make_layer
from freshtake.motion import Clip

LARGEST = 1e30  # far inside of what single precision holds


def read(path: Path, options: ReadOptions) -> Clip:
    """One animation of the first skeleton; of several the first, with a note, unless `options.animation` chooses."""
    return clips_in(path, options, every=False)[0]


def read_animations(path: Path, options: ReadOptions | None = None) -> list[Clip]:
    """All animations of the first skeleton, one clip each."""
    return clips_in(path, options or ReadOptions(), every=True)


def write(path: Path, motion: Motion | Sequence[Clip], options: WriteOptions) -> None:
    """Write one clip, or several as animations of one stage, in their own unit and with their own vertical axis.

    With `options.character` (in metres and y up), its skin.
    """
    pxr()
    clips = clips_of(path, motion, "USD")
    if options.character is None:
        ready, unit = alike(path, clips, options, "USD stores its unit")
    else:
        ready, unit = same_skeleton(path, clips, options, "USD with a character"), 1.0
    rig, motions = on_rig(ready, options)
    for entry in motions:
        if not np.abs(entry.translations).max() < LARGEST:
            raise FormatError(path, f"{entry.name!r} has lengths beyond USD's single precision: scale the clip")
    with explained(path, "the file cannot be written"):
        export(make_layer(rig, motions, ready[0].skeleton, unit, ready[0].up), path)
