"""The space-warp stage of iterative motion warping: smooth scale and offset of every DOF (Hsu 2005, §3.2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.numeric.smooth_path import solve_banded


class Stiffness(NamedTuple):
    """Weights of |Fa|² and |Gb|² (squared steps from frame to frame), and of a small pull towards a = 1, b = 0.

    Departs from the paper: the pull is not in its eq. 1; without it a DOF that never moves makes eq. 4 singular.
    """

    scale: float = 100.0
    offset: float = 100.0
    pull: float = 1e-4


class SpaceWarp(NamedTuple):
    """U a + b: scale a and offset b, both (frames, DOFs)."""

    scale: Floats
    offset: Floats

    def apply(self, u: Floats) -> Floats:
        """Warp the first motion in space."""
        out: Floats = u * self.scale + self.offset
        return out


def no_space_warp(u: Floats) -> SpaceWarp:
    """Return a = 1, b = 0 (§3.3)."""
    return SpaceWarp(np.ones_like(u), np.zeros_like(u))


@compiled
def covered(y: Floats, repeats: Ints, slope: int) -> Floats:
    """Return Wᵀy: per frame of the first motion the sum over the rows of the lengthened y that it covers."""
    out = np.zeros((len(repeats), y.shape[1]))
    row = 0
    for i in range(len(repeats)):
        for _ in range(repeats[i]):
            frame, sums = y[row // slope], out[i]
            for d in range(len(sums)):
                sums[d] += frame[d]
            row += 1
    return out


def best_space_warp(u: Floats, y: Floats, repeats: Ints, slope: int, stiff: Stiffness) -> SpaceWarp:
    """Find the scale and offset that minimize E for a given time warp: banded normal equations (Hsu 2005, eq. 4).

    The unknowns are taken in the order a₀ b₀ a₁ b₁ ..., which makes the matrix five diagonals wide.
    """
    bands, right = _normal_equations(u, covered(y, repeats, slope), repeats, *stiff)
    both = solve_banded(bands, right).reshape(len(u), 2, u.shape[1])
    return SpaceWarp(both[:, 0].copy(), both[:, 1].copy())


@compiled
def _normal_equations(
    u: Floats, target: Floats, repeats: Ints, scale: float, offset: float, pull: float
) -> tuple[Floats, Floats]:
    """Return the lower bands (2 frames, 3, DOFs) of the matrix of eq. 4 and its right side (2 frames, DOFs)."""
    frames, dofs = u.shape
    bands, right = np.zeros((2 * frames, 3, dofs)), np.empty((2 * frames, dofs))
    for i in range(frames):
        sides = float((i > 0) + (i < frames - 1))  # neighbors in time
        weight, row = float(repeats[i]), 2 * i  # WᵀW
        for d in range(dofs):
            x = u[i, d]
            # A frame that is repeated w times counts w times, and its target is already the sum over those rows.
            bands[row, 0, d] = weight * x * x + scale * sides + pull
            bands[row + 1, 0, d] = weight + offset * sides + pull
            bands[row + 1, 1, d] = weight * x
            bands[row, 2, d] = -scale
            bands[row + 1, 2, d] = -offset
            right[row, d] = x * target[i, d] + pull
            right[row + 1, d] = target[i, d]
    return bands, right


def energy(u: Floats, y: Floats, repeats: Ints, slope: int, warp: SpaceWarp, stiff: Stiffness) -> float:
    """Return E(a, b, W), summed over the DOFs (Hsu 2005, eq. 1), with the small pull towards a = 1, b = 0."""
    return misfit(u, y, repeats, slope, warp) + roughness(warp, stiff)


def misfit(u: Floats, y: Floats, repeats: Ints, slope: int, warp: SpaceWarp) -> float:
    """Return |W(Ua + b) - y|² against the lengthened y."""
    return float(_squared(warp.apply(u), y, repeats, slope))


@compiled
def _squared(warped: Floats, y: Floats, repeats: Ints, slope: int) -> float:
    total = 0.0
    row = 0
    for i in range(len(repeats)):
        for _ in range(repeats[i]):
            j = row // slope
            for d in range(y.shape[1]):
                away = warped[i, d] - y[j, d]
                total += away * away
            row += 1
    return total


def roughness(warp: SpaceWarp, stiff: Stiffness) -> float:
    """Return |Fa|² + |Gb|², and the pull."""
    smooth = stiff.scale * _sum_of_squares(np.diff(warp.scale, axis=0))
    smooth += stiff.offset * _sum_of_squares(np.diff(warp.offset, axis=0))
    return smooth + stiff.pull * (_sum_of_squares(warp.scale - 1.0) + _sum_of_squares(warp.offset))


def _sum_of_squares(values: Floats) -> float:
    """Sum squares without the linear algebra library, whose threads cost more than the sum."""
    return float(np.square(values).sum())
