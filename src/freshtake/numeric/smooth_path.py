"""Smooth paths: cubic splines, and paths nearest to target values by banded least squares.

Many symmetric, positive definite, banded systems of one shape are factorized and solved at once, in O(rows).
"""

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled, uncounted


@compiled
def solve_banded(bands: Floats, right: Floats) -> Floats:
    """Return x (rows, systems) with A x = right, by A = L D Lᵀ without pivoting; `bands` is overwritten by the factors.

    `bands` (rows, width + 1, systems) contains the lower triangle: bands[i, k] is A[i, i - k], ignored where i < k.
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


COLUMNS = 3  # solved side by side: the processor works on one while another waits for the previous row
EDGE = 3  # rows of zeros before the first and after the last frame


@compiled
def cubic_weights(t: float) -> tuple[float, float, float, float]:
    """Return the weights of four values at t in [0, 1) between the middle two, which are interpolated (Catmull-Rom)."""
    return (
        0.5 * t * (-1.0 + t * (2.0 - t)),
        1.0 + 0.5 * t * t * (-5.0 + 3.0 * t),
        0.5 * t * (1.0 + t * (4.0 - 3.0 * t)),
        0.5 * t * t * (t - 1.0),
    )


class PathScratch(NamedTuple):
    """Inputs, workspace and result of `smooth_paths`, allocated once for many paths up to a number of frames.

    Fill `weights`, `targets` and `past`, then read `path`, beginning with row `EDGE`.
    """

    weights: Floats  # (frames, COLUMNS)
    targets: Floats  # (frames, COLUMNS)
    past: Floats  # (3, COLUMNS): the path's last values, newest first
    path: Floats  # (EDGE + frames + EDGE, COLUMNS)
    factors: Floats  # (EDGE + frames + EDGE, 4, COLUMNS): 1 / D, and L one, two and three columns left of the diagonal
    smoothness: Floats  # (frames, 4): the matrix of squared third differences, from the diagonal to the left
    made_for: Ints  # (2,): the arguments with which `smoothness` was computed


@compiled
def path_scratch(frames: int) -> PathScratch:
    """Allocate the workspace for paths of at most this number of frames."""
    padded = frames + 2 * EDGE
    return PathScratch(
        np.zeros((frames, COLUMNS)), np.zeros((frames, COLUMNS)), np.zeros((3, COLUMNS)), np.zeros((padded, COLUMNS)),
        np.zeros((padded, 4, COLUMNS)), np.zeros((frames, 4)), np.zeros(2, dtype=np.intp),
    )  # fmt: skip


@uncounted
def smooth_paths(scratch: PathScratch, frames: int, known: int) -> None:
    """Minimize, for each column of the path, Σ w (x - target)² + Σ (third difference of x)² over all frames.

    The first `known` values of `past` are fixed, so that speed and acceleration continue without a jump. A weight
    of T⁻⁶ lets x follow targets within about T frames.
    """
    first = max(3 - known, 0)
    if scratch.made_for[0] != frames or scratch.made_for[1] != first:
        _third_differences(first, frames, scratch.smoothness)
        scratch.made_for[0], scratch.made_for[1] = frames, first
    for k in range(frames):
        for c in range(COLUMNS):
            scratch.path[EDGE + k, c] = scratch.weights[k, c] * scratch.targets[k, c]
    for k in range(first, min(3, frames)):
        _after_the_past(k, scratch.past, scratch.path[EDGE:])
    for k in range(EDGE):
        for c in range(COLUMNS):
            scratch.path[EDGE + frames + k, c] = 0.0
            for d in range(4):
                scratch.factors[EDGE + frames + k, d, c] = 0.0
    _solve(scratch, frames)


@uncounted
def _factor(i: int) -> float:
    """Return the factor of x[k-i] in the third difference x[k] - 3 x[k-1] + 3 x[k-2] - x[k-3]."""
    return 1.0 if i == 0 else (-3.0 if i == 1 else (3.0 if i == 2 else -1.0))


@uncounted
def _third_differences(first: int, frames: int, out: Floats) -> None:
    """Set out[k, d] to the matrix of Σ (third difference)² at (k, k - d); differences end at `first` or later."""
    for k in range(frames):
        for d in range(4):
            out[k, d] = 0.0
    for end in range(first, frames):
        for i in range(min(end, 3) + 1):
            for d in range(min(end, 3) + 1 - i):
                out[end - i, d] += _factor(i) * _factor(i + d)


@uncounted
def _after_the_past(k: int, past: Floats, right: Floats) -> None:
    """Add to the right side the terms of values before frame 0 in the difference that ends at frame k."""
    for i in range(k + 1):
        for j in range(k + 1, 4):
            for c in range(COLUMNS):
                right[k - i, c] -= _factor(i) * _factor(j) * past[j - k - 1, c]


@uncounted
def _solve(scratch: PathScratch, frames: int) -> None:
    """Solve for the path, in place of the right side, by A = L D Lᵀ with A = smoothness + diag(weights)."""
    path, factors, weights, smoothness = scratch.path, scratch.factors, scratch.weights, scratch.smoothness
    for k in range(frames):
        r = EDGE + k
        for c in range(COLUMNS):
            a3 = smoothness[k, 3]
            a2 = smoothness[k, 2] - a3 * factors[r - 2, 1, c]
            a1 = smoothness[k, 1] - a3 * factors[r - 1, 2, c] - a2 * factors[r - 1, 1, c]
            l1, l2, l3 = a1 * factors[r - 1, 0, c], a2 * factors[r - 2, 0, c], a3 * factors[r - 3, 0, c]
            factors[r, 0, c] = 1.0 / (weights[k, c] + smoothness[k, 0] - a3 * l3 - a2 * l2 - a1 * l1)
            factors[r, 1, c], factors[r, 2, c], factors[r, 3, c] = l1, l2, l3
            path[r, c] = path[r, c] - l3 * path[r - 3, c] - l2 * path[r - 2, c] - l1 * path[r - 1, c]
    for r in range(EDGE + frames - 1, EDGE - 1, -1):
        for c in range(COLUMNS):
            later = factors[r + 3, 3, c] * path[r + 3, c] + factors[r + 2, 2, c] * path[r + 2, c]
            path[r, c] = path[r, c] * factors[r, 0, c] - later - factors[r + 1, 1, c] * path[r + 1, c]
