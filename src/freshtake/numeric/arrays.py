"""The array types that every layer uses, rounding to what files hold, and runs of flags."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]


def rounded(values: npt.ArrayLike) -> Floats:
    """Round numbers as a model file keeps them."""
    return np.asarray(values, dtype=np.float32).astype(np.float64)


def runs(mask: Bools) -> list[tuple[int, int]]:
    """Return start and stop (exclusive) of every run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(start), int(stop)) for start, stop in zip(edges[::2], edges[1::2], strict=True)]
