"""The root carried along: a small smooth shift where legs alone cannot reach the places of planted feet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.motion.planting.grip import ramp_weights
from freshtake.numeric.arrays import Floats

ROUNDS = 8


class Hip(NamedTuple):
    """One limb: where its base is (frames, 3), its end and the goal of that, its length, how firmly it is held."""

    base: Floats
    end: Floats
    goal: Floats
    length: Floats
    grip: Floats


def needed_shift(hips: Sequence[Hip], reach: float, already: Floats | None = None) -> Floats:
    """(frames, 3): the least shift beyond `already` by which every held limb can reach its goal without stretching.

    Each limb allows its base a ball round the goal; the shift is projected on one ball after the other.
    """
    already = np.zeros_like(hips[0].base) if already is None else already
    shift = already.copy()
    for _ in range(ROUNDS):
        for hip in hips:
            line = hip.goal - hip.base - shift
            distance = np.linalg.norm(line, axis=1)
            usual = np.linalg.norm(hip.end - hip.base, axis=1)
            excess = np.maximum(distance - np.maximum(reach * hip.length, np.minimum(usual, hip.length)), 0.0)
            shift += line * (hip.grip * excess / np.maximum(distance, 1e-12))[:, None]
    return np.asarray(shift - already)


def shift_of(needs: Floats, begin: int, until: int, half: int) -> Floats:
    """The root's shift in frames begin ... until - 1: needs (frames, 3) smoothed over 2 half + 1 frames.

    Beyond the ends of `needs` nothing changes.
    """
    frames = np.arange(begin, until)
    out = np.zeros((until - begin, 3))
    for k, weight in enumerate(ramp_weights(half)):
        out += weight * needs[np.clip(frames + k - half, 0, len(needs) - 1)]
    return out
