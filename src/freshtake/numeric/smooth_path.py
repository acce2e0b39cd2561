"""The smooth path nearest to wished-for values: a banded least-squares problem over a few frames, compiled."""

from __future__ import annotations

from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import kernel


@kernel
def smooth_path(weights: Floats, wishes: Floats, past: Floats, known: int, band: Floats, path: Floats) -> None:
    """path (frames, columns): minimizes Σ w (x - wish)² + Σ (third difference of x)².

    `past` (3, columns) holds the path's last values, newest first, of which `known` are given; they do not move, so
    that speed and acceleration go on without a jump. A weight of T⁻⁶ lets x follow wishes within about T frames.
    `band` (frames, 4) is scratch.
    """
    frames, columns = wishes.shape
    for k in range(frames):
        band[k, 0] = weights[k]
        band[k, 1] = band[k, 2] = band[k, 3] = 0.0
        for c in range(columns):
            path[k, c] = weights[k] * wishes[k, c]
    for k in range(max(3 - known, 0), frames):
        _third_difference(k, past, band, path)
    _solve(band, path)


@kernel
def _third_difference(k: int, past: Floats, band: Floats, right: Floats) -> None:
    """Add the square of x[k] - 3 x[k-1] + 3 x[k-2] - x[k-3]; values before frame 0 are `past`."""
    for i in range(4):
        if k - i < 0:
            continue
        a = 1.0 if i == 0 else (-3.0 if i == 1 else (3.0 if i == 2 else -1.0))
        for j in range(4):
            b = 1.0 if j == 0 else (-3.0 if j == 1 else (3.0 if j == 2 else -1.0))
            if k - j < 0:
                for c in range(right.shape[1]):
                    right[k - i, c] -= a * b * past[j - k - 1, c]
            elif j >= i:
                band[k - i, j - i] += a * b


@kernel
def _solve(band: Floats, right: Floats) -> None:
    """Cholesky's method; band[k, d] is the matrix at (k, k - d)."""
    frames, columns = right.shape
    for k in range(frames):
        for d in range(min(k, 3), -1, -1):
            total = band[k, d]
            for e in range(d + 1, min(k, 3) + 1):
                total -= band[k, e] * band[k - d, e - d]
            band[k, d] = total / band[k - d, 0] if d > 0 else total**0.5
        for c in range(columns):
            total = right[k, c]
            for d in range(1, min(k, 3) + 1):
                total -= band[k, d] * right[k - d, c]
            right[k, c] = total / band[k, 0]
    for k in range(frames - 1, -1, -1):
        for c in range(columns):
            total = right[k, c]
            for d in range(1, min(frames - 1 - k, 3) + 1):
                total -= band[k + d, d] * right[k + d, c]
            right[k, c] = total / band[k, 0]
