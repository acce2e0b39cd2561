"""Series of values: runs of flags, smoothed values, curves through values, and points of polylines, by numpy alone."""

import numpy as np

from freshtake.numeric.arrays import Bools, Floats

MODES = {"reflect": "symmetric", "nearest": "edge", "wrap": "wrap"}  # scipy's names and numpy's


def runs(mask: Bools) -> list[tuple[int, int]]:
    """Return start and stop (exclusive) of every run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(start), int(stop)) for start, stop in zip(edges[::2], edges[1::2], strict=True)]


def gaussian_filter1d(values: Floats, deviation: float, axis: int = 0, mode: str = "reflect") -> Floats:
    """Smooth values along an axis by a Gaussian whose standard deviation is in values.

    `mode` is how values continue beyond both ends: `reflect`, `nearest` or `wrap`.
    """
    # The window ends at four standard deviations, like scipy's.
    reach = int(4.0 * deviation + 0.5)
    weights = np.exp(-0.5 / (deviation * deviation) * np.arange(-reach, reach + 1) ** 2)
    weights /= weights.sum()
    rows = np.moveaxis(np.asarray(values, dtype=np.float64), axis, 0)
    count = len(rows)
    longer = np.pad(rows, [(reach, reach), *[(0, 0)] * (rows.ndim - 1)], mode=MODES[mode])  # type: ignore[call-overload]
    out = rows * weights[reach]
    for lag in range(reach, 0, -1):
        out += (longer[reach - lag :][:count] + longer[reach + lag :][:count]) * weights[reach - lag]
    return np.asarray(np.moveaxis(out, 0, axis))


def quintic(share: Floats) -> Floats:
    """Return 0 to 1 for fractions from 0 to 1, with zero slope and curvature at both ends."""
    return np.asarray(share**3 * (10.0 - 15.0 * share + 6.0 * share**2))


def monotone_curve(knots: Floats, values: Floats, at: Floats) -> Floats:
    """Evaluate a cubic Hermite curve through values that never overshoots its neighbours (Fritsch and Butland 1984).

    The values (k, columns) are at rising knots (k,), two or more; the curve (n, columns) is read between them, `at`
    (n,).
    """
    step = np.diff(knots)[:, None]
    slope = np.diff(values, axis=0) / step
    tangent = np.repeat(slope[:1], len(knots), axis=0)
    if len(knots) > 2:
        before, after = step[1:] + 2.0 * step[:-1], 2.0 * step[1:] + step[:-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = (before + after) / (after / slope[:-1] + before / slope[1:])
        # Where the values turn, the curve is level: it would overshoot otherwise.
        tangent[1:-1] = np.where(slope[:-1] * slope[1:] > 0.0, mean, 0.0)
        tangent[0] = _end_tangent(*step[:2], *slope[:2])
        tangent[-1] = _end_tangent(*step[:-3:-1], *slope[:-3:-1])
    k = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(step) - 1)
    t = (at[:, None] - knots[k, None]) / step[k]
    return np.asarray(
        (1.0 + 2.0 * t) * (1.0 - t) ** 2 * values[k] + t**2 * (3.0 - 2.0 * t) * values[k + 1]
        + step[k] * (t * (1.0 - t) ** 2 * tangent[k] - t**2 * (1.0 - t) * tangent[k + 1])
    )  # fmt: skip


def _end_tangent(near: Floats, far: Floats, slope: Floats, next_slope: Floats) -> Floats:
    """Compute the tangent at an end from its two intervals, limited so that it does not overshoot."""
    tangent = ((2.0 * near + far) * slope - near * next_slope) / (near + far)
    steep = (slope * next_slope < 0.0) & (np.abs(tangent) > 3.0 * np.abs(slope))
    return np.where(tangent * slope <= 0.0, 0.0, np.where(steep, 3.0 * slope, tangent))


def point_on(path: Floats, along: float) -> Floats:
    """Return the point of a path (points, 2) at a distance along it; beyond its end it continues straight.

    A closed path begins again at its end.
    """
    marks = arc_lengths(path)
    if is_closed(path):
        along %= marks[-1]
    beyond = max(along - marks[-1], 0.0) * (path[-1] - path[-2]) / (marks[-1] - marks[-2])
    return np.asarray([np.interp(along, marks, path[:, k]) for k in range(2)] + beyond)


def nearest_on(path: Floats, place: Floats, low: float, high: float) -> float:
    """Return the distance along a path of the point nearest to a position, from distance `low` to `high`."""
    marks = arc_lengths(path)
    rounds = np.arange(low // marks[-1], high // marks[-1] + 1.0) if is_closed(path) else np.zeros(1)
    corners = np.unique(marks + marks[-1] * rounds[:, None])
    ends = np.concatenate([[low], corners[(corners > low) & (corners < high)], [high]])
    points = np.stack([point_on(path, along) for along in ends])
    steps = np.diff(points, axis=0)
    lengths = np.maximum(np.diff(ends), 1e-300)
    share = np.clip(((place - points[:-1]) * steps).sum(axis=1) / lengths**2, 0.0, 1.0)
    best = int(np.linalg.norm(place - points[:-1] - share[:, None] * steps, axis=1).argmin())
    return float(ends[best] + share[best] * lengths[best])


def arc_lengths(path: Floats) -> Floats:
    """Return the distance along the path of each of its points."""
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])


def is_closed(path: Floats) -> bool:
    """Return whether a path ends at its starting point."""
    return len(path) > 2 and bool((path[0] == path[-1]).all())
