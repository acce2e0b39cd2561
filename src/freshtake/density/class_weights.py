"""Weights of classes: from a text, a mapping, an array or a function over time, or from a point on a pad."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats

FLAT = 1e-9  # relative to a size: anything smaller is rounding

Weights = Mapping[str, float] | str | npt.ArrayLike | Callable[[int], Mapping[str, float]]
_ARROW = re.compile(r"->|→")


def mixed(classes: Sequence[str], weights: Mapping[str, float]) -> Floats:
    """Return weights (classes,) from names; absent classes weigh 0, and the sum must be 1."""
    out = np.zeros(len(classes))
    for name, value in weights.items():
        if name not in classes:
            raise UsageError(f"there is no class {name!r}; the classes are {', '.join(classes)}")
        number = value if isinstance(value, int | float | np.floating | np.integer) else np.nan
        if not (np.isfinite(number) and number >= 0.0):
            raise UsageError(f"the weight of {name!r} must be a number of 0 or more, not {value!r}")
        out[list(classes).index(name)] = float(number)
    return _checked(out)


def from_balance(classes: Sequence[str], w: float) -> Floats:
    """Return (1 + w) / 2 and (1 - w) / 2: the weights of eq. 5, 13 and 14, w from -1, the second class, to 1."""
    if len(classes) != 2:
        raise UsageError(f"a single weight w blends two classes, but there are {len(classes)}: name each one's weight")
    if not -1.0 <= w <= 1.0:
        raise UsageError(f"w must lie between -1 and 1, but is {w}")
    return np.array([0.5 * (1.0 + w), 0.5 * (1.0 - w)])


def schedule(classes: Sequence[str], weights: Any, frames: int) -> Floats:
    """Return the weights of every frame, whatever form they are given in.

    Args:
        classes: the names of the classes.
        weights: None for the first class; a mapping from names to weights, or a single w for two classes, for all
            frames; a text such as "walk:1", "walk:0.5,run:0.5" or "walk:1->run:1->walk:1", linear from the first
            frame to the last; an array (frames, classes); or a function of the frame number that returns a mapping.
        frames: how many frames.

    Returns:
        Weights (frames, classes), each row summing to 1.
    """
    if weights is None:
        return np.tile(np.eye(len(classes))[0], (frames, 1))
    if isinstance(weights, str):
        return _spoken(classes, weights, frames)
    if isinstance(weights, Mapping):
        return np.tile(mixed(classes, weights), (frames, 1))
    if callable(weights):
        return np.stack([mixed(classes, weights(frame)) for frame in range(frames)])
    values = np.asarray(weights, dtype=np.float64)
    if values.ndim == 0:
        return np.tile(from_balance(classes, float(values)), (frames, 1))
    if values.shape != (frames, len(classes)):
        raise UsageError(f"weights must be {frames} rows of {len(classes)} classes, not an array of {values.shape}")
    return np.stack([_checked(row) for row in values])


def changes(text: str) -> bool:
    """Return whether weights in a text change over time."""
    return _ARROW.search(text) is not None


def _checked(row: Floats) -> Floats:
    if not np.isfinite(row).all() or (row < 0.0).any():
        raise UsageError("weights must be numbers of 0 or more")
    # The sum of weights may differ from 1 by rounding only.
    if abs(float(row.sum()) - 1.0) > 1e-6:
        raise UsageError(f"the weights must sum to 1, but sum to {float(row.sum()):g}")
    return np.asarray(row / row.sum())


def _spoken(classes: Sequence[str], text: str, frames: int) -> Floats:
    """Return weights (frames, classes) from `walk:1->run:1`: parts between arrows are at equal intervals."""
    knots = np.stack([mixed(classes, _parsed(part)) for part in _ARROW.split(text)])
    at = np.linspace(0.0, len(knots) - 1.0, frames) if frames > 1 else np.zeros(1)
    grid = np.arange(len(knots))
    return np.stack([np.interp(at, grid, column) for column in knots.T], axis=1)


def _parsed(part: str) -> dict[str, float]:
    out: dict[str, float] = {}
    for item in part.split(","):
        name, colon, value = item.strip().rpartition(":")
        try:
            number = float(value)
        except ValueError:
            number = np.nan
        if not colon or not name.strip() or not np.isfinite(number):
            raise UsageError(f"{item.strip()!r} is no weight: write NAME:NUMBER, as in walk:1 or walk:1->run:1")
        if name.strip() in out:
            raise UsageError(f"the class {name.strip()!r} is named twice in {part.strip()!r}")
        out[name.strip()] = number
    return out


def pad_weights(places: Mapping[str, Sequence[float]], at: Sequence[float]) -> dict[str, float]:
    """Return barycentric weights of the classes at the corners of the triangle around a point, 0 for the others.

    A point outside counts as the nearest one inside; two classes, and any that lie on a line, form no triangle and are
    weighted by the distance between them.

    Args:
        places: the point (x, y) of every class on the pad, two classes or more, no two at one place.
        at: the point (x, y), in the same unit.

    Returns:
        A weight of 0 or more for every class, summing to 1.
    """
    names = list(places)
    corners = np.array([list(places[name]) for name in names], dtype=np.float64)
    point = np.asarray(at, dtype=np.float64)
    if len(names) < 2 or corners.shape[1:] != (2,) or point.shape != (2,):
        raise UsageError("a pad needs the places (x, y) of two classes or more, and a point (x, y)")
    if not (np.isfinite(corners).all() and np.isfinite(point).all()) or len(np.unique(corners, axis=0)) < len(names):
        raise UsageError("the places on a pad must be finite, and no two classes may share one")
    weights = _in_triangle(corners, point)
    if weights is None:
        weights = _on_rim(corners, point)
    return dict(zip(names, (weights / weights.sum()).tolist(), strict=True))


def _in_triangle(corners: Floats, point: Floats) -> Floats | None:
    """Return barycentric weights in the Delaunay triangle around a point; None where it lies in no triangle."""
    # Lifted to a paraboloid above the pad, Delaunay triangles are the lowest ones; the small term chooses
    # between corners on one circle, such as those of a square, consistently.
    height = np.square(corners - corners.mean(axis=0)).sum(axis=1)
    height += FLAT * height.max() * np.arange(len(corners)) ** 2
    lowest, out = np.inf, None
    for three in map(list, combinations(range(len(corners)), 3)):
        a, b, c = corners[three]
        sides = np.stack([b - a, c - a], axis=1)
        if abs(np.linalg.det(sides)) < FLAT * np.square(sides).sum():
            continue
        along = np.linalg.solve(sides, point - a)
        weights = np.array([1.0 - along.sum(), *along])
        if weights.min() >= -FLAT and weights @ height[three] < lowest:
            lowest, out = float(weights @ height[three]), np.zeros(len(corners))
            out[three] = np.clip(weights, 0.0, None)
    return out


def _on_rim(corners: Floats, point: Floats) -> Floats:
    """Return weights of the two corners whose line is nearest to a point; among equals, of the nearest corners."""
    best, out = (np.inf, np.inf), np.zeros(len(corners))
    for i, j in combinations(range(len(corners)), 2):
        edge = corners[j] - corners[i]
        long = float(edge @ edge)
        share = float(np.clip((point - corners[i]) @ edge / long, 0.0, 1.0))
        off = float(np.linalg.norm(corners[i] + share * edge - point))
        if off < best[0] - FLAT * long**0.5 or (off < best[0] + FLAT * long**0.5 and long < best[1]):
            best, out = (off, long), np.zeros(len(corners))
            out[[i, j]] = 1.0 - share, share
    return out
