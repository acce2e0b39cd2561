"""Noise in principal components: poses of the time-warped inputs reduced, noise on what is left (Lau 2009, §10)."""

from __future__ import annotations

import numpy as np

from freshtake.evaluation.baselines.basis import Basis
from freshtake.evaluation.baselines.settings import NoiseSettings
from freshtake.evaluation.baselines.smoothed import smoothed_noise
from freshtake.numeric.arrays import Floats
from freshtake.variation.alignment import read_at


def component_noise(basis: Basis, rng: np.random.Generator, phases: Floats, settings: NoiseSettings) -> Floats:
    """(phases, chosen DOFs): noise of which each component is as strong as the inputs differ in it at that phase.

    Departs from the paper: the input keeps the detail that the reduction would take from it; only noise is reduced.
    """
    directions = components(basis, settings.energy)
    scores = (basis.warped[:, :, basis.chosen] * basis.weights[basis.chosen]) @ directions.T
    strength = read_at(scores.std(axis=0, ddof=1), phases)
    noise = smoothed_noise(rng, len(phases), len(directions), settings.smooth / basis.frame_time)
    out: Floats = (noise * strength) @ directions / basis.weights[basis.chosen]
    return out


def components(basis: Basis, energy: float) -> Floats:
    """(components, chosen DOFs), orthonormal: as many as hold that share of the weighed poses' variance."""
    poses = (basis.warped[:, :, basis.chosen] * basis.weights[basis.chosen]).reshape(-1, len(basis.chosen))
    centered = poses - poses.mean(axis=0)
    powers, directions = np.linalg.eigh(centered.T @ centered)
    powers, directions = np.maximum(powers[::-1], 0.0), directions.T[::-1]
    held = np.cumsum(powers) / max(float(powers.sum()), 1e-300)
    count = int(np.searchsorted(held, energy - 1e-12)) + 1
    return np.asarray(directions[:count])
