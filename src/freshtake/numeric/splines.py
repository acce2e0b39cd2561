"""Uniform cubic B-splines."""

from __future__ import annotations

from freshtake.numeric.compiled import compiled


@compiled
def spline_weights(t: float) -> tuple[float, float, float, float]:
    """How much each of four knots counts at t in [0, 1) between the middle two; the weights sum to 1."""
    return (
        (1.0 - t) ** 3 / 6.0,
        (3.0 * t**3 - 6.0 * t**2 + 4.0) / 6.0,
        (-3.0 * t**3 + 3.0 * t**2 + 3.0 * t + 1.0) / 6.0,
        t**3 / 6.0,
    )
