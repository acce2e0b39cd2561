"""The takes for measuring textures: recorded takes, or samples if these are absent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA
from freshtake.motion import Clip
from freshtake.motion.edit import concatenate
from freshtake.samples.shapes import flag


def motions(names: Sequence[str] = ()) -> Iterator[tuple[str, Any]]:
    """Yield takes by name, in order; all takes if none is named."""
    paths = [*sorted((DATA / "mesh").glob("*.npz")), *sorted((DATA / "cyclic").glob("*.bvh"))]
    rng = np.random.default_rng(0)
    for path in paths:
        if not names or path.stem in names:
            yield path.stem, ft.read(path)
    if not paths or "flag" in names:
        yield "flag", flag(rng, frames=900)
    if not paths or "walk" in names:
        yield "walk", ft.samples.walk(rng, cycles=12)


def held_out(names: Sequence[str] = ()) -> Iterator[tuple[str, Any]]:
    """Yield walks not used to choose constants."""
    for folder in ("validation/cyclic", "validation/style137"):
        for path in sorted((DATA / folder).glob("*.bvh")):
            if not names or path.stem in names:
                yield f"{path.stem} (held out)", ft.read(path)


def long_clip(frames: int) -> Clip:
    """Return takes concatenated, repeated as needed."""
    clips = [motion for _, motion in motions() if isinstance(motion, Clip)]
    total = 0
    parts: list[Clip] = []
    while total < frames:
        parts.append(clips[len(parts) % len(clips)])
        total += len(parts[-1])
    whole = concatenate([clip.changed(name="", frame_time=clips[0].frame_time) for clip in parts])
    return whole.changed(root=whole.root[:frames], rotations=whole.rotations[:frames])
