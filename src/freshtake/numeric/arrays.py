"""The array types that every layer uses, and rounding to the precision of files."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]


def rounded(values: npt.ArrayLike) -> Floats:
    """Round numbers to the precision of model files."""
    return np.asarray(values, dtype=np.float32).astype(np.float64)
