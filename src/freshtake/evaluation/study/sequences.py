"""The long sequences of experiment B: at least 15 clips joined, by the same blend in both conditions (Lau 2009, §8)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.joining import BLEND, join

LONG = 15  # clips in a sequence, as in the paper


def cycle_animation(
    inputs: Sequence[Clip], clips: int, rng: np.random.Generator, *, blend: float = BLEND
) -> tuple[Clip, list[int]]:
    """Inputs joined in random order, each chosen anew; and which they are."""
    _check(inputs, clips)
    order = rng.integers(len(inputs), size=clips).tolist()
    return join([inputs[k] for k in order], blend=blend), order


def variant_sequence(
    variants: Sequence[Clip], clips: int, rng: np.random.Generator, *, blend: float = BLEND
) -> tuple[Clip, list[int]]:
    """Variants joined in random order; none comes again before all have come."""
    _check(variants, clips)
    order: list[int] = []
    while len(order) < clips:
        order += rng.permutation(len(variants)).tolist()
    return join([variants[k] for k in order[:clips]], blend=blend), order[:clips]


def _check(motions: Sequence[Clip], clips: int) -> None:
    if not motions:
        raise UsageError("a sequence needs clips: give at least one")
    if clips < 1:
        raise UsageError(f"a sequence has at least 1 clip, not {clips}")
