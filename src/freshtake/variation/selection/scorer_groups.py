"""Groups of clips that are known while others are left out, and their models (Lau 2009, §9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from freshtake.motion import Stroke
from freshtake.numeric.arrays import Floats
from freshtake.variation.model import VariationModel, model_of
from freshtake.variation.phase import ALIGNMENT, read_at, warp_onto

MOST_SPLITS = 15
MOST_KNOWN = 12  # clips that a likelihood is given by


class Split(NamedTuple):
    """Which clips are known and which are left out."""

    known: tuple[int, ...]
    left: tuple[int, ...]


def split(count: int, rng: np.random.Generator, most: int = MOST_SPLITS) -> Iterator[Split]:
    """Different ways to leave a quarter out (of eight: two), every clip about equally often; at most fifteen."""
    out = max(1, round(count / 4))
    if comb(count, out) <= most:
        groups = list(combinations(range(count), out))
    else:
        groups = []
        while len(groups) < most:
            order = rng.permutation(count)
            rounds = [tuple(sorted(order[k : k + out].tolist())) for k in range(0, count - out + 1, out)]
            groups += [group for group in rounds if group not in groups][: most - len(groups)]
    for left in groups:
        yield Split(tuple(k for k in range(count) if k not in left), left)


def group_model(model: VariationModel, rows: Sequence[Floats], rng: np.random.Generator) -> VariationModel:
    """Return the model of a group of clips, given as rows; of many, of some at random."""
    some: Sequence[int] = range(len(rows))
    if len(rows) > MOST_KNOWN:
        some = sorted(rng.choice(len(rows), MOST_KNOWN, replace=False).tolist())
    material = replace(model.material, values=tuple(rows[k] for k in some), starts=())
    return model_of(material, model.settings, model.cyclic)


def on_common_clock(model: VariationModel, rows: Floats) -> Floats:
    """Rows of a stroke at the common phase of the model's examples: how fast a pen goes is no part of its shape.

    Clips keep their own clock.
    """
    recipe = model.material.recipe
    if recipe is None or recipe.motion_type is not Stroke:
        return rows
    weights = model.material.weights
    mean = np.mean(
        [read_at(x * weights, model.phase_frames[:, k]) for k, x in enumerate(model.material.values)], axis=0
    )
    return read_at(rows, warp_onto(mean, rows * weights, ALIGNMENT / model.frame_time))
