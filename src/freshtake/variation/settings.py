"""Settings of the variation method, validated when they are made; what is None is chosen by the method or the data."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from freshtake.errors import UsageError
from freshtake.methods.settings_checks import between, one_of

METHODS = ("default", "kernel", "paper")
REGRESSIONS = ("kernel", "linear", "radial")
PARENTS = ("learned", "random", "own", "none")
NOISES = ("smooth", "white")
SWITCHES = (
    "traits", "tempo", "foot_nodes", "swing_nodes", "detail", "deltas", "propagate", "calibrated", "thorough",
)  # fmt: skip
LEAST_STEP = 0.07  # seconds

ADDITIONS: dict[str, tuple[Any, Any]] = {
    "pull": (0.1, 0.0),
    "noise": ("smooth", "white"),
    "adaptive": (True, False),
    "core": (11, 0),
    "rounds": (0, 6),
    "screening": (0.06, 0.2),
    "slice_edges": (False, True),
    "prior_deltas": (True, False),
    "prior_whole_takes": (True, False),
}
"""What the two kernel methods do not share: (method "kernel", method "paper"), unless a setting says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to learn and how to synthesize.

    method "default": a hidden phase and tempo, a network between deviations from the mean at the phase. "kernel": the
    paper's sampler, every node by kernel regression on its parents' values, with what makes it hold on recorded
    motion; "paper": the same with all of that switched off. The second block is for these two alone, and what is None
    there is as ADDITIONS has it, or chosen from the data.
    """

    method: str = "default"
    parents: str = "learned"  # random: as many as learned ones, drawn anew, own ones kept; own: no others; none
    max_parents: int = 15  # of a transition node, own ones included
    step: float | None = (
        None  # seconds between frames of the network, chosen from the data; what moves faster is detail
    )
    traits: bool = True  # deviations that hold from the first frame to the last
    tempo: bool = True  # the pace varies
    foot_nodes: bool = True  # where feet are: nodes of the network, which their legs follow
    swing_nodes: bool = True  # how far hands and feet swing: nodes of the network, which all traits follow
    detail: bool = True  # movement faster than `step` is taken from the examples, not from the network

    order: int = 2  # frames that the transition network sees
    regression: str = "kernel"  # kernel (§5.2), linear or radial
    neighbors: int | None = None  # k of §5.2
    kernel_width: float | None = None  # K_W; with `adaptive`: K_W^2 as a share of the k-th squared distance
    velocity_weight: float | None = None  # of the velocity term in the distance, §5.2; 0: no such term
    deltas: bool = True  # predict x[t+2] - x[t+1], not x[t+2]
    propagate: bool = True  # score by feeding predictions back (eq. 4), not frame by frame
    calibrated: bool = True  # score by the variance of the errors, not by that of eq. 6
    prior_pairs: int = 10
    prior_starts: int = 5
    prior_max_parents: int = 3
    thorough: bool = False  # search longer: all candidates, several cores, more starts
    pull: float | None = None  # towards the predicted value: a restoring force, which deltas lack
    noise: str | None = None  # of every node, smooth in time or white
    adaptive: bool | None = None  # K_W follows the distance of the k-th instance
    core: int | None = None  # largest-moving DOFs that every node starts with and keeps
    rounds: int | None = None  # of the search in which all nodes are propagated together
    screening: float | None = None  # share of candidates that survive the first round of the search
    slice_edges: bool | None = None  # edges among the nodes that are predicted
    prior_deltas: bool | None = None  # the second frame is drawn as a change of the first
    prior_whole_takes: bool | None = None  # the prior network is scored with whole takes left out, not single instances

    def __post_init__(self) -> None:
        one_of(self, "method", METHODS)
        one_of(self, "regression", REGRESSIONS)
        one_of(self, "parents", PARENTS)
        if self.noise is not None:
            one_of(self, "noise", NOISES)
        for name in SWITCHES:
            _switch(self, name)
        for name in ("slice_edges", "adaptive", "prior_deltas", "prior_whole_takes"):
            _switch(self, name, may_be_none=True)
        between(self, "order", 1, 3)
        between(self, "step", 1e-6, 1e6)
        for name in ("neighbors", "prior_pairs", "prior_starts", "max_parents"):
            between(self, name, 1, 100_000)
        for name in ("prior_max_parents", "core", "rounds"):
            between(self, name, 0, 1000)
        for name in ("kernel_width", "velocity_weight"):
            between(self, name, 0.0, 1e6)
        for name in ("pull", "screening"):
            between(self, name, 0.0, 1.0)
        if self.max_parents < self.order:
            raise UsageError(
                f"max_parents is {self.max_parents}, but a node's own {self.order} parents are always kept"
            )

    @property
    def network_step(self) -> float:
        """Seconds between frames of the network; before it is chosen, the least that is."""
        return LEAST_STEP if self.step is None else self.step

    def chosen(self, name: str) -> Any:
        """The setting, or, when it is None, what the method stands for."""
        value = getattr(self, name)
        return ADDITIONS[name][self.method == "paper"] if value is None else value

    @property
    def smooth_noise(self) -> bool:
        """Whether what a node draws is smooth in time."""
        return bool(self.chosen("noise") == "smooth")

    def changed(self, **changes: Any) -> Settings:
        """A copy with some settings replaced."""
        return Settings(**{f.name: changes.get(f.name, getattr(self, f.name)) for f in fields(self)})


def _switch(settings: Settings, name: str, *, may_be_none: bool = False) -> None:
    value = getattr(settings, name)
    if not isinstance(value, bool) and not (value is None and may_be_none):
        raise UsageError(f"{name} is on or off, True or False, but is {value!r}")
