"""Heuristic generalization: where the input is unlike the examples, it is blended into the output (Hsu 2005, §4.5)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from freshtake.numeric.arrays import Floats


def unlikeness(value: npt.ArrayLike, mean: npt.ArrayLike, deviation: npt.ArrayLike) -> Floats:
    """z of eq. (7): the share of a Gaussian that lies nearer to its mean than the value.

    Departs from the paper: the limits of its integral are read as mean ± |value - mean|, which is what erf gives.
    """
    from scipy.special import erf

    away = np.abs(np.asarray(value, dtype=np.float64) - np.asarray(mean, dtype=np.float64))
    return np.asarray(erf(away / (np.asarray(deviation, dtype=np.float64) * np.sqrt(2.0))))


def blend_weights(
    rows: Floats, mean: Floats, deviation: Floats, confidence: float = 2.0, preference: float = 30.0
) -> Floats:
    """b* of eq. (8) for every row (frames,): the largest over DOFs of z(value, mean, k_c deviation) ^ k_p.

    Departs from the paper: with k_c = k_p = 1 the maximum over a hundred DOFs is near 1 for any input, so the
    defaults are 2 and 30.
    """
    return np.asarray((unlikeness(rows, mean, confidence * deviation) ** preference).max(axis=-1))


def blend_curve(confidence: float, preference: float, reach: float = 4.0, points: int = 201) -> tuple[Floats, Floats]:
    """Figure 4: deviations from the mean, and the weight there."""
    x = np.linspace(-reach, reach, points)
    return x, unlikeness(x, 0.0, confidence) ** preference
