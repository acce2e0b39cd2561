"""Settings of the variation method, validated when they are made; what is None is chosen from the data."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from freshtake.errors import UsageError

METHODS = ("default", "paper")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to learn and how to synthesize.

    The first block is Lau 2009's own; the second block is what we add so that it holds on recorded motion, each
    addition a setting that can be switched off.
    """

    method: str = "default"
    order: int = 2  # frames that the transition network sees; the default synthesis reads value and velocity
    neighbors: int | None = None  # k of §5.2
    kernel_width: float | None = None  # paper: K_W; default: K_W^2 as a share of the k-th squared distance
    velocity_weight: float | None = None  # of the velocity term in the distance, §5.2
    deltas: bool = True  # predict x[t+2] - x[t+1], not x[t+2]; in the search, and in the paper's synthesis
    propagate: bool = True  # score by feeding predictions back (eq. 4), not frame by frame
    prior_pairs: int = 10
    prior_starts: int = 5
    max_parents: int = 15  # of a transition node, own ones included
    prior_max_parents: int = 3
    screening: float = 0.15  # share of candidates that survive the first round of the search

    pull: float = 0.1  # towards the predicted value itself, the restoring force that deltas lack
    spread: float = 0.9  # how far clips' shares vary
    coherence: float = 0.2  # share of that variation that all nodes have in common
    ties: float = 0.9  # how strongly learned edges tie what is left
    leads: float = 0.01  # seconds by which nodes run ahead or behind
    tempo: float = 0.015  # variation of the pace, as a share
    detail: float = 0.07  # seconds below which movement is detail, mixed alike for all nodes; 0: no split

    def __post_init__(self) -> None:
        _one_of(self, "method", METHODS)
        _between(self, "order", 1, 3)
        for name in ("neighbors", "prior_pairs", "prior_starts", "max_parents"):
            _between(self, name, 1, 100_000)
        _between(self, "prior_max_parents", 0, 1000)
        for name in ("kernel_width", "velocity_weight", "spread", "leads", "tempo", "detail"):
            _between(self, name, 0.0, 1e6)
        for name in ("pull", "coherence", "screening"):
            _between(self, name, 0.0, 1.0)
        _between(self, "ties", 0.0, 0.999)
        if self.max_parents < self.order:
            raise UsageError(
                f"max_parents is {self.max_parents}, but a node's own {self.order} parents are always kept"
            )

    def changed(self, **changes: Any) -> Settings:
        """A copy with some settings replaced."""
        return Settings(**{f.name: changes.get(f.name, getattr(self, f.name)) for f in fields(self)})


def _one_of(settings: Settings, name: str, choices: tuple[str, ...]) -> None:
    if getattr(settings, name) not in choices:
        raise UsageError(f"{name} must be one of {', '.join(choices)}, not {getattr(settings, name)!r}")


def _between(settings: Settings, name: str, low: float, high: float) -> None:
    value = getattr(settings, name)
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise UsageError(f"{name} must lie between {low:g} and {high:g}, but is {value!r}")
    if isinstance(low, int) and not isinstance(value, int):
        raise UsageError(f"{name} must be a whole number, but is {value!r}")
