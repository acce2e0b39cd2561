"""Weights of three and more classes from a point on a pad on which each class has its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats

HEAVY = 1e4  # times the pad's size: how strictly weights sum to 1 while the nearest point is looked for
INSIDE = 1e-9  # share of the way to the middle by which a point on the rim is moved, so that it lies in a triangle


def pad_weights(places: Mapping[str, Sequence[float]], at: Sequence[float]) -> dict[str, float]:
    """Barycentric weights of the classes at the corners of the triangle in which a point lies, 0 for the others.

    `places` maps classes to points (x, y). A point outside counts as the nearest one inside; two classes, and any that
    lie in a line, make no triangle and weigh by the way between them.
    """
    names = list(places)
    corners = np.array([list(places[name]) for name in names], dtype=np.float64)
    point = np.asarray(at, dtype=np.float64)
    if len(names) < 2 or corners.shape[1:] != (2,) or point.shape != (2,):
        raise UsageError("a pad needs the places (x, y) of two classes or more, and a point (x, y)")
    if not (np.isfinite(corners).all() and np.isfinite(point).all()) or len(np.unique(corners, axis=0)) < len(names):
        raise UsageError("the places on a pad must be finite, and no two classes may share one")
    weights = _in_hull(corners, point)
    if len(names) > 3 and np.linalg.matrix_rank(corners - corners[0]) == 2:
        weights = _in_triangle(corners, weights @ corners)
    return dict(zip(names, (weights / weights.sum()).tolist(), strict=True))


def _in_hull(corners: Floats, point: Floats) -> Floats:
    """Weights of 0 or more whose mixture of corners is the point, or the nearest one to it."""
    from scipy.optimize import nnls

    size = float(np.abs(corners - corners.mean(axis=0)).max())
    rows = np.concatenate([(corners - corners.mean(axis=0)).T / size, np.full((1, len(corners)), HEAVY)])
    found, _ = nnls(rows, np.append((point - corners.mean(axis=0)) / size, HEAVY))
    return np.asarray(found)


def _in_triangle(corners: Floats, point: Floats) -> Floats:
    """Barycentric weights in the triangle of Delaunay's in which a point of the hull lies."""
    from scipy.spatial import Delaunay

    triangles = Delaunay(corners)
    inner = point + INSIDE * (corners.mean(axis=0) - point)
    found = int(triangles.find_simplex(inner, tol=1e-6))
    three = triangles.simplices[found]
    rows = np.concatenate([corners[three].T, np.ones((1, 3))])
    out = np.zeros(len(corners))
    out[three] = np.clip(np.linalg.solve(rows, np.append(inner, 1.0)), 0.0, None)
    return out
