"""Uniform cubic splines: B-splines, which smooth, and those of Catmull and Rom, which go through their knots."""

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


@compiled
def cubic_weights(t: float) -> tuple[float, float, float, float]:
    """How much each of four values counts at t in [0, 1) between the middle two, which it meets (Catmull-Rom)."""
    return (
        0.5 * t * (-1.0 + t * (2.0 - t)),
        1.0 + 0.5 * t * t * (-5.0 + 3.0 * t),
        0.5 * t * (1.0 + t * (4.0 - 3.0 * t)),
        0.5 * t * t * (t - 1.0),
    )
