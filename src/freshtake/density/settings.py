"""Settings of the density method, validated when constructed."""

from dataclasses import dataclass

from freshtake.errors import UsageError
from freshtake.motion.validation import Changeable, between, one_of

METHODS = ("default", "switch", "paper", "aligned")
POSES = ("positions", "expmap", "euler")
SEARCHES = ("coordinate", "kernels", "mean shift", "powell")
PHASES = ("tracked", "sine")


@dataclass(frozen=True, kw_only=True)
class Settings(Changeable):
    """Settings of learning and synthesis; the first block is Okwechime 2008's, the second is ours.

    `method`: "default" follows kernels of the motion density, all classes in a common phase, and mixes their poses by
    the weights; "switch" follows one class at a time; "paper" climbs the density exactly as published (§4.1-4.4);
    "aligned" interpolates mean cycles (§3.3).
    """

    method: str = "default"
    poses: str = "positions"  # positions of joints as in the paper (§3.1), or angles: expmap, euler
    energy: float = 0.95  # fraction of the variance that the eigenspace keeps, §3.2
    modes: int | None = None  # or a fixed number of modes
    alpha: float = 0.25  # kernel widths in standard deviations, §4
    search: str = "coordinate"  # paper, §4.3: along each mode in turn; kernels' velocities; mean shift; powell
    correction: bool = True  # paper: eq. 12 instead of eq. 10
    harmonics: int = 8  # aligned: sines per mode and cycle; 1 is a pure sine
    phase: str = "tracked"  # aligned: "sine" is eq. 4, one frequency for the whole take

    velocity_weight: float = 0.5  # weight of velocity relative to the pose when kernels are compared
    stay: float = 1.0  # seconds between jumps to another kernel, on average
    class_stay: float = 2.0  # switch: seconds that set how long one class is followed while weights are constant
    blend: float = 0.33  # seconds over which a jump is evened out; longer if necessary
    tempo: float = 0.015  # relative variation of the pace
    novelty: float = 0.13  # deviation of cyclic classes from recorded curves, relative to that between two cycles
    residuals: bool = True  # add each kernel's residual, which the eigenspace leaves out

    def __post_init__(self) -> None:
        one_of(self, "method", METHODS)
        one_of(self, "poses", POSES)
        one_of(self, "search", SEARCHES)
        one_of(self, "phase", PHASES)
        between(self, "energy", 0.01, 1.0)
        between(self, "modes", 1, 512)
        between(self, "harmonics", 1, 64)
        between(self, "alpha", 1e-3, 10.0)
        between(self, "velocity_weight", 0.0, 100.0)
        for name in ("stay", "class_stay"):
            between(self, name, 0.01, 1e6)
        between(self, "blend", 0.0, 10.0)
        between(self, "tempo", 0.0, 0.2)
        between(self, "novelty", 0.0, 1.0)
        for name in ("correction", "residuals"):
            if not isinstance(getattr(self, name), bool):
                raise UsageError(f"{name} must be true or false, not {getattr(self, name)!r}")
