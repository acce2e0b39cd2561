"""Class weights, given as text, a mapping, an array or a function of time."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats

_ARROW = re.compile(r"->|→")


def mixed(classes: Sequence[str], weights: Mapping[str, float]) -> Floats:
    """Return weights (classes,) from a mapping; classes not in it weigh 0, and the sum must be 1."""
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
    """Return (1 + w) / 2 and (1 - w) / 2, the weights of eq. 5, 13 and 14: w = 1 is the first class, -1 the second."""
    if len(classes) != 2:
        raise UsageError(
            f"a single weight w blends two classes, but there are {len(classes)}: give the weight of each class by name"
        )
    if not -1.0 <= w <= 1.0:
        raise UsageError(f"w must lie between -1 and 1, but is {w}")
    return np.array([0.5 * (1.0 + w), 0.5 * (1.0 - w)])


def schedule(classes: Sequence[str], weights: Any, frames: int) -> Floats:
    """Return the weights of every frame, given in any form.

    Args:
        classes: the names of the classes.
        weights: None for the first class; a mapping from names to weights, or a single w for two classes, for all
            frames; a text such as "walk:1", "walk:0.5,run:0.5" or "walk:1->run:1->walk:1", linear from the first
            frame to the last; an array (frames, classes); or a function of the frame number that returns a mapping.
        frames: the number of frames.

    Returns:
        Weights (frames, classes), each row summing to 1.
    """
    if weights is None:
        return np.tile(np.eye(len(classes))[0], (frames, 1))
    if isinstance(weights, str):
        # The parts between arrows are equally spaced.
        knots = np.stack([mixed(classes, _parsed(part)) for part in _ARROW.split(weights)])
        at = np.linspace(0.0, len(knots) - 1.0, frames) if frames > 1 else np.zeros(1)
        return np.stack([np.interp(at, np.arange(len(knots)), column) for column in knots.T], axis=1)
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


def _parsed(part: str) -> dict[str, float]:
    out: dict[str, float] = {}
    for item in part.split(","):
        name, colon, value = item.strip().rpartition(":")
        try:
            number = float(value)
        except ValueError:
            number = np.nan
        if not colon or not name.strip() or not np.isfinite(number):
            raise UsageError(f"{item.strip()!r} is not a weight: write NAME:NUMBER, as in walk:1 or walk:1->run:1")
        if name.strip() in out:
            raise UsageError(f"the class {name.strip()!r} is named twice in {part.strip()!r}")
        out[name.strip()] = number
    return out
