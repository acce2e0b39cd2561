"""Settings of iterative motion warping, validated when they are made."""

from __future__ import annotations

from dataclasses import dataclass

from freshtake.errors import UsageError
from freshtake.style.warping.space_warp import Stiffness

DOF_SCALES = ("auto", "raw", "zscore")
CUTS = ("auto", "never")
RATE = 60.0  # frames per second for which the weights are meant
METHODS = ("imw", "time-warp", "dtw-1", "dtw-3")


@dataclass(frozen=True)
class WarpSettings:
    """Settings of an alignment; the defaults are the paper's (Hsu 2005, §5.1) where it gives one.

    `method`: "imw" (iterative motion warping), or one of those it is compared with: "time-warp" (its first stage
    alone), "dtw-1" and "dtw-3" (dynamic time warping with type I or type III local constraints).
    `slope`: the warp runs between 1/slope and slope times as fast. `smoothness` and `offset_smoothness` weigh |Fa|²
    and |Gb|² of eq. 1 at 60 frames per second; at other rates they are scaled, so that the warp stays the same.
    `pull` keeps a near 1 and b near 0 where nothing else does. `rounds`: how often both stages are run at most.
    `scale`: what DOFs are measured in: "raw", "zscore" (each DOF of each motion by its own mean and deviation) or
    "auto" (joint angles in radians and heights in metres as they are; anything else about its mean and times one
    common factor that brings the DOFs' mean deviation to that of a walk's joint angles). `cut`: "auto" cuts cyclic
    clips at equal phase to equal cycle counts first, "never" takes them whole. `smoothing`: seconds over which the
    warp curve is smoothed, less for very short motions (arrays and strokes are taken to have 60 frames per second).
    """

    method: str = "imw"
    slope: int = 2
    smoothness: float = 100.0
    offset_smoothness: float = 100.0
    pull: float = 1e-4
    rounds: int = 50
    scale: str = "auto"
    cut: str = "auto"
    smoothing: float = 0.05

    def __post_init__(self) -> None:
        if not (isinstance(self.slope, int) and 2 <= self.slope <= 8):
            raise UsageError(f"the slope limit must be a whole number from 2 to 8, not {self.slope}")
        for name in ("smoothness", "offset_smoothness", "pull"):
            if not 0.0 < getattr(self, name) < float("inf"):
                raise UsageError(f"{name} must be above 0, not {getattr(self, name)}")
        if self.rounds < 1:
            raise UsageError(f"at least one round is needed, not {self.rounds}")
        if not 0.0 <= self.smoothing < 10.0:
            raise UsageError(f"the smoothing must lie between 0 and 10 seconds, not at {self.smoothing}")
        for name, choices in (("method", METHODS), ("scale", DOF_SCALES), ("cut", CUTS)):
            if getattr(self, name) not in choices:
                raise UsageError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")

    def stiffness(self, fps: float = RATE) -> Stiffness:
        """The weights of the space warp for motions of a rate."""
        finer = (fps / RATE) ** 2
        return Stiffness(self.smoothness * finer, self.offset_smoothness * finer, self.pull)
