"""Refuse what no body does: the mark of a model file that was damaged or made up."""

from __future__ import annotations

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.clip import Clip

FASTEST = 100.0  # times the length of all its bones that a body moves from frame to frame; a fall makes about 0.01
FARTHEST = 1e6  # times that length from the origin: some thousand kilometres


def possible(clip: Clip) -> Clip:
    """Return a clip that a model made, or refuse it where the body is flung about."""
    size = float(np.linalg.norm(clip.skeleton.offsets, axis=1).sum())
    if size == 0.0 or len(clip) == 0:
        return clip
    step = float(np.abs(np.diff(clip.root, axis=0)).max(initial=0.0))
    if step > FASTEST * size or float(np.abs(clip.root).max()) > FARTHEST * size:
        raise UsageError("this model flings the body about as no body moves: it is damaged, so learn it again")
    return clip
