"""Settings of the variation method, validated when they are made."""

from __future__ import annotations

from dataclasses import dataclass

from freshtake.methods.settings_checks import between


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a variation model is learned.

    Attributes:
        prior: How many further takes the prior is worth beside the takes themselves, 0 to 100. Takes show only as many
            ways of deviating as there are takes less one; the prior has all others. 0 combines whole takes alone.
    """

    prior: float = 2.0

    def __post_init__(self) -> None:
        between(self, "prior", 0.0, 100.0)
