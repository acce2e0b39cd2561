"""How firmly each point of a foot is held: contact flags of any kind as smooth strengths from 0 to 1."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats

SURE, DOUBTFUL = 0.75, 0.25  # soft flags above and below count as 1 and 0
ROLLED = (0.012, 0.04)  # leg lengths: heel or toe this much higher than the other one is leaving the floor


def smoothstep(x: Floats) -> Floats:
    """From 0 to 1 with level ends, for x from 0 to 1."""
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))


def ramp_weights(half: int) -> Floats:
    """A raised cosine of 2 half + 1 frames that sums to 1."""
    places = np.arange(-half, half + 1)
    weights = 1.0 + np.cos(np.pi * places / (half + 1))
    return np.asarray(weights / weights.sum())


def ramped(flags: Floats, half: int) -> Floats:
    """Flags (frames, columns) with soft edges; before the first and after the last frame nothing changes."""
    around = np.concatenate([np.repeat(flags[:1], half, axis=0), flags, np.repeat(flags[-1:], half, axis=0)])
    out = np.zeros(flags.shape)
    for k, weight in enumerate(ramp_weights(half)):
        out += weight * around[k : k + len(flags)]
    return out


def point_flags(flags: Floats, heights: Floats, leg: float) -> Floats:
    """Flags (frames, 1) of a foot or (frames, points) of its points to (frames, points): only what is down is held.

    `heights` (frames, points) are those of heel and toe over the floor; what counts is how much higher one is than the
    other, so that a floor which is not level does no harm. A toe that has a flag of its own is held by that alone; an
    ankle's flag is not enough for the heel, since ankles hardly move when the heel leaves the floor.
    """
    sure = smoothstep((flags - DOUBTFUL) / (SURE - DOUBTFUL))
    over = (heights - heights.min(axis=1, keepdims=True)) / leg
    near, far = ROLLED
    down = 1.0 - smoothstep((over - near) / (far - near))
    if flags.shape[1] == 2:
        down[:, 1] = 1.0
    return np.asarray(sure * down)
