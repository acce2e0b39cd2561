"""What a model learns from: the examples as rows of DOFs, whatever they were before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features import Recipe, Start, encode, recipe
from freshtake.motion.features.ground import AT_ORIGIN
from freshtake.motion.validation import frozen
from freshtake.numeric.arrays import Bools, Floats

RATE_HORIZON = 0.1  # seconds for which a speed counts in distances


@dataclass(frozen=True, eq=False)
class Material:
    """Rows (frames, DOFs) of every example, rounded to float32 so that a saved model equals the live one."""

    values: tuple[Floats, ...]
    names: tuple[str, ...]
    weights: Floats
    rates: Bools
    frame_time: float
    recipe: Recipe | None = None
    starts: tuple[Start, ...] = ()  # where each example begins; empty: all at the origin

    def __post_init__(self) -> None:
        if not self.starts:
            object.__setattr__(self, "starts", (AT_ORIGIN,) * len(self.values))

    @property
    def timing(self) -> Bools:
        """DOFs that are steps in time, as strokes have them: they belong to how far all others move."""
        if self.recipe is None:
            return np.zeros(len(self.names), dtype=np.bool_)
        return np.array([unit == "time" for unit in self.recipe.units])

    @property
    def held(self) -> Bools:
        """DOFs that goals do not move: speeds and time steps."""
        return np.asarray(self.rates | self.timing)


def rounded(values: npt.ArrayLike) -> Floats:
    """As a model file keeps it."""
    return np.asarray(values, dtype=np.float32).astype(np.float64)


def material_of(examples: Sequence[Any], names: Sequence[str] | None, frame_time: float | None) -> Material:
    """Encode motions, or take plain arrays (frames, DOFs) with names as they are."""
    if not examples:
        raise UsageError("there is nothing to learn from: give at least one example")
    if any(isinstance(example, np.ndarray) for example in examples):
        return _from_arrays(examples, names, frame_time)
    layout = recipe(
        examples,
        angles=_angles(examples[0]),
        root="heading" if isinstance(examples[0], Clip) else None,
        horizon=RATE_HORIZON,
    )
    encoded = [encode(layout, example) for example in examples]
    rows = tuple(rounded(one.values) for one in encoded)
    rates = np.array([unit in ("speed", "turn") for unit in layout.units])
    starts = tuple(one.start for one in encoded) if isinstance(examples[0], Clip) else ()
    return Material(
        rows,
        layout.names,
        rounded(layout.weights),
        rates,
        layout.frame_time,
        layout,
        starts,
    )


def _angles(first: Any) -> str | None:
    return "expmap" if isinstance(first, Clip) else None


def _from_arrays(examples: Sequence[Any], names: Sequence[str] | None, frame_time: float | None) -> Material:
    rows = tuple(rounded(frozen(x, f"example {k + 1}", (None, None))) for k, x in enumerate(examples))
    width = rows[0].shape[1]
    if any(x.shape[1] != width for x in rows):
        raise UsageError(f"the examples have different numbers of DOFs: {sorted({x.shape[1] for x in rows})}")
    called = tuple(names) if names is not None else tuple(f"x{k}" for k in range(width))
    if len(called) != width:
        raise UsageError(f"{len(called)} names are given for {width} DOFs")
    spread = np.concatenate(rows).std(axis=0)
    if (spread <= 0).any():
        raise UsageError(f"the DOF {called[int(spread.argmin())]!r} never changes: leave it out")
    return Material(rows, called, rounded(1.0 / spread), np.zeros(width, dtype=np.bool_), frame_time or 1.0)
