"""Blending time-aligned cycles (Okwechime 2008, §3.3, eq. 5): every class as a curve over phase, mixed by weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from freshtake.density.jumps import Track
from freshtake.density.phase import fit_sine, phases
from freshtake.numeric.arrays import Floats

RIDGE = 1e-6


class Curves(NamedTuple):
    """Per class: Fourier coefficients (classes, 1 + 2 harmonics, width) over phase, radians per frame (classes,)."""

    coefficients: Floats
    omegas: Floats


@dataclass(frozen=True, eq=False)
class AlignedState:
    """The common phase, in radians."""

    phase: float


def curves_of(track: Track, harmonics: int, *, tracked: bool) -> Curves:
    """Every class's mean cycle over the phase of its first mode, by least squares; `harmonics` 1 is a pure sine."""
    found, omegas = [], []
    width = track.rows.shape[1]
    for owner in range(len(track.cyclic)):
        normal = np.zeros((1 + 2 * harmonics,) * 2)
        right = np.zeros((1 + 2 * harmonics, width))
        pace, frames = 0.0, 0
        for start in track.starts[track.owners[track.starts] == owner]:
            rows = track.rows[start : track.lasts[start] + 1]
            fit = fit_sine(rows[:, 0])
            place = phases(rows[:, 0], fit, tracked=tracked)
            basis = harmonic_basis(place, harmonics)
            normal += basis.T @ basis
            right += basis.T @ rows
            pace += float(place[-1] - place[0])
            frames += len(rows) - 1
        normal[np.diag_indices(len(normal))] += RIDGE * np.trace(normal) / len(normal)
        found.append(np.linalg.solve(normal, right))
        omegas.append(pace / frames)
    return Curves(np.stack(found), np.array(omegas))


def harmonic_basis(phase: Floats, harmonics: int) -> Floats:
    """1, sin h phase, cos h phase: (frames, 1 + 2 harmonics)."""
    turns = phase[:, None] * np.arange(1, harmonics + 1)
    return np.concatenate([np.ones((len(phase), 1)), np.sin(turns), np.cos(turns)], axis=1)


def begin_aligned(curves: Curves, rng: np.random.Generator) -> AlignedState:
    """At a phase drawn at random."""
    return AlignedState(2.0 * np.pi * float(rng.random()))


def advance_aligned(curves: Curves, state: AlignedState, weights: Floats) -> tuple[AlignedState, Floats]:
    """Rows (frames, width) for weights (frames, classes): Okwechime 2008, eq. 5, for any number of classes.

    For two classes of weights (1 + w) / 2 and (1 - w) / 2 it is eq. 5. The frequency is mixed with the same weights,
    which keeps the speed that time alignment takes away.
    """
    steps = weights @ curves.omegas
    phase = state.phase + np.concatenate([[0.0], np.cumsum(steps)])
    harmonics = (curves.coefficients.shape[1] - 1) // 2
    basis = harmonic_basis(phase[:-1], harmonics)
    rows: Floats = np.einsum("tc,th,chw->tw", weights, basis, curves.coefficients, optimize=True)
    return AlignedState(float(np.mod(phase[-1], 2.0 * np.pi))), rows
