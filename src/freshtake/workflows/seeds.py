"""Seeds of commands."""

from __future__ import annotations

import numpy as np

from freshtake.errors import UsageError


def generator(*seed: int) -> np.random.Generator:
    """A generator from whole numbers that are not negative."""
    if min(seed) < 0:
        raise UsageError(f"the seed must be 0 or more, but is {min(seed)}")
    return np.random.default_rng(list(seed))
