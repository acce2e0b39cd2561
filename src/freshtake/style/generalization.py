"""How unlike the examples a value is, and what that does to the input's weight (Hsu 2005, §4.5, figure 4)."""

from __future__ import annotations

import math

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled


@compiled
def unlikeness(deviations: float) -> float:
    """z of a value so many deviations from the mean: the share of a Gaussian that lies nearer (Hsu 2005, eq. 7).

    Departs from the paper: the limits of its integral are read as mean ± |value - mean|, which is what erf gives.
    """
    return math.erf(deviations / math.sqrt(2.0))


def blend_curve(confidence: float, preference: float, reach: float = 4.0, points: int = 201) -> tuple[Floats, Floats]:
    """Figure 4: deviations from the mean, and the weight there."""
    x = np.linspace(-reach, reach, points)
    return x, np.array([unlikeness(abs(d) / confidence) ** preference for d in x])
