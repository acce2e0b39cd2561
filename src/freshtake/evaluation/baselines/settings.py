"""Settings of the baselines, validated when they are made."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from freshtake.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class NoiseSettings:
    """How smooth noise is. The paper gives no numbers: these are the parameters that have to be tuned by hand.

    `smooth` is the standard deviation, in seconds, of the Gaussian that smooths white noise. `frequency` is the number
    of lattice points per second of Perlin noise, `octaves` how many noises of twice the frequency each are summed and
    `persistence` how strong each next one is. `energy` is the share of variance that principal components keep.
    """

    smooth: float = 0.1
    frequency: float = 1.5
    octaves: int = 2
    persistence: float = 0.5
    energy: float = 0.99

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
                raise UsageError(f"{field.name} must be a number above 0, but is {value!r}")
        if not isinstance(self.octaves, int) or self.octaves > 12:
            raise UsageError(f"octaves must be a whole number from 1 to 12, but is {self.octaves!r}")
        for name in ("persistence", "energy"):
            if getattr(self, name) > 1.0:
                raise UsageError(f"{name} must lie between 0 and 1, but is {getattr(self, name)!r}")
