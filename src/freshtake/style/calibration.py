"""How unlike ordinary takes of the source style are: what eq. 8 may not count as unexpected (Hsu 2005, §4.5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.motion.features import Recipe
from freshtake.numeric.arrays import Floats
from freshtake.style.columns import column_of, normal_of, reach_of
from freshtake.style.parts import parts_of

ORDINARY = 0.01  # eq. 8's weight of the most unlike moment of a take that was left out
LEAST = 1.0  # k_c is at least this


def confidences(
    recipe: Recipe, takes: Sequence[Floats], effects: Floats, *, floor: float, least: float, preference: float
) -> Floats:
    """k_c of eq. 8 per DOF: each take of the source (frames, DOFs) in turn is judged by all others.

    The moment of a part of the body that is most unlike them gets the weight `ORDINARY`, and so does the speed by
    itself. A single take is judged by halves.
    """
    from scipy.special import erfinv

    if len(takes) == 1:
        takes = np.array_split(takes[0], 2)
    part = parts_of(recipe)[1].copy()
    part[column_of(recipe, "forward") or 0] = part.max() + 1
    most = np.zeros(part.max() + 1)
    for k, take in enumerate(takes):
        rest = normal_of([other for j, other in enumerate(takes) if j != k], recipe.units, floor)
        away = np.abs(rest.down(take)) * reach_of(recipe, effects, rest, least)
        np.maximum.at(most, part, away.max(axis=0))
    edge = float(np.sqrt(2.0) * erfinv(ORDINARY ** (1.0 / preference)))
    return np.asarray(np.maximum(most / edge, LEAST)[part])


def distinct(sources: Sequence[Floats], names: Sequence[str]) -> list[Floats]:
    """The rows of every source clip once, though it may be in several pairs: the longest piece that was aligned."""
    longest: dict[str, Floats] = {}
    for rows, name in zip(sources, names, strict=True):
        if name not in longest or len(rows) > len(longest[name]):
            longest[name] = rows
    return list(longest.values())
