"""How much of an animation c components keep: errors of positions and velocities (Sattler 2004, eq. 12-13)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.numeric import pca as principal
from freshtake.numeric.arrays import Floats
from freshtake.numeric.pca import Pca

STILL = 1e-3  # share of the mean speed below which a vertex stands still


class Fidelity(NamedTuple):
    """Errors with `components` modes: per frame, and summed over frames as the paper prints them."""

    components: int
    position: float  # E(c) per frame
    velocity: float  # E*(c) as a ratio of sums
    printed_position: float
    printed_velocity: float


def position_error(true: Floats, made: Floats) -> float:
    """Compute E per frame: the mean over frames of sum |p - p~| / sum |p| over vertices (Sattler 2004, eq. 12)."""
    return float(np.mean(_lengths(true - made).sum(axis=1) / _lengths(true).sum(axis=1)))


def printed_position_error(true: Floats, made: Floats) -> float:
    """Sum E as printed: over the frames 1 to l - 1, so that it grows with the length (Sattler 2004, eq. 12)."""
    inner = slice(1, -1)
    return float(np.sum(_lengths(true - made)[inner].sum(axis=1) / _lengths(true)[inner].sum(axis=1)))


def velocity_error(true: Floats, made: Floats) -> float:
    """Compute E* as a ratio of sums: sum |v - v~| / sum |v| over all vertices and frames (Sattler 2004, eq. 13).

    Departs from the paper, whose ratio per vertex is ruled by vertices that hardly move.
    """
    return float(_lengths(true - made).sum() / max(float(_lengths(true).sum()), 1e-300))


def printed_velocity_error(true: Floats, made: Floats) -> float:
    """Sum E* as printed: the ratio of each vertex, averaged over vertices, summed over frames (Sattler 2004, eq. 13).

    Vertices that stand still but for rounding, whose ratio has no meaning, count as none.
    """
    speed = _lengths(true)[1:-1]
    moves = speed > STILL * float(speed.mean())
    ratio = _lengths(true - made)[1:-1] / np.where(moves, speed, 1.0)
    return float(np.where(moves, ratio, 0.0).mean(axis=1).sum())


def fidelity_table(positions: Floats, velocities: Floats, counts: Sequence[int]) -> list[Fidelity]:
    """Compute Table 2: errors by number of components, positions and velocities (frames, vertices, 3) apart."""
    flat, moving = positions.reshape(len(positions), -1), velocities.reshape(len(velocities), -1)
    most = min(max(counts), len(flat))
    # Modes are nested: one decomposition with the most components serves all counts.
    shapes, speeds = principal.fit(flat, count=most), principal.fit(moving, count=most)
    out = []
    for count in counts:
        p = _restored(shapes, flat, count).reshape(positions.shape)
        v = _restored(speeds, moving, count).reshape(velocities.shape)
        out.append(
            Fidelity(
                count, position_error(positions, p), velocity_error(velocities, v),
                printed_position_error(positions, p), printed_velocity_error(velocities, v),
            )
        )  # fmt: skip
    return out


def eigenvalues(rows: Floats, count: int) -> Floats:
    """Compute variances of the first modes, for fig. 5."""
    return principal.fit(rows.reshape(len(rows), -1), count=min(count, len(rows))).variances


def _restored(pca: Pca, rows: Floats, count: int) -> Floats:
    weights = principal.project(pca, rows)[:, :count]
    return principal.restore(pca, weights)


def _lengths(vectors: Floats) -> Floats:
    return np.asarray(np.linalg.norm(vectors, axis=-1))
