"""The circle that a stroke is nearest to: what its radius, start angle and speed are (Lau 2009, figure 7)."""

from __future__ import annotations

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Stroke
from freshtake.samples.strokes import CircleTake


def fit_circle(stroke: Stroke) -> CircleTake:
    """Radius, angle of the first point, and angular speed, the inverse of `circle` wherever the circle lies.

    The middle and the radius solve |p|^2 = 2 p m + c by least squares; the angle at the start and the speed are those
    of the straight line through the angles over time.
    """
    points = stroke.points
    if points.shape[1] != 2 or len(points) < 4:
        raise UsageError(f"a circle is fitted to at least 4 points in a plane, not to {points.shape}")
    middle = points.mean(axis=0)
    around = points - middle
    known = np.column_stack([2.0 * around, np.ones(len(points))])
    (x, y, rest), *_ = np.linalg.lstsq(known, (around**2).sum(axis=1), rcond=None)
    angles = np.unwrap(np.arctan2(around[:, 1] - y, around[:, 0] - x))
    slope, start = np.polyfit(stroke.times - stroke.times[0], angles, 1)
    start = np.pi / 2 + (start - np.pi / 2 + np.pi) % (2.0 * np.pi) - np.pi
    return CircleTake(float(np.sqrt(max(rest + x * x + y * y, 0.0))), float(start), float(-slope))
