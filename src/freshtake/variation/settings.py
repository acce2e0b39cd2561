"""Settings of the variation method, validated when they are made; what is None is chosen from the data."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from freshtake.errors import UsageError
from freshtake.motion.settings_checks import between, one_of

METHODS = ("default", "paper")
REGRESSIONS = ("kernel", "linear", "radial")
PARENTS = ("learned", "random", "own")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to learn and how to synthesize.

    The first block is Lau 2009's own; the second block is what we add so that it holds on recorded motion, each
    addition a setting that can be switched off. What is None is chosen from the data.
    """

    method: str = "default"
    order: int = 2  # frames that the transition network sees; the default synthesis reads value and velocity
    regression: str = "kernel"  # kernel (§5.2), linear or radial: what scores nodes, and the paper's synthesis
    neighbors: int | None = None  # k of §5.2
    kernel_width: float | None = None  # paper: K_W; default: K_W^2 as a share of the k-th squared distance
    velocity_weight: float | None = None  # of the velocity term in the distance, §5.2; 0: no such term
    deltas: bool = True  # predict x[t+2] - x[t+1], not x[t+2]; in the search, and in the paper's synthesis
    propagate: bool = True  # score by feeding predictions back (eq. 4), not frame by frame
    parents: str = "learned"  # random: as many as learned ones, drawn anew, own ones kept; own: no others
    slice_edges: bool | None = None  # edges among the nodes that are predicted; None: in the paper's method only
    core: int = 11  # largest-moving DOFs that every node starts with and keeps; the paper's method has none
    thorough: bool = False  # search longer: all candidates, several cores, more starts
    rounds: int = 6  # of the paper's search: in each, every node may change one edge
    prior_pairs: int = 10
    prior_starts: int = 5
    max_parents: int = 15  # of a transition node, own ones included
    prior_max_parents: int = 3
    screening: float = 0.06  # share of candidates that survive the first round of the search

    pull: float = 0.1  # towards the predicted value itself, the restoring force that deltas lack
    spread: float | None = None  # how far the nodes' shares of the clips vary, against those of a further take
    coherence: float | None = None  # share of that variation that all nodes have in common
    ties: float = 1.0  # how strongly DOFs that deviate together in the examples do so in variants
    novelty: float | None = None  # slow deviations that no example has, against the examples' own spread
    leads: float = 0.003  # seconds by which nodes run ahead or behind
    tempo: float = 0.015  # variation of the pace, as a share
    detail: float = 0.07  # seconds below which movement is detail, mixed alike for all nodes; 0: no split

    def __post_init__(self) -> None:
        one_of(self, "method", METHODS)
        one_of(self, "regression", REGRESSIONS)
        one_of(self, "parents", PARENTS)
        for name in ("deltas", "propagate", "slice_edges", "thorough"):
            _switch(self, name)
        between(self, "order", 1, 3)
        for name in ("neighbors", "prior_pairs", "prior_starts", "max_parents", "rounds"):
            between(self, name, 1, 100_000)
        for name in ("prior_max_parents", "core"):
            between(self, name, 0, 1000)
        for name in ("kernel_width", "velocity_weight", "spread", "novelty", "leads", "tempo", "detail"):
            between(self, name, 0.0, 1e6)
        for name in ("pull", "coherence", "screening", "ties"):
            between(self, name, 0.0, 1.0)
        if self.max_parents < self.order:
            raise UsageError(
                f"max_parents is {self.max_parents}, but a node's own {self.order} parents are always kept"
            )

    @property
    def literal(self) -> bool:
        """Whether the paper is followed to the letter."""
        return self.method == "paper"

    @property
    def edges_inside(self) -> bool:
        """Whether nodes of the predicted frame may be parents of one another."""
        return self.literal if self.slice_edges is None else self.slice_edges

    def changed(self, **changes: Any) -> Settings:
        """A copy with some settings replaced."""
        return Settings(**{f.name: changes.get(f.name, getattr(self, f.name)) for f in fields(self)})


def _switch(settings: Settings, name: str) -> None:
    value = getattr(settings, name)
    if not isinstance(value, bool) and not (value is None and name == "slice_edges"):
        raise UsageError(f"{name} is on or off, True or False, but is {value!r}")
