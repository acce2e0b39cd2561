"""Draft each noise baseline: rows, and noise of amount 1 to be added to them."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from freshtake.evaluation.baselines.basis import Basis
from freshtake.numeric.arrays import Floats
from freshtake.variation.phase import read_at


def gradient_noise(gradients: Floats, places: Floats) -> Floats:
    """Return noise at positions (frames, columns), given gradients (lattice points, columns); 0 at lattice points.

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
    """Rise from 0 to 1 with zero speed and acceleration at the ends."""
    out: Floats = t**3 * (t * (6.0 * t - 15.0) + 10.0)
    return out


def perlin_noise(
    rng: np.random.Generator, frames: int, columns: int, spacing: float, octaves: int, persistence: float
) -> Floats:
    """Return (frames, columns): octaves of gradient noise, the first with a lattice point every `spacing` frames.

    Each column begins at a random position in its lattice, so the columns are not all 0 in the same frames.
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
    """Return the variance of one octave, averaged over a lattice cell: gradients have the variance 1/3."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    t = 0.5 * (nodes + 1.0)
    s = fade(t)
    return float((0.5 * weights * (((1.0 - s) * t) ** 2 + (s * (t - 1.0)) ** 2) / 3.0).sum())


def combined(basis: Basis, weights: Floats) -> tuple[Floats, Floats]:
    """Return the combination's rows and their phases, one per frame of the combined timing.

    The time at which a phase is reached is the combination of the times at which the inputs reach it. The distance
    travelled from phase to phase is combined too, so speeds are weighted by the time each input takes there.
    """
    times = basis.phase_frames @ weights  # frames, at every phase
    frames = round(float(times[-1])) + 1
    clock = np.linspace(0.0, times[-1], frames)
    phases = np.interp(clock, times, np.arange(len(times), dtype=np.float64))
    pace = np.gradient(basis.phase_frames, axis=0)  # frames of each input per phase
    values, travel, passed = 0.0, 0.0, 0.0
    for k, weight in enumerate(weights):
        rows = read_at(basis.warped[k], phases)
        lasts = np.interp(phases, np.arange(len(times)), pace[:, k])[:, None]
        values = values + weight * rows
        travel = travel + weight * lasts * rows
        passed = passed + weight * lasts
    return np.where(basis.rates, travel / passed, values), phases


def smoothed_noise(rng: np.random.Generator, frames: int, columns: int, width: float) -> Floats:
    """Return (frames, columns) of standard normal values that are correlated over about `width` frames."""
    weights = _gaussian(width)
    white = rng.normal(size=(frames + len(weights) - 1, columns))
    out: Floats = np.stack([np.convolve(column, weights, mode="valid") for column in white.T], axis=1)
    return out


def _gaussian(width: float) -> Floats:
    """Return weights whose squares sum to 1, which keeps the variance at 1."""
    # Beyond four standard deviations a Gaussian adds next to nothing.
    reach = int(np.ceil(4.0 * width))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    return np.asarray(weights / np.sqrt((weights**2).sum()))


def component_noise(basis: Basis, rng: np.random.Generator, phases: Floats) -> Floats:
    """Return noise (phases, chosen DOFs), each component as strong as the inputs' differences in it at that phase.

    Departs from the paper: only the noise is reduced; the input keeps the detail that the reduction would remove.
    """
    directions = components(basis, 0.99)
    scores = (basis.warped[:, :, basis.chosen] * basis.weights[basis.chosen]) @ directions.T
    strength = read_at(scores.std(axis=0, ddof=1), phases)
    noise = _smoothed(basis, rng, len(phases), len(directions))
    out: Floats = (noise * strength) @ directions / basis.weights[basis.chosen]
    return out


def components(basis: Basis, energy: float) -> Floats:
    """Return orthonormal (components, chosen DOFs): as many as explain this share of the weighted poses' variance."""
    poses = (basis.warped[:, :, basis.chosen] * basis.weights[basis.chosen]).reshape(-1, len(basis.chosen))
    centered = poses - poses.mean(axis=0)
    powers, directions = np.linalg.eigh(centered.T @ centered)
    powers, directions = np.maximum(powers[::-1], 0.0), directions.T[::-1]
    cumulative = np.cumsum(powers) / max(float(powers.sum()), 1e-300)
    count = int(np.searchsorted(cumulative, energy - 1e-12)) + 1
    return np.asarray(directions[:count])


class Draft(NamedTuple):
    """Rows (frames, DOFs), noise of the same shape, and the input they come from (None: a combination of all)."""

    rows: Floats
    noise: Floats
    source: int | None

    def with_amount(self, amount: float) -> Floats:
        """Return the rows with this amount of noise."""
        return self.rows + amount * self.noise


def strawman(basis: Basis, rng: np.random.Generator) -> Draft:
    """Draw smoothed noise on one input, as strong at each phase as the aligned inputs' differences (Lau 2009, §8)."""
    source, strength = _one_input(basis, rng)
    return _draft(basis, source, _smoothed(basis, rng, len(strength), len(basis.chosen)) * strength[:, basis.chosen])


def perlin(basis: Basis, rng: np.random.Generator) -> Draft:
    """Draw Perlin noise on one input, per DOF as strong as the inputs' differences over all phases (Lau 2009, §8)."""
    source, strength = _one_input(basis, rng)
    # The paper tuned its noise by hand: here, 1.5 lattice points a second and two octaves, the second half as strong.
    spacing = 1.0 / (1.5 * basis.frame_time)
    noise = perlin_noise(rng, len(strength), len(basis.chosen), spacing, octaves=2, persistence=0.5)
    return _draft(basis, source, noise * np.sqrt((basis.spread[:, basis.chosen] ** 2).mean(axis=0)))


def pca(basis: Basis, rng: np.random.Generator) -> Draft:
    """Draw smoothed noise on the principal components of the time-warped inputs' poses (Lau 2009, §10)."""
    source, _ = _one_input(basis, rng)
    return _draft(basis, source, component_noise(basis, rng, basis.phases(source)))


def convex(basis: Basis, rng: np.random.Generator) -> Draft:
    """Draw a convex combination of all inputs, weights uniform over the simplex; noise may be added (Lau 2009, §10)."""
    basis.require_two()
    weights = rng.dirichlet(np.ones(len(basis.rows)))
    rows, phases = combined(basis, weights)
    strength, noise = read_at(basis.spread, phases)[:, basis.chosen], np.zeros_like(rows)
    noise[:, basis.chosen] = _smoothed(basis, rng, len(rows), len(basis.chosen)) * strength
    return Draft(rows, noise, None)


def _smoothed(basis: Basis, rng: np.random.Generator, frames: int, columns: int) -> Floats:
    """Return noise smoothed over 0.1 s; the paper gives no number."""
    return smoothed_noise(rng, frames, columns, 0.1 / basis.frame_time)


def _one_input(basis: Basis, rng: np.random.Generator) -> tuple[int, Floats]:
    """Draw an input and return it with the inputs' spread at the phases of its frames."""
    basis.require_two()
    source = int(rng.integers(len(basis.rows)))
    return source, read_at(basis.spread, basis.phases(source))


def _draft(basis: Basis, source: int, chosen: Floats) -> Draft:
    rows = basis.rows[source]
    noise = np.zeros_like(rows)
    noise[:, basis.chosen] = chosen
    return Draft(rows, noise, source)
