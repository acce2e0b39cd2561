"""What messages call the kinds of motion."""

from __future__ import annotations

WORDS = {"Clip": "clip", "PointClip": "point clip", "Stroke": "stroke", "MeshSequence": "mesh sequence"}


def kind_word(thing: object) -> str:
    """What a motion, or a class of motions, is called: a point clip, not a PointClip."""
    kind = thing if isinstance(thing, type) else type(thing)
    return WORDS.get(kind.__name__, kind.__name__)
