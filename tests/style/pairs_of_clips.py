"""Pairs of synthetic walks, a normal one and one with a limp, that tests learn from."""

from __future__ import annotations

from functools import cache

import numpy as np

from freshtake import samples
from freshtake.motion import Clip
from freshtake.style.learning import learn
from freshtake.style.model import StyleModel


@cache
def walk(seed: int, style: str = "normal", turn_rate: float = 0.0, cycles: int = 3) -> Clip:
    clip = samples.walk(np.random.default_rng(seed), cycles=cycles, style=style, turn_rate=turn_rate)
    return clip.changed(name=f"{style}_{seed}")


@cache
def walk_pairs(style: str = "limp", count: int = 4) -> tuple[tuple[Clip, Clip], ...]:
    return tuple((walk(k), walk(100 + k, style)) for k in range(count))


@cache
def model(style: str = "limp") -> StyleModel:
    return learn(walk_pairs(style))
