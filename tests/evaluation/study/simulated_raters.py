"""Simulated raters, to test the statistics with known effects. They say nothing about people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation.study.schedule import SIMULATED, Rating, Stimulus, Trial, scale_of


def simulated_ratings(
    trials: Sequence[Trial],
    key: Mapping[str, Stimulus],
    means: Mapping[tuple[str, str], float],
    *,
    deviation: float,
    bias: float = 0.0,
    rng: np.random.Generator,
) -> list[Rating]:
    """A score for every trial: normal about the mean of its (experiment, condition), rounded, kept within the scale.

    `bias` is the standard deviation of what a rater adds to all of their scores. Raters are named simulated_01, ...
    """
    if deviation < 0.0 or bias < 0.0:
        raise UsageError("deviations of simulated raters must not be negative")
    names = {name: f"{SIMULATED}_{k:02d}" for k, name in enumerate(dict.fromkeys(t.participant for t in trials), 1)}
    shift = {name: bias * float(rng.normal()) for name in names}
    out = []
    for trial in trials:
        stimulus = key[trial.stimulus]
        center = means[stimulus.experiment, stimulus.condition] + shift[trial.participant]
        score = int(np.clip(np.rint(center + deviation * rng.normal()), *scale_of(stimulus.experiment)))
        out.append(Rating(names[trial.participant], *trial[1:], score))
    return out
