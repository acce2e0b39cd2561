"""Weights of the DOFs: by spread, or by how far one unit of a DOF moves the body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from freshtake.motion.features.angles import ground_of
from freshtake.numeric.arrays import Floats

SCALES = ("none", "std", "fk")
POSES, PUSH = 24, 1e-4  # how many poses are tried for the fk scale, and how far each DOF is pushed
LEAST_STD, LEAST_EFFECT = 1e-2, 1e-3  # floors, as shares of the usual spread and of the largest effect


class Body(Protocol):
    """What the fk scale needs to know of a clip's layout."""

    @property
    def angles(self) -> str:
        """One of "euler", "expmap" and "positions"."""

    @property
    def root(self) -> str:
        """One of "absolute" and "heading"."""

    @property
    def up(self) -> str:
        """The vertical axis."""

    @property
    def root_width(self) -> int:
        """How many columns the root has."""

    def body_points(self, rows: Floats) -> Floats:
        """Return world positions of single poses."""


def clip_effects(body: Body, rows: Floats, horizon: float) -> Floats:
    """Return the RMS displacement of joints and tips per unit of each column.

    A rate acts for `horizon` seconds: a speed moves every point by it, a turn swings them about the root's vertical.
    """
    rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), POSES)).astype(np.intp)]
    points = body.body_points(rows)
    if body.angles == "positions":
        markers = 1 + (rows.shape[1] - body.root_width) // 3
        out = np.full(rows.shape[1], markers**-0.5)
        out[: body.root_width] = 1.0
    else:
        out = _displacements(body, rows)
    if body.root != "absolute":
        arm = np.sqrt(np.mean(np.abs(ground_of(points, body.up)) ** 2))
        out[:3] = horizon * np.array([1.0, 1.0, arm])
    return out


def _displacements(body: Body, rows: Floats) -> Floats:
    """Return displacements by central differences: every column pushed in every row, all at once."""
    frames, width = rows.shape
    push = np.eye(width)[:, None] * PUSH
    pushed = np.stack([rows + push, rows - push]).reshape(-1, width)
    points = body.body_points(pushed).reshape(2, width, frames, -1, 3)
    moved = (points[0] - points[1]) / (2.0 * PUSH)
    return np.asarray(np.sqrt((moved**2).sum(-1).mean(axis=(1, 2))))


def spread(examples: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return the mean and standard deviation of each column over all frames of all examples."""
    count = sum(len(values) for values in examples)
    mean = np.asarray(sum(values.sum(axis=0) for values in examples) / count)
    variance = np.asarray(sum(((values - mean) ** 2).sum(axis=0) for values in examples) / count)
    return mean, np.sqrt(variance)


def std_weights(deviation: Floats, units: Sequence[str]) -> Floats:
    """Return 1 / standard deviation, floored at a hundredth of the RMS deviation of the DOFs with the same unit."""
    usual = _by_unit(deviation, units, lambda of_unit: float(np.sqrt(np.mean(of_unit**2))))
    floored = np.maximum(deviation, LEAST_STD * usual)
    return 1.0 / np.where(floored > 0.0, floored, 1.0)


def floored_effects(effects: Floats, units: Sequence[str]) -> Floats:
    """Return effects raised above zero (a leaf joint's twist moves nothing), so that scaling can be inverted.

    The floor is a thousandth of the largest effect among the DOFs with the same unit.
    """
    floored = np.maximum(effects, LEAST_EFFECT * _by_unit(effects, units, lambda of_unit: float(of_unit.max())))
    return np.where(floored > 0.0, floored, 1.0)


def _by_unit(values: Floats, units: Sequence[str], summary: Callable[[Floats], float]) -> Floats:
    """Summarize for every DOF over all DOFs with the same unit."""
    kinds = np.array(units)
    out = np.zeros(len(values))
    for unit in set(units):
        out[kinds == unit] = summary(values[kinds == unit])
    return out
