"""Shared by the tests of features."""

from __future__ import annotations

import numpy as np

from freshtake.motion import Clip, features
from freshtake.motion.features import Recipe
from freshtake.numeric.arrays import Floats

ANGLES = ("euler", "expmap", "positions")
ROOTS = ("absolute", "heading")
SCALES = ("none", "std", "fk")
OPTIONS = [(angles, root) for angles in ANGLES for root in ROOTS]


def apart(a: Clip, b: Clip) -> float:
    """The largest distance of joints and tips in the world."""
    joints = np.abs(a.positions() - b.positions()).max()
    return float(max(joints, np.abs(a.end_positions() - b.end_positions()).max(initial=0.0)))


def again(recipe: Recipe, clip: Clip, **options: bool) -> Clip:
    decoded = features.decode(recipe, features.encode(recipe, clip, **options))
    assert isinstance(decoded, Clip)
    return decoded


def clip_from(values: Floats, recipe: Recipe, **options: object) -> Clip:
    decoded = features.decode(recipe, values, **options)  # type: ignore[arg-type]
    assert isinstance(decoded, Clip)
    return decoded
