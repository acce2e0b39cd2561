"""Densities: Gaussian kernels on every frame (Okwechime 2008, eq. 6), evaluated exactly by pruning.

What makes a pose density a motion density (Okwechime 2008, eq. 7-8): velocities, and the widths of both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.density.kernel_search import Index, block_index, squared_distance
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled

REST = 1e-12  # share of the sum that skipped blocks may hold


class Density(NamedTuple):
    """Gaussian kernels of one width on every frame, sorted into blocks that can be skipped."""

    lookup: Index  # places are divided by the widths
    widths: Floats
    log_norm: float  # of one kernel


def density(points: Floats, widths: Floats) -> Density:
    """Kernels on points (kernels, dimensions); neighbours in time make compact blocks, so keep the frames' order."""
    alone = np.zeros(len(points), dtype=np.intp)
    index = block_index(points / widths, alone, np.ones(len(points), dtype=np.bool_))
    norm = -float(np.log(widths).sum()) - 0.5 * len(widths) * float(np.log(2.0 * np.pi))
    return Density(index, np.asarray(widths, dtype=np.float64), norm)


def pose_widths(variances: Floats, alpha: float) -> Floats:
    """alpha sqrt(lambda_i) (modes,): Okwechime 2008, §4; a mode without variance gets a millionth of the first."""
    wide = np.sqrt(variances)
    return np.asarray(alpha * np.maximum(wide, 1e-6 * wide.max()))


def log_density(dense: Density, points: Floats) -> Floats:
    """log P (queries,) at points (queries, dimensions): Okwechime 2008, eq. 6.

    P(x) = (1/F) sum_i N(x; x_i, diag(widths^2))
    """
    out = np.empty(len(points))
    log_sums(dense.lookup, np.ascontiguousarray(points / dense.widths), out)
    return np.asarray(out + dense.log_norm - float(np.log(len(dense.lookup.places))))


@compiled
def log_sums(index: Index, points: Floats, out: Floats) -> None:
    """log sum_i exp(-square_i / 2) at points in kernel widths, leaving out blocks that together hold below REST."""
    blocks = len(index.radii)
    reach = 2.0 * np.log(max(len(index.places), 1) / REST)
    bounds = np.empty(blocks)
    for q in range(len(points)):
        first, least = 0, np.inf
        for block in range(blocks):
            gap = np.sqrt(squared_distance(index.centers[block], points[q])) - index.radii[block]
            bounds[block] = gap * gap if gap > 0.0 else 0.0
            if bounds[block] < least:
                first, least = block, bounds[block]
        best, total = np.inf, 0.0
        for turn in range(blocks + 1):  # the most promising block first
            block = first if turn == 0 else turn - 1
            if (turn > 0 and block == first) or bounds[block] > best + reach:
                continue
            for i in range(index.starts[block], index.starts[block + 1]):
                square = squared_distance(index.places[i], points[q])
                if square < best:
                    total = total * np.exp(-0.5 * (best - square)) + 1.0 if best < np.inf else 1.0
                    best = square
                else:
                    total += np.exp(-0.5 * (square - best))
        out[q] = np.log(total) - 0.5 * best


def velocities(weights: Floats) -> Floats:
    """dy_i/dt = y_(i+1) - y_i (frames, modes): Okwechime 2008, eq. 7; the last frame repeats the one before."""
    steps = np.diff(weights, axis=0)
    return np.concatenate([steps, steps[-1:]])


def arrivals(y: Floats) -> Floats:
    """The step that led to each frame (frames, modes), as a synthesis knows its own; that of the first leads on."""
    steps = velocities(y)
    return np.concatenate([steps[:1], steps[:-1]])


def motion_widths(variances: Floats, steps: Floats, alpha: float) -> Floats:
    """alpha (sqrt(lambda_1) .. sqrt(lambda_d), sigma_1 .. sigma_d) (2 modes,): Okwechime 2008, eq. 8.

    Departs from the paper: eq. 8 prints standard deviations where a covariance belongs. They are read as standard
    deviations of the kernels, which is what the text beside eq. 6 says of the pose density.
    """
    spread = steps.std(axis=0)
    return np.concatenate([pose_widths(variances, alpha), alpha * np.maximum(spread, 1e-6 * spread.max())])
