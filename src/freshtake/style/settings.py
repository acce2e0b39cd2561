"""Settings of alignment and of style translation, validated when constructed; None is chosen from the data."""

from __future__ import annotations

from dataclasses import dataclass

from freshtake.errors import UsageError
from freshtake.motion.validation import Changeable, between
from freshtake.style.warping.warps import Stiffness


@dataclass(frozen=True, kw_only=True)
class Settings(Changeable):
    """How to learn a translation and how to use it. Times are in seconds, whatever the frame rate."""

    order: int | None = None  # states per joint; 0 is a static map
    most_states: int = 10  # per joint, where the order is chosen
    horizon: float = 0.4  # past and future that the subspace method sees; less where clips are short
    radius: float = 0.9  # largest spectral radius at 30 frames per second; other rates: the equivalent
    ridge: float | None = None  # of the regressions, as a share of the frames
    # pull of the gain for constant input to zero, likewise; None: 0 or 0.2 joint by joint, 1 for one take of each style
    steadiness: float | None = None
    # seconds over which the source is smoothed before it drives anything; recorded walks jerk 1.7 times as much as real
    # takes of the style without, 1.1 times with it, 1.4 with 0.015
    calming: float = 0.03
    warp_smoothing: float = 0.08  # of the time warp, before its logarithm is taken
    slope: int = 3  # steepest time warp of an alignment, and its inverse the flattest
    floor: float = 0.1  # least deviation of a DOF, as a share of the usual one among DOFs with the same unit
    generalize: bool = True  # blend the input in where it is unlike the examples (eq. 7-8)
    confidence: float | None = None  # k_c of eq. 8; None: by part, so that takes left out are not unexpected
    preference: float = 30.0  # k_p of eq. 8
    reach: float = 0.012  # leg lengths by which one deviation moves the body, at least: thumbs do not count in eq. 7

    def __post_init__(self) -> None:
        between(self, "order", 0, 40)
        between(self, "most_states", 1, 40)
        between(self, "horizon", 0.02, 5.0)
        between(self, "radius", 0.05, 0.999)
        between(self, "ridge", 1e-12, 1e6)
        between(self, "steadiness", 0.0, 1e6)
        between(self, "calming", 0.0, 1.0)
        between(self, "warp_smoothing", 0.0, 5.0)
        between(self, "slope", 2, 8)
        between(self, "floor", 1e-6, 1.0)
        between(self, "confidence", 0.01, 1e6)
        between(self, "preference", 0.01, 1e6)
        between(self, "reach", 0.0, 1e6)


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
    `scale`: what DOFs are measured in: "raw", "zscore" (each DOF of each motion by its mean and deviation) or
    "auto" (joint angles in radians and heights in metres as they are; anything else about its mean and times one
    common factor that brings the DOFs' mean deviation to that of a walk's joint angles). `cut`: "auto" cuts cyclic
    clips at equal phase to equal cycle counts first, "never" keeps them complete. `smoothing`: seconds over which the
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
        """Return the weights of the space warp for motions of a rate.

        Args:
            fps: Frames per second of the motions.

        Returns:
            The weights of |Fa|² and |Gb|², scaled to that rate, and the pull.
        """
        # At f times the rate both sums have f times as many terms, but each squared step is f² times smaller: f² keeps
        # them in proportion, so that the warp does not depend on the rate.
        finer = (fps / RATE) ** 2
        return Stiffness(self.smoothness * finer, self.offset_smoothness * finer, self.pull)
