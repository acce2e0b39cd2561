"""Smoothed noise: white noise under a Gaussian, of variance 1 at every frame."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats

REACH = 4.0  # standard deviations after which the Gaussian is cut off


def smoothed_noise(rng: np.random.Generator, frames: int, columns: int, width: float) -> Floats:
    """(frames, columns) of standard normal values that are correlated over about `width` frames."""
    weights = _gaussian(width)
    white = rng.normal(size=(frames + len(weights) - 1, columns))
    out: Floats = np.stack([np.convolve(column, weights, mode="valid") for column in white.T], axis=1)
    return out


def _gaussian(width: float) -> Floats:
    """Weights whose squares sum to 1, so that the variance stays 1."""
    reach = int(np.ceil(REACH * width))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    return np.asarray(weights / np.sqrt((weights**2).sum()))
