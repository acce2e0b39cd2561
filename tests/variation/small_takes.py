"""Small motions to learn from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.numeric.arrays import Floats


def takes(seed: int, *, dofs: int = 4, lengths: Sequence[int] = (21, 19, 22, 20), cyclic: bool = True) -> list[Floats]:
    """Takes of one smooth movement: phases and sizes vary from take to take, DOF 0 leads, DOF 2 follows DOF 1."""
    rng = np.random.default_rng(seed)
    lags, sizes = rng.uniform(0, 2 * np.pi, dofs), rng.uniform(0.5, 2.0, dofs)
    out = []
    for length in lengths:
        u = np.arange(length) / (length - 1)
        size = sizes * (1 + 0.15 * rng.normal(size=dofs))
        phase = 2 * np.pi * u[:, None] + lags + 0.1 * rng.normal(size=dofs)
        x = size * (np.sin(phase) + 0.3 * np.cos(2 * phase)) + 0.1 * rng.normal(size=dofs)
        if not cyclic:
            x = x * (0.3 + u[:, None]) + 3.0 * sizes * u[:, None] ** 2
        out.append(x)
    return out
