"""Band-limited noise in one dimension by gradients on a lattice (Perlin 1985, 1995), of variance 1 on average."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from freshtake.numeric.arrays import Floats


def gradient_noise(gradients: Floats, places: Floats) -> Floats:
    """Noise at places (frames, columns) from gradients (lattice points, columns): 0 at lattice points, smooth between.

    Between points i and i + 1, at t from 0 to 1: (1 - s(t)) g_i t + s(t) g_{i+1} (t - 1) with s(t) = 6t^5 - 15t^4 +
    10t^3, whose first two derivatives vanish at both ends.
    """
    low = np.clip(places.astype(np.intp), 0, len(gradients) - 2)
    t = places - low
    s = fade(t)
    left, right = (np.take_along_axis(gradients, k, axis=0) for k in (low, low + 1))
    out: Floats = (1.0 - s) * left * t + s * right * (t - 1.0)
    return out


def fade(t: Floats) -> Floats:
    """From 0 to 1 without speed or acceleration at the ends."""
    out: Floats = t**3 * (t * (6.0 * t - 15.0) + 10.0)
    return out


def perlin_noise(
    rng: np.random.Generator, frames: int, columns: int, spacing: float, octaves: int, persistence: float
) -> Floats:
    """(frames, columns): octaves of gradient noise, the first with a lattice point every `spacing` frames.

    Every column begins at a random place of its lattice, so that columns are not all 0 at the same frames.
    """
    total = np.zeros((frames, columns))
    for octave in range(octaves):
        step = spacing / 2.0**octave
        count = int(np.ceil((frames - 1) / step)) + 3
        gradients = rng.uniform(-1.0, 1.0, size=(count, columns))
        places = np.arange(frames)[:, None] / step + rng.uniform(size=columns)
        total += persistence**octave * gradient_noise(gradients, places)
    power = sum(persistence ** (2 * octave) for octave in range(octaves))
    return np.asarray(total / np.sqrt(mean_square() * power))


@lru_cache(maxsize=1)
def mean_square() -> float:
    """The variance of one octave, averaged over a lattice cell: gradients have the variance 1/3."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    t = 0.5 * (nodes + 1.0)
    s = fade(t)
    return float((0.5 * weights * (((1.0 - s) * t) ** 2 + (s * (t - 1.0)) ** 2) / 3.0).sum())
