"""Groups of clips that are known while others are left out, and the likelihood scorers that they give (Lau 2009,
§9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from freshtake.methods.progress import silent
from freshtake.motion import Stroke
from freshtake.numeric.arrays import Floats
from freshtake.variation.model import VariationModel
from freshtake.variation.network.likelihood import LikelihoodScorer
from freshtake.variation.synthesis.common_phase import ALIGNMENT, read_at, warp_onto

MOST_SPLITS = 15
MOST_KNOWN = 12  # clips that a likelihood is given by
BLIND = 100.0  # times the variance: propagation whose squared errors are larger knows nothing of where it is


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


class ScorerFactory(NamedTuple):
    """Makes scorers from groups of clips: with the structure of the model, or (`relearn`) with one of their own."""

    model: VariationModel
    relearn: bool
    propagated: bool = True

    def scorer(self, rows: Sequence[Floats], rng: np.random.Generator) -> LikelihoodScorer:
        """What scores clips when these are known; of many, some at random."""
        some: Sequence[int] = range(len(rows))
        if len(rows) > MOST_KNOWN:
            some = sorted(rng.choice(len(rows), MOST_KNOWN, replace=False).tolist())
        values = tuple(rows[k] for k in some)
        model = replace(self.model, material=replace(self.model.material, values=values))
        return LikelihoodScorer(relearned(model, rng) if self.relearn else model, propagated=self.propagated)


def is_blind(scorers: Sequence[LikelihoodScorer]) -> bool:
    """Whether propagation drifts even on trusted clips, as on paths that cross themselves."""
    return float(np.median([np.median(scorer.factors[1]) for scorer in scorers])) > BLIND


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


def relearned(model: VariationModel, rng: np.random.Generator) -> VariationModel:
    """Both networks learned anew on the model's own examples, DOFs and weights as they are."""
    from freshtake.variation.learning import learn_kernel_networks

    transition, parts = learn_kernel_networks(model.material, model.settings, rng, silent, map)
    return replace(model, transition=transition, kernel=parts)
