"""Many symmetric, positive definite, banded systems of one shape at once: factorized and solved in O(rows)."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled


@compiled
def solve_banded(bands: Floats, right: Floats) -> Floats:
    """x (rows, systems) with A x = right, by A = L D Lᵀ without pivoting; `bands` is overwritten by the factors.

    `bands` (rows, width + 1, systems) holds the lower triangle: bands[i, k] is A[i, i - k], anything where i < k.
    """
    rows, columns, systems = bands.shape
    out = right.copy()
    for i in range(rows):
        reach = min(i, columns - 1)
        for k in range(reach, 0, -1):
            column = i - k
            for m in range(k + 1, reach + 1):
                if m - k < columns:
                    for s in range(systems):
                        bands[i, k, s] -= bands[i, m, s] * bands[column, m - k, s]
        for k in range(1, reach + 1):
            for s in range(systems):
                factor = bands[i, k, s] / bands[i - k, 0, s]
                bands[i, 0, s] -= factor * bands[i, k, s]
                bands[i, k, s] = factor
                out[i, s] -= factor * out[i - k, s]
    for i in range(rows - 1, -1, -1):
        for s in range(systems):
            out[i, s] /= bands[i, 0, s]
        for k in range(1, min(columns, rows - i)):
            for s in range(systems):
                out[i, s] -= bands[i + k, k, s] * out[i + k, s]
    return out


def dense(bands: Floats) -> Floats:
    """The matrices (systems, rows, rows) that the bands stand for."""
    rows, columns, systems = bands.shape
    out = np.zeros((systems, rows, rows))
    for i in range(rows):
        for k in range(min(i + 1, columns)):
            out[:, i, i - k] = out[:, i - k, i] = bands[i, k]
    return out
