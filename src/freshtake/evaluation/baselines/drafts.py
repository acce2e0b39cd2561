"""A draft of every noise baseline: rows, and noise of amount 1 that is still to be added to them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.evaluation.baselines.basis import Basis
from freshtake.evaluation.baselines.combining import combined
from freshtake.evaluation.baselines.components import component_noise
from freshtake.evaluation.baselines.perlin import perlin_noise
from freshtake.evaluation.baselines.settings import NoiseSettings
from freshtake.evaluation.baselines.smoothed import smoothed_noise
from freshtake.numeric.arrays import Floats
from freshtake.variation.alignment import read_at


class Draft(NamedTuple):
    """Rows (frames, DOFs), noise of the same shape, and the input that the rows are (None: a combination of all)."""

    rows: Floats
    noise: Floats
    source: int | None

    def with_amount(self, amount: float) -> Floats:
        """The rows with so much of the noise."""
        return self.rows + amount * self.noise


def strawman(basis: Basis, rng: np.random.Generator, settings: NoiseSettings) -> Draft:
    """Smoothed noise on one input, per DOF as strong at every phase as the time-warped inputs differ (Lau 2009, §8)."""
    source, strength = _one_input(basis, rng)
    noise = smoothed_noise(rng, len(strength), len(basis.chosen), settings.smooth / basis.frame_time)
    return _draft(basis, source, noise * strength[:, basis.chosen])


def perlin(basis: Basis, rng: np.random.Generator, settings: NoiseSettings) -> Draft:
    """Perlin noise on one input, per DOF as strong as the inputs differ over all phases (Lau 2009, §8)."""
    source, strength = _one_input(basis, rng)
    spacing = 1.0 / (settings.frequency * basis.frame_time)
    noise = perlin_noise(
        rng, len(strength), len(basis.chosen), spacing, settings.octaves, settings.persistence
    )  # fmt: skip
    return _draft(basis, source, noise * np.sqrt((basis.spread[:, basis.chosen] ** 2).mean(axis=0)))


def pca(basis: Basis, rng: np.random.Generator, settings: NoiseSettings) -> Draft:
    """Smoothed noise on the principal components of the time-warped inputs' poses (Lau 2009, §10)."""
    source, _ = _one_input(basis, rng)
    phases = basis.phases(source)
    return _draft(basis, source, component_noise(basis, rng, phases, settings))


def convex(basis: Basis, rng: np.random.Generator, settings: NoiseSettings) -> Draft:
    """A convex combination of all inputs, weights even over the simplex; noise may be added (Lau 2009, §10)."""
    basis.require_two()
    weights = rng.dirichlet(np.ones(len(basis.rows)))
    rows, phases = combined(basis, weights)
    strength = read_at(basis.spread, phases)[:, basis.chosen]
    noise = np.zeros_like(rows)
    drawn = smoothed_noise(rng, len(rows), len(basis.chosen), settings.smooth / basis.frame_time)
    noise[:, basis.chosen] = drawn * strength
    return Draft(rows, noise, None)


def _one_input(basis: Basis, rng: np.random.Generator) -> tuple[int, Floats]:
    """An input, and how far the inputs differ at the phases of its frames."""
    basis.require_two()
    source = int(rng.integers(len(basis.rows)))
    return source, read_at(basis.spread, basis.phases(source))


def _draft(basis: Basis, source: int, chosen: Floats) -> Draft:
    rows = basis.rows[source]
    noise = np.zeros_like(rows)
    noise[:, basis.chosen] = chosen
    return Draft(rows, noise, source)
