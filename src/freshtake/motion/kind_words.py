"""What messages call the kinds of motion."""

from __future__ import annotations

WORDS = {"Clip": "clip", "PointClip": "point clip", "Stroke": "stroke", "MeshSequence": "mesh sequence"}


def kind_word(motion: object) -> str:
    """What a motion, or a class of motions, is called: a point clip, not a PointClip."""
    kind = motion if isinstance(motion, type) else type(motion)
    return WORDS.get(kind.__name__, kind.__name__)
