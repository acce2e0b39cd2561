"""Convex combinations of takes at equal phases, with a timing that is combined too (interpolation)."""

from __future__ import annotations

import numpy as np

from freshtake.evaluation.baselines.basis import Basis
from freshtake.numeric.arrays import Floats
from freshtake.variation.alignment import read_at


def combined(basis: Basis, weights: Floats) -> tuple[Floats, Floats]:
    """Rows of the combination and the phase of each: frame by frame of the combined timing.

    The time at which a phase is reached is the combination of the times at which the inputs reach it. What is
    travelled from phase to phase is combined too, so speeds are weighed by how long each input takes there.
    """
    times = basis.places @ weights  # frames, at every phase
    frames = round(float(times[-1])) + 1
    clock = np.linspace(0.0, times[-1], frames)
    phases = np.interp(clock, times, np.arange(len(times), dtype=np.float64))
    pace = np.gradient(basis.places, axis=0)  # frames of each input per phase
    values, travel, passed = 0.0, 0.0, 0.0
    for k, weight in enumerate(weights):
        rows = read_at(basis.warped[k], phases)
        lasts = np.interp(phases, np.arange(len(times)), pace[:, k])[:, None]
        values = values + weight * rows
        travel = travel + weight * lasts * rows
        passed = passed + weight * lasts
    return np.where(basis.rates, travel / passed, values), phases
