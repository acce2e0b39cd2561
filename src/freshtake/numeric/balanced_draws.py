"""Random numbers of several draws that balance one another, so that a small set of draws has no chance bias."""

from __future__ import annotations

from typing import Any

import numpy as np


class BalancedGenerator(np.random.Generator):
    """The generator of one draw in a group whose standard normals sum to zero.

    Each draw by itself is standard normal: z_k - mean(z) has the variance 1 - 1/n, which the factor sqrt(n / (n - 1))
    makes 1 again. Only `standard_normal` is balanced; all other methods are those of the draw's generator.
    """

    def __init__(self, alone: np.random.Generator, group: np.random.Generator, size: int, place: int) -> None:
        """Prepare one draw.

        Args:
            alone: The generator of this draw, for everything but standard normals.
            group: A generator that is seeded alike for all draws of the group.
            size: How many draws the group has, at least 2.
            place: Which of them this one is, from 0.
        """
        super().__init__(alone.bit_generator)
        self._group, self._size, self._place = group, size, place

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return standard normals that sum to zero over the draws of the group, if all ask for the same shapes."""
        shape = () if size is None else (size,) if isinstance(size, int) else tuple(size)
        drawn = self._group.standard_normal((self._size, *shape))
        values = (drawn[self._place] - drawn.mean(axis=0)) * np.sqrt(self._size / (self._size - 1.0))
        if out is None:
            return np.asarray(values, dtype=dtype) if shape else float(values)
        out[...] = values
        return out
