"""The smooth path nearest to target values: a banded least-squares problem over a few frames, compiled."""

from __future__ import annotations

import math

from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled


@compiled
def smooth_path(weights: Floats, targets: Floats, past: Floats, known: int, band: Floats, path: Floats) -> None:
    """path (frames, columns): minimizes Σ w (x - target)² + Σ (third difference of x)².

    `past` (3, columns) holds the path's last values, newest first, of which `known` are given; they do not move, so
    that speed and acceleration go on without a jump. A weight of T⁻⁶ lets x follow its targets within about T frames.
    `band` (frames, 4) is scratch.
    """
    frames, columns = targets.shape
    first = max(3 - known, 0)
    for k in range(frames):
        for c in range(columns):
            path[k, c] = weights[k] * targets[k, c]
        if k >= first and k + 3 < frames:
            band[k, 0] = weights[k] + 1.0 + 9.0 + 9.0 + 1.0
            band[k, 1], band[k, 2], band[k, 3] = -15.0, 6.0, -1.0
        else:
            _at_an_end(k, first, frames, weights[k], band[k])
    for k in range(first, min(3, frames)):
        _after_the_past(k, past, path)
    _solve(band, path)


@compiled
def _factor(i: int) -> float:
    """Of x[k-i] in the third difference x[k] - 3 x[k-1] + 3 x[k-2] - x[k-3]."""
    return 1.0 if i == 0 else (-3.0 if i == 1 else (3.0 if i == 2 else -1.0))


@compiled
def _at_an_end(k: int, first: int, frames: int, weight: float, row: Floats) -> None:
    """A row of the matrix near its ends, which not all of four differences reach; they go from `first` to `frames`."""
    row[0] = weight
    row[1] = row[2] = row[3] = 0.0
    for i in range(max(first - k, 0), min(4, frames - k)):
        for d in range(4 - i):
            row[d] += _factor(i) * _factor(i + d)


@compiled
def _after_the_past(k: int, past: Floats, right: Floats) -> None:
    """What the difference that ends at frame k has of values before frame 0, on the right side."""
    for i in range(k + 1):
        for j in range(k + 1, 4):
            for c in range(right.shape[1]):
                right[k - i, c] -= _factor(i) * _factor(j) * past[j - k - 1, c]


@compiled
def _solve(band: Floats, right: Floats) -> None:
    """Cholesky's method; band[k, d] is the matrix at (k, k - d) and becomes its root, 1 / root where d is 0."""
    frames, columns = right.shape
    for k in range(frames):
        total, a, b, c = band[k, 0], 0.0, 0.0, 0.0
        if k > 2:
            c = band[k, 3] * band[k - 3, 0]
            total -= c * c
        if k > 1:
            b = (band[k, 2] - c * band[k - 2, 1]) * band[k - 2, 0]
            total -= b * b
        if k > 0:
            a = (band[k, 1] - c * band[k - 1, 2] - b * band[k - 1, 1]) * band[k - 1, 0]
            total -= a * a
        band[k, 0], band[k, 1], band[k, 2], band[k, 3] = 1.0 / math.sqrt(total), a, b, c
        for column in range(columns):
            value = right[k, column]
            if k > 0:
                value -= a * right[k - 1, column]
            if k > 1:
                value -= b * right[k - 2, column]
            if k > 2:
                value -= c * right[k - 3, column]
            right[k, column] = value * band[k, 0]
    for k in range(frames - 1, -1, -1):
        for column in range(columns):
            value = right[k, column]
            for d in range(1, min(frames - 1 - k, 3) + 1):
                value -= band[k + d, d] * right[k + d, column]
            right[k, column] = value * band[k, 0]
