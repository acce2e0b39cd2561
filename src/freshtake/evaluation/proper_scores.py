"""How well a set of clips stands for further real takes: scores that only the true distribution can win.

Gneiting and Raftery 2007 (energy score), Scheuerer and Hamill 2015 (variogram score). Lower is better.
"""

from __future__ import annotations

from copy import deepcopy

import numpy as np

from freshtake.numeric.arrays import Floats, Ints

PAIRS = 4000
STILL = 1e-6


def energy_score(drawn: Floats, real: Floats) -> float:
    """Mean distance of real clips to drawn ones, less half the mean distance of two different drawn ones (rows).

    With different ones only it is fair: its expectation does not depend on how many were drawn.
    """
    across = np.linalg.norm(real[:, None] - drawn, axis=-1).mean()
    first, second = np.triu_indices(len(drawn), 1)
    within = np.array([np.linalg.norm(drawn[a] - drawn[b]) for a, b in zip(first, second, strict=True)])
    return float(across - 0.5 * within.mean())


def variogram_score(drawn: Floats, real: Floats, pairs: Ints) -> float:
    """Of order 1/2, over pairs of columns (2, pairs): whether what varies together in real rows does so in drawn."""
    expected = _variogram(drawn, pairs).mean(axis=0)
    return float(((_variogram(real, pairs) - expected) ** 2).mean())


def column_pairs(rows: Floats, rng: np.random.Generator) -> Ints:
    """Pairs of columns that move, drawn from a copy of the generator: sets to compare get the same pairs."""
    moving, drawing = np.flatnonzero(rows.std(axis=0) > STILL), deepcopy(rng)
    return np.stack([drawing.choice(moving, PAIRS), drawing.choice(moving, PAIRS)])


def _variogram(rows: Floats, pairs: Ints) -> Floats:
    return np.asarray(np.sqrt(np.abs(rows[:, pairs[0]] - rows[:, pairs[1]])))
