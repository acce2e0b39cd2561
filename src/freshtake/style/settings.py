"""Settings of style translation, validated when they are made; what is None is chosen from the data."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from freshtake.methods.settings_checks import between, one_of

SYSTEMS = ("auto", "n4sid", "fir")
INPUTS = ("limbs", "own", "legs")
HEADINGS = ("model", "input")
CODINGS = ("ends", "joints")
TIMINGS = ("limbs", "root")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to learn a translation and how to use it. Times are in seconds, whatever the frame rate."""

    system: str = "auto"  # n4sid: subspace identification (Hsu 2005, §4.3); fir: ridge on a delay line, for short clips
    # what drives a joint beside its own DOFs (§4.2). limbs: knee and foot by their thigh, the root by both thighs;
    # own: nothing; legs: every joint by both thighs
    inputs: str = "limbs"
    coding: str = "ends"  # ends: trunk and legs by where they end (see body_coding); joints: by rotations of joints
    timing: str = "limbs"  # what drives the timing: the root's travel and turning (§4.2), or thighs and arms as well
    order: int | None = None  # states per joint of n4sid
    most_states: int = 10  # per joint, where the order is chosen
    horizon: float = 0.4  # past and future that the subspace method sees
    radius: float = 0.9  # largest spectral radius at 30 frames per second; other rates: the equivalent
    memory: float | None = None  # of the delay line
    ridge: float | None = None  # of the regressions, as a share of the frames
    # pull of the gain for constant input to zero, likewise; None: 0 or 0.2 joint by joint, 1 for one take of each style
    steadiness: float | None = None
    calming: float | None = None  # seconds over which the source is smoothed before it drives anything; None: 0 or 0.03
    warp_smoothing: float = 0.08  # of the time warp, before its logarithm is taken
    slope: int = 3  # steepest time warp of an alignment, and its inverse the flattest
    heading: str = "model"  # model: the source's heading and the target style's sway of it; input: the source's alone
    floor: float = 0.1  # least deviation of a DOF, as a share of the usual one among DOFs with the same unit
    generalize: bool = True  # blend the input in where it is unlike the examples (eq. 7-8)
    confidence: float | None = None  # k_c of eq. 8; None: by part, so that takes left out are not unexpected
    preference: float = 30.0  # k_p of eq. 8
    reach: float = 0.012  # leg lengths by which one deviation moves the body, at least: thumbs do not count in eq. 7

    def __post_init__(self) -> None:
        one_of(self, "system", SYSTEMS)
        one_of(self, "inputs", INPUTS)
        one_of(self, "heading", HEADINGS)
        one_of(self, "coding", CODINGS)
        one_of(self, "timing", TIMINGS)
        between(self, "order", 1, 40)
        between(self, "most_states", 1, 40)
        between(self, "horizon", 0.02, 5.0)
        between(self, "radius", 0.05, 0.999)
        between(self, "memory", 0.0, 10.0)
        between(self, "ridge", 1e-12, 1e6)
        between(self, "steadiness", 0.0, 1e6)
        between(self, "calming", 0.0, 1.0)
        between(self, "warp_smoothing", 0.0, 5.0)
        between(self, "slope", 2, 8)
        between(self, "floor", 1e-6, 1.0)
        between(self, "confidence", 0.01, 1e6)
        between(self, "preference", 0.01, 1e6)
        between(self, "reach", 0.0, 1e6)

    def changed(self, **changes: Any) -> Settings:
        """A copy with some settings replaced."""
        return Settings(**{f.name: changes.get(f.name, getattr(self, f.name)) for f in fields(self)})
