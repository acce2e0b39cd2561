"""The root follows the feet: what all standing feet slide together is the root's doing, and it takes that back."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from freshtake.motion.planting.goals import Slides
from freshtake.motion.planting.grip import ramped
from freshtake.motion.planting.settings import Pace
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import kernel


def root_drift(taken: Sequence[Slides], pace: Pace) -> Floats:
    """(frames, 2): the root's shift in the ground plane that takes back most of what the feet slide.

    The mean slide of the feet that stand, summed up with a memory of `pace.forget` frames and smoothed.
    """
    frames = len(taken[0].whole_grip)
    if pace.follow == 0:
        return np.zeros((frames, 2))
    held = np.maximum(np.sum([slide.whole_grip for slide in taken], axis=0), 1.0)
    sliding = np.sum([slide.whole for slide in taken], axis=0) / held[:, None]
    summed = np.empty((frames, 2))
    leaky_sum(np.zeros(2), sliding, pace.forget, summed)
    return ramped(summed, pace.follow)


@kernel
def leaky_sum(total: Floats, sliding: Floats, forget: float, out: Floats) -> None:
    """out (frames, 2) = minus the sum of `sliding` so far, which fades over `forget` frames; `total` is the state."""
    keep = math.exp(-1.0 / forget)
    for frame in range(len(sliding)):
        for axis in range(2):
            total[axis] = keep * total[axis] - sliding[frame, axis]
            out[frame, axis] = total[axis]
