"""The representation of style translation: rotation vectors about each joint's mean, the root differential (§4.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.motion.clip import Clip
from freshtake.motion.features import Recipe, recipe
from freshtake.motion.features.clip import ClipLayout


def style_recipe(clips: Sequence[Clip]) -> Recipe:
    """Of all clips of both styles; joints that never move have no DOFs, the root always has all of its own."""
    found = recipe(clips, angles="expmap", root="heading", scale="none")
    assert isinstance(found.layout, ClipLayout)
    kept = np.union1d(np.arange(found.layout.root_width), found.kept)
    return Recipe(found.layout, "none", kept, found.fixed, np.ones(len(kept)), np.zeros(len(kept)))
