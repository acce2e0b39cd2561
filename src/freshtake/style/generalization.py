"""When the input is kept because the examples hold nothing like it (Hsu 2005, eq. 7-8), and how far that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from freshtake.motion.features import Recipe
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled
from freshtake.style.columns import column_of, normal_of, parts_of, reach_of


@compiled
def unlikeness(deviations: float) -> float:
    """Return z of a value so far from the mean, the share of a Gaussian that lies nearer (Hsu 2005, eq. 7).

    Departs from the paper: the limits of its integral are read as mean ± |value - mean|, which is what erf gives.
    """
    return math.erf(deviations / math.sqrt(2.0))


def blend_curve(confidence: float, preference: float, reach: float = 4.0, points: int = 201) -> tuple[Floats, Floats]:
    """Return the curve of figure 4: deviations from the mean, and the weight there."""
    x = np.linspace(-reach, reach, points)
    return x, np.array([unlikeness(abs(d) / confidence) ** preference for d in x])


ORDINARY = 0.01  # eq. 8's weight of the most unlike moment of a take that was left out
LEAST = 1.0  # k_c is at least this


def confidences(
    recipe: Recipe, takes: Sequence[Floats], effects: Floats, *, floor: float, least: float, preference: float
) -> Floats:
    """Measure k_c of eq. 8 per DOF: each take of the source (frames, DOFs) in turn is judged by all others.

    The moment of a part of the body that is most unlike them gets the weight `ORDINARY`, and so does the speed by
    itself. A single take is judged by halves.
    """
    if len(takes) == 1:
        takes = np.array_split(takes[0], 2)
    part = parts_of(recipe)[1].copy()
    part[column_of(recipe, "forward") or 0] = part.max() + 1
    most = np.zeros(part.max() + 1)
    for k, take in enumerate(takes):
        rest = normal_of([other for j, other in enumerate(takes) if j != k], recipe.units, floor)
        away = np.abs(rest.down(take)) * reach_of(recipe, effects, rest, least)
        np.maximum.at(most, part, away.max(axis=0))
    # The inverse of eq. 7-8: how many deviations away the weight is `ORDINARY`.
    edge = NormalDist().inv_cdf(0.5 + 0.5 * ORDINARY ** (1.0 / preference))
    return np.asarray(np.maximum(most / edge, LEAST)[part])


def distinct(sources: Sequence[Floats], names: Sequence[str]) -> list[Floats]:
    """Return the rows of every source clip once, even if in several pairs: the longest piece that was aligned."""
    longest: dict[str, Floats] = {}
    for rows, name in zip(sources, names, strict=True):
        if name not in longest or len(rows) > len(longest[name]):
            longest[name] = rows
    return list(longest.values())
