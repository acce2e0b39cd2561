"""Baselines for compression: takes dropped without rebuilding, and plain principal components of all poses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from take_compression.compressing import error_of

from freshtake.numeric import pca
from freshtake.variation.examples import material_of
from freshtake.variation.phase import ALIGNMENT, read_at, warp_onto


class PlainPca(NamedTuple):
    """Modes that a bound needs, the worst error of a take, and the count of stored numbers: modes, mean and weights."""

    modes: int
    worst: float
    numbers: int


def nearest_error(takes: Sequence[Any], kept: Sequence[int], dropped: int) -> float:
    """Return the cost of dropping a take without rebuilding: the error of the nearest kept take, time-warped to it."""
    material = material_of(takes, None, None)
    rows, weights = material.values[dropped], material.weights
    smooth = ALIGNMENT / material.frame_time
    error = error_of(material, takes[dropped])
    candidates = [material.values[k] for k in kept]
    return min(error(read_at(x, warp_onto(rows * weights, x * weights, smooth))) for x in candidates)


def pca_within(takes: Sequence[Any], bound: float) -> PlainPca:
    """Find the fewest principal components of all poses that keep every take within the bound."""
    material = material_of(takes, None, None)
    scaled = [x * material.weights for x in material.values]
    whole = pca.fit(np.concatenate(scaled))
    errors = [error_of(material, take) for take in takes]
    frames, dofs = sum(len(x) for x in scaled), len(material.names)

    def worst(count: int) -> float:
        some = whole._replace(modes=whole.modes[:count])
        back = [((x - some.mean) @ some.modes.T @ some.modes + some.mean) / material.weights for x in scaled]
        return max(error(rows) for error, rows in zip(errors, back, strict=True))

    low, high = 0, whole.components
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if worst(middle) <= bound else (middle + 1, high)
    return PlainPca(low, worst(low), (low + 1) * dofs + frames * low)
