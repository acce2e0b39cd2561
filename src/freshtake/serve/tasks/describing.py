"""Facts of motions for lists, and motions as items mean them: named, and trimmed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from freshtake.errors import UsageError
from freshtake.formats.read_options import Motion
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.edit import take_frames
from freshtake.motion.validation import fps_of

WORDS = {Clip: "clip", Stroke: "stroke", PointClip: "point clip", MeshSequence: "mesh sequence"}


def facts_of(motion: Motion) -> dict[str, Any]:
    """What a list says of a motion, without much work."""
    facts: dict[str, Any] = {
        "what": WORDS[type(motion)],
        "frames": len(motion),
        "fps": round(fps_of(motion.frame_time), 3),
        "seconds": round(motion.duration, 3),
    }
    if isinstance(motion, Clip):
        facts["joints"] = len(motion.skeleton)
    elif isinstance(motion, PointClip):
        facts["points"] = len(motion.names)
    elif isinstance(motion, MeshSequence):
        facts["vertices"] = int(motion.vertices.shape[1])
    return facts


def named(motion: Motion, name: str) -> Motion:
    """The motion under a name."""
    return motion.changed(name=name) if isinstance(motion, Clip) else replace(motion, name=name)


def trimmed(motion: Motion, trim: tuple[int, int]) -> Motion:
    """From the first to the last frame that count, both included."""
    first, last = trim[0], min(trim[1], len(motion) - 1)
    if isinstance(motion, Clip):
        return take_frames(motion, first, last + 1)
    part = slice(first, last + 1)
    if isinstance(motion, Stroke):
        return replace(motion, points=motion.points[part], times=motion.times[part])
    if isinstance(motion, PointClip):
        return replace(motion, positions=motion.positions[part])
    raise UsageError(f"{motion.name or 'a mesh'} is a mesh sequence: only clips, strokes and markers are trimmed")
